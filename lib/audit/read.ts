import { DamagedObjectError, notingDamage } from '../lake/parquet/reader.ts';
import type { RowBatch } from '../lake/parquet/writer.ts';
import { type LakeStore, readObject, retriedOnRace } from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, indexOfColumn } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import {
  addDays,
  type Day,
  type DayRange,
  dayNumber,
  isWithin,
  MAX_DAYS_AHEAD,
  type Period,
} from '../time/days.ts';
import { isSameRun, listOpenRuns, listParts, parseRunKey, type Run, runKey } from './keys.ts';
import { addUnrecorded, plannedByChanges } from './planned.ts';
import { type AuditField, type AuditRow, auditColumns, isRut, parseRows } from './row.ts';
import { auditRows, loadRun } from './run-rows.ts';

/** Reading is mostly waiting for responses; the rows of all of these are in memory. */
const OBJECTS_AT_ONCE = 8;

/** Which rows of the audit to read. An absent condition restricts nothing. */
export interface AuditQuestion {
  /** Days on which runs began, both included. */
  runDays?: Period;
  run?: Run;
  /** A run to leave out. */
  otherThan?: Run;
  ruts?: ReadonlySet<string>;
  /** Issue dates, both included. */
  days?: DayRange;
  columns: readonly AuditField[];
}

/** The result of reading the audit, besides its rows. */
export interface AuditReading {
  /** Companies that the audit has and that were not asked for. */
  otherRuts: ReadonlySet<string>;
  /** Why objects could not be read. */
  damaged: readonly string[];
}

/** Days of the runs that may have exported issue dates from this one on: a receipt may be dated after its run. */
export function runDaysOf(from: Day): { from: Day } {
  return { from: addDays(from, -MAX_DAYS_AHEAD) };
}

/**
 * Reads the audit, each row once, in no particular order: the object of each run, and the parts that it lacks; for a unit
 * whose changes are staged and that has no row yet, the one that it gets if the run is dead. A damaged object does not stop
 * the reading; it is reported in the result.
 */
export async function readAudit(
  store: LakeStore,
  question: AuditQuestion,
  onRow: (row: AuditRow, run: Run) => void,
): Promise<AuditReading> {
  const { run, otherThan } = question;
  const runDays: Period = run === undefined ? (question.runDays ?? {}) : { from: run.day, to: run.day };
  const day = runDays.from === runDays.to ? runDays.from : undefined;
  const isAsked = (candidate: Run) =>
    !isSameRun(candidate, otherThan) &&
    (run === undefined ? isWithin(runDays, candidate.day) : isSameRun(candidate, run));
  const filter = rowFilter(question);
  const damaged: string[] = [];
  const note = (reason: string) => damaged.push(reason);
  // Only whole objects are told, so that one that is replaced meanwhile can be read again. Until then their rows are
  // columns: as objects, those of a long run would take ten times the memory.
  const tell = (batches: readonly RowBatch[], runOfRows: Run) => {
    for (const batch of batches) for (const row of parseRows(filter.columns, batch)) onRow(row, runOfRows);
  };

  // Open runs first: if one is sealed meanwhile, its object is in the listing that follows.
  const open = (await listOpenRuns(store, day)).filter(isAsked);
  const openKeys = new Set(open.map((openRun) => runKey(EXPORTACIONES, openRun)));
  await forEachConcurrent(open, OBJECTS_AT_ONCE, async (openRun) => {
    await retriedOnRace(async () => {
      const faults: string[] = [];
      const staged = await listParts(store, CAMBIOS, openRun);
      const { rows, unread } = await loadRun(store, EXPORTACIONES, openRun, {
        columns: filter.columns,
        // Those of other companies are not opened.
        choose: (parts) => parts.filter(({ rut, lastRut }) => rut !== lastRut || filter.isAskedCompany(rut)),
        onDamage: (reason) => faults.push(reason),
      });
      addUnrecorded(rows, plannedByChanges(openRun, staged), unread);
      tell(await filter.askedIn(rows.byCompany(), runKey(EXPORTACIONES, openRun), note), openRun);
      damaged.push(...faults);
    });
  });
  const folder = day === undefined ? EXPORTACIONES.name : `${EXPORTACIONES.name}/fecha_corrida=${day}`;
  const keys: string[] = [];
  for await (const key of store.list(folder)) keys.push(key);
  // Roughly the newest run first, so that who keeps the newest rows keeps what comes first.
  await forEachConcurrent(keys.reverse(), OBJECTS_AT_ONCE, async (key) => {
    const sealed = parseRunKey(key);
    if (sealed === undefined || openKeys.has(key) || !isAsked(sealed)) return;
    const read = () =>
      readObject(store, key, (file) => filter.askedIn(auditRows(file, filter.columns), file.name, note));
    await notingDamage(note, async () => tell(await retriedOnRace(read), sealed));
  });
  return { otherRuts: filter.otherRuts, damaged: damaged.sort() };
}

/** Selects the rows that are asked for. */
function rowFilter({ columns: fields, ruts, days }: AuditQuestion) {
  const columns = auditColumns(fields);
  const places = ['rut', 'fecha'].map((name) => indexOfColumn(columns, name));
  const firstDay = days === undefined ? Number.NEGATIVE_INFINITY : dayNumber(days.from);
  const lastDay = days === undefined ? Number.POSITIVE_INFINITY : dayNumber(days.to);
  const otherRuts = new Set<string>();

  /** Whether the company is asked for. If not, it is noted in `otherRuts`. */
  function isAskedCompany(rut: string): boolean {
    if (ruts?.has(rut) !== false) return true;
    otherRuts.add(rut);
    return false;
  }

  /** The same batch with only the rows that are asked for. `onStray`: called for one of no company. */
  function asked(batch: RowBatch, onStray: () => void): RowBatch {
    const [companies = [], dates = []] = places.map((place) => batch.columns[place]);
    const rows: number[] = [];
    for (let row = 0; row < batch.rowCount; row += 1) {
      const [rut, day] = [companies[row], dates[row]];
      if (!isRut(rut)) onStray();
      if (!isRut(rut) || typeof day !== 'number') continue;
      if (!isAskedCompany(rut) || day < firstDay || lastDay < day) continue;
      rows.push(row);
    }
    if (rows.length === batch.rowCount) return batch;
    const selected = batch.columns.map((values) => rows.map((row) => values[row] ?? null));
    return { rowCount: rows.length, columns: selected };
  }

  async function askedIn(
    batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
    object: string,
    onDamage: (reason: string) => void,
  ): Promise<RowBatch[]> {
    const selected: RowBatch[] = [];
    let hasStray = false;
    const onStray = () => {
      hasStray = true;
    };
    for await (const batch of batches) selected.push(asked(batch, onStray));
    if (hasStray) onDamage(new DamagedObjectError(object, 'one of its rows is of no company').message);
    return selected;
  }

  return { columns, otherRuts, isAskedCompany, askedIn };
}
