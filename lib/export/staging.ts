import * as v from 'valibot';
import { readInt64 } from '../api/json.ts';
import type { ReadingPosition } from '../api/list/overlapping.ts';
import type { DayRange } from '../api/list/read-day.ts';
import { stagedKey } from '../lake/layout.ts';
import { DamagedObjectError } from '../lake/parquet/errors.ts';
import { readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { CONTENT_HASH, ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { lackingColumns } from './stored-columns.ts';
import type { Unit } from './unit-plan.ts';

const POSITION = 'cfe-lake.position';
const NOT_AS_WRITTEN = 'its rows are not those that it was written with';

const StagedPosition = v.object({
  pageCap: v.number(),
  knownEnd: v.number(),
  knownTail: v.array(v.string()),
  lastWindow: v.object({ pageNumber: v.number(), pageSize: v.number(), start: v.number() }),
  range: v.object({ from: v.string(), to: v.string() }),
  hasRowsOfNextDay: v.boolean(),
  olderVersion: v.optional(v.string()),
  misfits: v.number(),
});

/** A unit that was read in part: its rows so far, and where to go on. */
export interface StagedReading {
  rows: ReceiptRows;
  position: ReadingPosition;
  range: DayRange;
  hasRowsOfNextDay: boolean;
}

/** A staged reading, and the version of the unit's object when it began; undefined when there was none. */
export interface StagedUnit extends StagedReading {
  olderVersion: string | undefined;
}

/** Keeps what was read so far of a unit, for the run's next invocation. */
export async function saveStaged(
  store: LakeStore,
  writer: ParquetWriter,
  runId: string,
  unit: Unit,
  { rows, position, range, hasRowsOfNextDay, olderVersion }: StagedUnit,
): Promise<void> {
  const key = stagedKey(runId, unit);
  const knownTail = position.knownTail.map(String);
  const kept = { ...position, knownTail, range, hasRowsOfNextDay, olderVersion, misfits: rows.misfits };
  const metadata = { [POSITION]: JSON.stringify(kept) };
  const bytes = writer({ columns: rows.table.columns, rows: rows.inOrderOfArrival(), metadata });
  // In the footer only: it is longer than what a bucket keeps beside an object.
  await store.replace(key, bytes, { metadata: {}, expected: await store.find(key) });
}

/**
 * What an earlier invocation of the run kept of the unit; undefined when there is nothing, or when that is damaged: the
 * unit is then read from its beginning.
 */
export async function loadStaged(
  store: LakeStore,
  runId: string,
  unit: Unit,
  table: Table,
): Promise<StagedUnit | undefined> {
  const key = stagedKey(runId, unit);
  try {
    return (await store.find(key)) === undefined ? undefined : await readStaged(store, key, unit, table);
  } catch (error) {
    if (!(error instanceof DamagedObjectError)) throw error;
    await store.remove(key);
    return undefined;
  }
}

async function readStaged(store: LakeStore, key: string, unit: Unit, table: Table): Promise<StagedUnit> {
  const file = await store.open(key);
  try {
    const { metadata } = await readFileMetadata(file);
    const parsed = v.parse(StagedPosition, JSON.parse(metadata[POSITION] ?? 'null'));
    const { range, hasRowsOfNextDay, olderVersion, misfits, knownTail, ...position } = parsed;
    const rows = await readAll(file, table, unit.rut);
    rows.misfits = misfits;
    return {
      rows,
      position: { ...position, knownTail: knownTail.map((id) => readInt64(id) ?? 0) },
      range,
      hasRowsOfNextDay,
      olderVersion,
    };
  } finally {
    await file.close();
  }
}

/** The rows of an object of the lake. */
export interface LoadedRows {
  rows: ReceiptRows;
  /** Columns that the object lacks, since they are newer than it: there the rows are null. */
  lacking: ReadonlySet<string>;
  /** Set where these are not the rows that the object says it was written with. */
  damage: DamagedObjectError | undefined;
}

/**
 * The rows of an object, all as they were written: others, taken for what was read before, would be told as changes,
 * and be kept where the API no longer lists them. Throws DamagedObjectError.
 */
export async function loadWritten(
  store: LakeStore,
  key: string,
  table: Table,
  rut: string,
): Promise<LoadedRows> {
  const loaded = await loadUnit(store, key, table, rut);
  if (loaded.damage !== undefined) throw loaded.damage;
  return loaded;
}

/** The rows of an object, also where they are others than were written. Throws DamagedObjectError if it has none. */
export async function loadUnit(
  store: LakeStore,
  key: string,
  table: Table,
  rut: string,
): Promise<LoadedRows> {
  const file = await store.open(key);
  try {
    const { columnNames, metadata } = await readFileMetadata(file);
    const lacking = lackingColumns(table, columnNames, { key, address: store.address });
    const rows = await readAll(file, table, rut);
    const written = metadata[CONTENT_HASH];
    const isAsWritten = written === undefined || rows.sorted().contentHash(columnNames) === written;
    const damage = isAsWritten ? undefined : new DamagedObjectError(file.name, NOT_AS_WRITTEN);
    return { rows, lacking, damage };
  } finally {
    await file.close();
  }
}

async function readAll(file: ObjectBytes, table: Table, rut: string): Promise<ReceiptRows> {
  const rows = new ReceiptRows(table, rut);
  for await (const group of readRowGroups(file, table.columns)) {
    for (let row = 0; row < group.rowCount; row += 1) {
      rows.appendValues(group.columns.map((column) => column[row] ?? null));
    }
  }
  return rows;
}
