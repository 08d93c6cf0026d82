import { forEachConcurrent } from '../concurrency.ts';
import { notingDamage, readRowGroups } from '../lake/parquet/reader.ts';
import type { Value } from '../lake/parquet/writer.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  retriedOnRace,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import {
  addDays,
  type Day,
  type DayRange,
  dayNumber,
  isWithin,
  MAX_DAYS_AHEAD,
  type Period,
} from '../time/days.ts';
import type { AuditField, AuditRow } from './columns.ts';
import {
  isSameRun,
  listOpenRuns,
  listParts,
  type Part,
  parseRunKey,
  type Run,
  readRunFooter,
  runKey,
} from './keys.ts';
import { isOver, type RunPlan, readPlan, unitsByCompany, unrecordedResult } from './plan.ts';
import { auditColumns, parseRow, rowOf, unitName } from './row.ts';

/** Reading is mostly waiting for responses. */
const OBJECTS_AT_ONCE = 16;

/** Which rows of the audit to read. An absent condition restricts nothing. */
export interface AuditQuestion {
  /** Days on which runs began, both included. */
  runDays?: Period;
  run?: Run;
  /** A run to leave out. */
  otherThan?: Run;
  ruts?: ReadonlySet<string>;
  /** Names of units. */
  units?: { has(name: string): boolean };
  /** Issue dates, both included. */
  days?: DayRange;
  columns: readonly AuditField[];
  /** Decides which runs are over; now when absent. */
  nowMs?: number;
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
 * Reads the audit, each row once, in no particular order: the one object of each closed run, and of the others their
 * parts too. A unit that a run planned and has no row of failed once the run is over, also if nothing has closed it:
 * readers get its row all the same, with all fields. A damaged object does not stop the reading; it
 * is reported in the result.
 */
export async function readAudit(
  store: LakeStore,
  question: AuditQuestion,
  onRow: (row: AuditRow, of: Run) => void,
): Promise<AuditReading> {
  const { run, otherThan, nowMs = systemClock.now() } = question;
  const runDays: Period = run === undefined ? (question.runDays ?? {}) : { from: run.day, to: run.day };
  const day = runDays.from === runDays.to ? runDays.from : undefined;
  const isAsked = (of: Run) =>
    !isSameRun(of, otherThan) && (run === undefined ? isWithin(runDays, of.day) : isSameRun(of, run));
  const reading = rowFilter(question, onRow);
  const damaged: string[] = [];
  const note = (reason: string) => damaged.push(reason);

  // Open runs first: if one is closed meanwhile, its object is in the listing that follows.
  const open = (await listOpenRuns(store, day)).filter(isAsked);
  const openKeys = new Set(open.map((of) => runKey(EXPORTACIONES, of)));
  await forEachConcurrent(open, OBJECTS_AT_ONCE, async (of) => {
    await notingDamage(note, () => readOpenRun(store, of, nowMs, reading, note));
  });
  const folder = day === undefined ? EXPORTACIONES.name : `${EXPORTACIONES.name}/fecha_corrida=${day}`;
  await forEachConcurrent(store.list(folder), OBJECTS_AT_ONCE, async (key) => {
    const closed = parseRunKey(key);
    if (closed === undefined || openKeys.has(key) || !isAsked(closed)) return;
    const read = async () => reading.tell(await readRows(store, key, reading), closed);
    await notingDamage(note, () => retriedOnRace(read));
  });
  return { otherRuts: reading.otherRuts, damaged: damaged.sort() };
}

/**
 * The rows of a run that has a plan or open parts: those of its object, of the parts that the object lacks and, once it
 * is over, of planned units that neither has.
 */
async function readOpenRun(
  store: LakeStore,
  run: Run,
  nowMs: number,
  filter: RowFilter,
  onDamage: (reason: string) => void,
): Promise<void> {
  // The run may be closed meanwhile.
  await retriedOnRace(async () => {
    const damaged: string[] = [];
    const note = (reason: string) => damaged.push(reason);
    // Before the rows: a run that was over by then has no more of them.
    let over: RunPlan | undefined;
    await notingDamage(note, async () => {
      const plan = await readPlan(store, run);
      if (plan !== undefined && isOver(plan, nowMs)) over = plan;
    });
    const parts = await listParts(store, EXPORTACIONES, run);
    const rows: AuditRow[][] = [];
    let known: ReadonlySet<string> = new Set();
    const closed = await store.open(runKey(EXPORTACIONES, run)).catch(undefinedIfMissing);
    if (closed !== undefined) {
      await notingDamage(note, async () => {
        const footer = await readRunFooter(closed);
        known = footer.parts;
        if (footer.isComplete) over = undefined;
        rows.push(await filter.rowsIn(closed));
      }).finally(() => closed.close());
    }
    // Parts come and go while the run is active. Those of other companies are not opened.
    const mayBeAsked = ({ rut, lastRut }: Part) => rut !== lastRut || filter.isOfCompany(rut);
    const others = parts.filter((part) => !known.has(part.name) && mayBeAsked(part));
    await forEachConcurrent(others, OBJECTS_AT_ONCE, ({ key }) =>
      notingDamage(note, async () => void rows.push(await readRows(store, key, filter))),
    );
    // A damaged object may have any of them.
    if (over !== undefined && damaged.length === 0) rows.push(filter.unrecordedIn(over, rows.flat()));
    for (const some of rows) filter.tell(some, run);
    for (const reason of damaged) onDamage(reason);
  });
}

function readRows(store: LakeStore, key: string, filter: RowFilter): Promise<AuditRow[]> {
  return readObject(store, key, (file) => filter.rowsIn(file));
}

type RowFilter = ReturnType<typeof rowFilter>;

/** Selects the rows that are asked for, a row group at a time. */
function rowFilter(
  { columns: fields, ruts, units: named, days }: AuditQuestion,
  onRow: (row: AuditRow, of: Run) => void,
) {
  const asked = auditColumns(fields);
  const places = new Map(asked.map(({ name }, place) => [name, place]));
  const firstDay = days === undefined ? Number.NEGATIVE_INFINITY : dayNumber(days.from);
  const lastDay = days === undefined ? Number.POSITIVE_INFINITY : dayNumber(days.to);
  const otherRuts = new Set<string>();

  /** Whether the company is asked for. If not, it is noted in `otherRuts`. */
  function isOfCompany(rut: string): boolean {
    if (ruts?.has(rut) !== false) return true;
    otherRuts.add(rut);
    return false;
  }

  function isAsked(rut: Value | undefined, day: Value | undefined): boolean {
    if (typeof rut !== 'string' || typeof day !== 'number') return false;
    return isOfCompany(rut) && firstDay <= day && day <= lastDay;
  }

  return {
    otherRuts,
    isOfCompany,
    /** The rows of planned units that are not among the rows of their run. */
    unrecordedIn(plan: RunPlan, rows: readonly AuditRow[]): AuditRow[] {
      const recorded = new Set(
        rows.map(({ rut, direction, dayNumber: day }) => unitName(rut, direction, day)),
      );
      const unrecorded: AuditRow[] = [];
      for (const [rut, units] of unitsByCompany(plan)) {
        for (const unit of units) {
          const day = dayNumber(unit.day);
          const name = unitName(rut, unit.direction, day);
          if (!isAsked(rut, day) || recorded.has(name) || named?.has(name) === false) continue;
          const stored = rowOf(plan.run, unrecordedResult(plan, unit));
          const row = parseRow((column) => stored[column]);
          if (row !== undefined) unrecorded.push(row);
        }
      }
      return unrecorded;
    },
    tell(rows: readonly AuditRow[], of: Run): void {
      for (const row of rows) onRow(row, of);
    },
    async rowsIn(file: ObjectBytes): Promise<AuditRow[]> {
      const rows: AuditRow[] = [];
      for await (const { rowCount, columns } of readRowGroups(file, asked)) {
        for (let index = 0; index < rowCount; index += 1) {
          const valueIn = (column: string) => columns[places.get(column) ?? -1]?.[index];
          if (!isAsked(valueIn('rut'), valueIn('fecha'))) continue;
          const name = `${valueIn('rut')} ${valueIn('direccion')} ${valueIn('fecha')}`;
          if (named?.has(name) === false) continue;
          const row = parseRow(valueIn);
          if (row !== undefined) rows.push(row);
        }
      }
      return rows;
    },
  };
}
