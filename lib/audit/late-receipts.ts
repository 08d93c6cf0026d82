import { unitKey } from '../lake/layout.ts';
import { rowText } from '../lake/parquet/column-values.ts';
import { notingDamage, readRowGroups } from '../lake/parquet/reader.ts';
import { type RowSource, rowsOf } from '../lake/parquet/writer.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  StaleObjectError,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import { loadUnit, NewerObjectError } from '../lake/stored-rows.ts';
import { CAMBIOS, EXPORTACIONES, indexOfColumn, TABLE_OF, type Table } from '../lake/tables.ts';
import { type DayRange, dayFromNumber, dayNumber } from '../time/days.ts';
import type { Unit } from '../units/unit.ts';
import { latePartName, parseRunKey, partKey, type Run, readRunFooter, runKey } from './keys.ts';
import { readAudit } from './read.ts';
import { type AuditRow, auditColumns, changeRow, parseRows, parseUnitName, unitName } from './row.ts';
import type { AuditTools } from './write.ts';

/** Rows of `cambios` in memory: each holds a whole receipt as JSON. */
const ROWS_AT_A_TIME = 5_000;

/** A unit with the moment, in seconds of local time, when its first reading in a run began. */
interface WrittenUnit extends Unit {
  startedAtSeconds: number;
}

/**
 * The units with late receipts of a run whose rows are in its object: those that it wrote and has not told of, and that
 * an earlier run found empty when their day was over. Workers compare with a unit's object, and so can't tell such
 * receipts from a first reading. Reads the audit since the first of their days once, however many units there are. If
 * any of it is damaged, there are none, and `damaged` says why. Throws DamagedObjectError for the run's own objects.
 */
export async function findLateUnits(
  store: LakeStore,
  run: Run,
): Promise<{ units: WrittenUnit[]; damaged: readonly string[] }> {
  const { moments, days } = await unitsWritten(store, run);
  if (days === undefined) return { units: [], damaged: [] };
  const emptied = new Set<string>();
  const question = {
    // A unit that has an object from before its day is never empty afterwards.
    runDays: { from: days.from },
    otherThan: run,
    days,
    units: moments,
    columns: ['state', 'startedAtSeconds'],
  } as const;
  const { damaged } = await readAudit(store, question, (row, of) => {
    const name = unitName(row.rut, row.direction, row.dayNumber);
    const startedAtSeconds = moments.get(name);
    if (startedAtSeconds === undefined || !isEarlier(row, of, startedAtSeconds, run)) return;
    // What has an object already has no late receipts.
    if (row.state === 'exportado' || row.state === 'sin_cambios') moments.delete(name);
    if (row.state === 'vacio' && dayNumber(of.day) > row.dayNumber) emptied.add(name);
  });
  if (damaged.length > 0 || emptied.size === 0) return { units: [], damaged };
  const cambios = readObject(store, runKey(CAMBIOS, run), readRunFooter);
  const told = (await cambios.catch(undefinedIfMissing)) ?? new Set();
  const units = [...emptied].flatMap((name) => {
    const [unit, startedAtSeconds] = [parseUnitName(name), moments.get(name)];
    if (unit === undefined || startedAtSeconds === undefined || told.has(latePartName(unit))) return [];
    return [{ ...unit, startedAtSeconds }];
  });
  return { units, damaged };
}

/** When the first reading began of each unit, by its name, that the run wrote of a day before its own; and those days. */
async function unitsWritten(
  store: LakeStore,
  run: Run,
): Promise<{ moments: Map<string, number>; days: DayRange | undefined }> {
  const columns = auditColumns(['state', 'startedAtSeconds']);
  const moments = new Map<string, number>();
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const read = async (file: ObjectBytes) => {
    for await (const group of readRowGroups(file, columns)) {
      for (const { rut, direction, dayNumber: day, state, startedAtSeconds } of parseRows(columns, group)) {
        if (state !== 'exportado' || day >= dayNumber(run.day)) continue;
        // A unit that was tried again has several rows.
        const name = unitName(rut, direction, day);
        moments.set(name, Math.min(startedAtSeconds ?? 0, moments.get(name) ?? Number.POSITIVE_INFINITY));
        [first, last] = [Math.min(day, first), Math.max(day, last)];
      }
    }
  };
  await readObject(store, runKey(EXPORTACIONES, run), read).catch(undefinedIfMissing);
  const days = moments.size === 0 ? undefined : { from: dayFromNumber(first), to: dayFromNumber(last) };
  return { moments, days };
}

/** Of two runs that read a unit within one second, the one whose name comes first, so that one of them tells of it. */
function isEarlier(row: AuditRow, of: Run, startedAtSeconds: number, run: Run): boolean {
  const seconds = row.startedAtSeconds ?? 0;
  return seconds < startedAtSeconds || (seconds === startedAtSeconds && of.id < run.id);
}

/**
 * Stages `aparecio` for the receipts of these units. What came with a later write of a unit has been told of with it,
 * and has to be in the runs' objects. A unit's rows are one part, whose name the run's object of `cambios` keeps: doing
 * it again adds nothing. Returns whether any was staged, and why units could not be read. Throws DamagedObjectError if
 * changes could not.
 */
export async function stageLateReceipts(
  tools: AuditTools,
  run: Run,
  units: readonly WrittenUnit[],
): Promise<{ isAnyStaged: boolean; damaged: string[] }> {
  const known = await appearedAlready(tools.store, units);
  const damaged: string[] = [];
  let isAnyStaged = false;
  for (const unit of units) {
    await notingFault(
      (reason) => damaged.push(reason),
      async () => {
        const isKnown = (id: bigint) => known.has(receiptName(nameOf(unit), id));
        if (await stageUnit(tools, run, unit, isKnown)) isAnyStaged = true;
      },
    );
  }
  return { isAnyStaged, damaged };
}

function nameOf({ rut, direction, day }: Unit): string {
  return unitName(rut, direction, dayNumber(day));
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
  unit: WrittenUnit,
  isKnown: (id: bigint) => boolean,
): Promise<boolean> {
  const table = TABLE_OF[unit.direction];
  // It is gone if the company was forgotten.
  const stored = await loadUnit(store, unitKey(table.name, unit.day, unit.rut), table, unit.rut).catch(
    undefinedIfMissing,
  );
  if (stored === undefined) return false;
  const rows = stored.rows.sorted();
  const late = Array.from({ length: rows.rowCount }, (_, index) => index).filter(
    (index) => !isKnown(rows.id(index)),
  );
  if (late.length === 0) return false;
  const { columns } = CAMBIOS;
  const batches = lateBatches(run, unit, table, rows, late, BigInt(unit.startedAtSeconds) * 1_000_000n);
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
async function appearedAlready(store: LakeStore, units: readonly Unit[]): Promise<Set<string>> {
  const receipts = new Set<string>();
  const names = new Set(units.map(nameOf));
  const [firstDay = ''] = units.map(({ day }) => day).sort();
  const columns = CAMBIOS.columns.filter(({ name }) => CHANGED_RECEIPT.includes(name));
  const places = CHANGED_RECEIPT.map((name) => indexOfColumn(columns, name));
  for await (const key of store.list(CAMBIOS.name)) {
    if ((parseRunKey(key)?.day ?? '') < firstDay) continue;
    await readObject(store, key, async (file) => {
      for await (const group of readRowGroups(file, columns)) {
        for (let row = 0; row < group.rowCount; row += 1) {
          const [rut, direction, day, id, change] = places.map((place) => group.columns[place]?.[row]);
          const name = `${rut} ${direction} ${day}`;
          if (change === 'aparecio' && typeof id === 'bigint' && names.has(name)) {
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
