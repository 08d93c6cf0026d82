import { unitKey } from '../lake/layout.ts';
import { rowText } from '../lake/parquet/column-values.ts';
import { notingDamage, readRowGroups } from '../lake/parquet/reader.ts';
import { type RowSource, rowsOf } from '../lake/parquet/writer.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import {
  type LakeStore,
  readObject,
  retriedOnRace,
  StaleObjectError,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import { loadWritten, NewerObjectError } from '../lake/stored-rows.ts';
import { CAMBIOS, indexOfColumn, TABLE_OF, type Table } from '../lake/tables.ts';
import { dayFromNumber, dayNumber } from '../time/days.ts';
import { isTwelveDigits } from '../units/rut.ts';
import type { Unit } from '../units/unit.ts';
import { changeRow } from './change-row.ts';
import type { AuditRow } from './columns.ts';
import { latePartName, parseRunKey, partKey, type Run, readRunFooter, runKey } from './keys.ts';
import { readAudit } from './read.ts';
import { auditColumns, parseRows, unitName } from './row.ts';
import { rowsByCompany } from './run-rows.ts';
import type { AuditTools } from './write.ts';

/** Units of a run that are looked up in the audit at a time. */
const UNITS_AT_A_TIME = 100_000;
/** Rows of `cambios` in memory: each holds a whole receipt as JSON. */
const ROWS_AT_A_TIME = 5_000;

/** A unit that a run wrote. */
interface WrittenUnit {
  unit: Unit;
  /** When its first reading in the run began, in seconds of local time. */
  startedAtSeconds: number;
  /** Whether an earlier run found it empty when its day was over. */
  wasClosedEmpty: boolean;
  /** Whether an earlier run found receipts. */
  hadObject: boolean;
}

type WrittenUnits = Map<string, WrittenUnit>;

/**
 * Stages `aparecio` for the receipts of units that an earlier run found empty when their day was over, and whose first
 * object this run wrote. Workers compare with a unit's object, and so can't tell such receipts from a first reading.
 * The run's rows must all be in its object. A unit's rows are one part, whose name the run's object of `cambios` keeps:
 * doing it again adds nothing. Where the audit, the changes or a unit are damaged, no row is staged, and `onDamage` gets
 * the reason. Returns whether any was.
 */
export async function stageLateReceipts(
  tools: AuditTools,
  run: Run,
  onDamage: (reason: string) => void,
): Promise<boolean> {
  const { store } = tools;
  let isAnyStaged = false;
  await notingDamage(onDamage, () =>
    retriedOnRace(async () => {
      const cambios = readObject(store, runKey(CAMBIOS, run), readRunFooter);
      const told = (await cambios.catch(undefinedIfMissing))?.parts ?? new Set();
      for await (const units of unitsWritten(store, run, told, onDamage)) {
        const late = await lateAmong(store, run, units, onDamage);
        const known = await appearedAlready(store, late);
        for (const [name, written] of late) {
          await notingFault(onDamage, async () => {
            // What came with a later write of the unit has been told of with it.
            const isKnown = (id: bigint) => known.has(receiptName(name, id));
            if (await stageUnit(tools, run, written, isKnown)) isAnyStaged = true;
          });
        }
      }
    }),
  );
  return isAnyStaged;
}

/** The units of days before the run that it wrote and has not told of, by name, as many at a time as memory allows. */
async function* unitsWritten(
  store: LakeStore,
  run: Run,
  told: ReadonlySet<string>,
  onDamage: (reason: string) => void,
): AsyncGenerator<WrittenUnits> {
  const columns = auditColumns(['state', 'startedAtSeconds']);
  let units: WrittenUnits = new Map();
  let lastRut: string | undefined;
  for await (const batch of rowsByCompany(store, run, onDamage, columns)) {
    // A unit that was tried again has several rows, all among those of its company.
    if (units.size >= UNITS_AT_A_TIME && batch.rut !== lastRut) {
      yield units;
      units = new Map();
    }
    lastRut = batch.rut;
    for (const row of parseRows(columns, batch)) {
      const written = writtenUnit(row, run);
      if (written === undefined || told.has(latePartName(written.unit))) continue;
      const name = unitName(row.rut, row.direction, row.dayNumber);
      const before = units.get(name);
      if (before === undefined || written.startedAtSeconds < before.startedAtSeconds)
        units.set(name, written);
    }
  }
  if (units.size > 0) yield units;
}

/** Undefined unless the run wrote it, and began after its day. */
function writtenUnit(row: AuditRow, run: Run): WrittenUnit | undefined {
  const { rut, direction, state, startedAtSeconds } = row;
  if (state !== 'exportado' || row.dayNumber >= dayNumber(run.day) || !isTwelveDigits(rut)) return undefined;
  const unit = { rut, direction, day: dayFromNumber(row.dayNumber) };
  return { unit, startedAtSeconds: startedAtSeconds ?? 0, wasClosedEmpty: false, hadObject: false };
}

/** Those with late receipts, by what other runs recorded of them. None if any of that can't be read. */
async function lateAmong(
  store: LakeStore,
  run: Run,
  units: WrittenUnits,
  onDamage: (reason: string) => void,
): Promise<WrittenUnits> {
  const days = [...units.values()].map(({ unit }) => unit.day).sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return new Map();
  const question = {
    // A unit that has an object from before its day is never empty afterwards.
    runDays: { from },
    otherThan: run,
    days: { from, to },
    ruts: new Set([...units.values()].map(({ unit }) => unit.rut)),
    units,
    columns: ['state', 'startedAtSeconds'],
  } as const;
  const { damaged } = await readAudit(store, question, (row, of) => {
    const written = units.get(unitName(row.rut, row.direction, row.dayNumber));
    if (written === undefined || !isEarlier(row, of, written, run)) return;
    if (row.state === 'exportado' || row.state === 'sin_cambios') written.hadObject = true;
    if (row.state === 'vacio' && dayNumber(of.day) > row.dayNumber) written.wasClosedEmpty = true;
  });
  for (const reason of damaged) onDamage(reason);
  if (damaged.length > 0) return new Map();
  return new Map([...units].filter(([, { wasClosedEmpty, hadObject }]) => wasClosedEmpty && !hadObject));
}

/** Of two runs that read a unit within one second, the one whose name comes first, so that one of them tells of it. */
function isEarlier(row: AuditRow, of: Run, written: WrittenUnit, run: Run): boolean {
  const seconds = row.startedAtSeconds ?? 0;
  return seconds < written.startedAtSeconds || (seconds === written.startedAtSeconds && of.id < run.id);
}

/** Notes why a unit can't be read, as far as that is the unit's own trouble. */
function notingFault(onDamage: (reason: string) => void, work: () => Promise<void>): Promise<void> {
  return notingDamage(onDamage, () =>
    work().catch((error: unknown) => {
      if (!(error instanceof NewerObjectError)) throw error;
      onDamage(error.message);
    }),
  );
}

/** Stages the rows of a unit, unless another process has. Returns whether there are any. */
async function stageUnit(
  { store, writer }: AuditTools,
  run: Run,
  { unit, startedAtSeconds }: WrittenUnit,
  isKnown: (id: bigint) => boolean,
): Promise<boolean> {
  const table = TABLE_OF[unit.direction];
  // It is gone if the company was forgotten.
  const stored = await loadWritten(store, unitKey(table.name, unit.day, unit.rut), table, unit.rut).catch(
    undefinedIfMissing,
  );
  if (stored === undefined) return false;
  const rows = stored.rows.sorted();
  const late = Array.from({ length: rows.rowCount }, (_, index) => index).filter(
    (index) => !isKnown(rows.id(index)),
  );
  if (late.length === 0) return false;
  const { columns } = CAMBIOS;
  const batches = lateBatches(run, unit, table, rows, late, BigInt(startedAtSeconds) * 1_000_000n);
  const key = partKey(CAMBIOS, run, unit.rut, latePartName(unit));
  const bytes = writer({ columns, rows: batches, metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected: undefined }).catch((error: unknown) => {
    if (!(error instanceof StaleObjectError)) throw error;
  });
  return true;
}

async function* lateBatches(
  run: Run,
  unit: Unit,
  table: Table,
  rows: SortedRows,
  late: readonly number[],
  noticedMicros: bigint,
): AsyncGenerator<RowSource> {
  const lastSeen = indexOfColumn(table.columns, LAST_SEEN_COLUMN);
  for (let start = 0; start < late.length; start += ROWS_AT_A_TIME) {
    const batch = late.slice(start, start + ROWS_AT_A_TIME).map((index) => {
      // What is gone by now was listed when it came.
      const values = rows.valuesOf(index).with(lastSeen, null);
      const whole = { cambio: 'aparecio', despues: rowText(table, values) };
      return changeRow(run, unit, table, noticedMicros, values, whole);
    });
    yield rowsOf(CAMBIOS.columns, batch);
  }
}

/** The receipts of these units that closed runs have told of as `aparecio`. Throws DamagedObjectError. */
async function appearedAlready(store: LakeStore, units: WrittenUnits): Promise<Set<string>> {
  const receipts = new Set<string>();
  const firstDay = [...units.values()].map(({ unit }) => unit.day).sort()[0];
  if (firstDay === undefined) return receipts;
  const columns = CAMBIOS.columns.filter(({ name }) => CHANGED_RECEIPT.includes(name));
  const places = CHANGED_RECEIPT.map((name) => indexOfColumn(columns, name));
  for await (const key of store.list(CAMBIOS.name)) {
    if ((parseRunKey(key)?.day ?? '') < firstDay) continue;
    await readObject(store, key, async (file) => {
      for await (const group of readRowGroups(file, columns)) {
        for (let row = 0; row < group.rowCount; row += 1) {
          const [rut, direction, day, id, change] = places.map((place) => group.columns[place]?.[row]);
          const name = `${rut} ${direction} ${day}`;
          if (change === 'aparecio' && typeof id === 'bigint' && units.has(name)) {
            receipts.add(receiptName(name, id));
          }
        }
      }
    });
  }
  return receipts;
}

const CHANGED_RECEIPT = ['rut', 'direccion', 'fecha', 'id', 'cambio'];

function receiptName(unit: string, id: bigint): string {
  return `${unit} ${id}`;
}
