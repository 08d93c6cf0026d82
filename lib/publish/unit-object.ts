import { unitKey } from '../lake/layout.ts';
import { DamagedObjectError, readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import type { RowBatch, Value } from '../lake/parquet/writer.ts';
import { CONTENT_HASH, storedContentHash } from '../lake/rows/receipt-rows.ts';
import { type LakeStore, type ObjectBytes, ObjectChangedError } from '../lake/store/store.ts';
import { lackingColumns } from '../lake/stored-rows.ts';
import { type Column, indexOfColumn, type Table } from '../lake/tables.ts';
import { CfeLakeError } from '../system/errors.ts';
import type { Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';

/** Units up to this size are read into memory whole, and several are opened ahead. */
const SMALL_BYTES = 2 ** 20;

/** A unit is damaged and cannot be added to its day. */
export class UnitDamagedError extends CfeLakeError {
  override name = 'UnitDamagedError';
  readonly unit: UnitToAdd;
  constructor(unit: UnitToAdd, reason: string) {
    super(reason);
    this.unit = unit;
  }
}

export interface UnitToAdd {
  rut: Rut;
  /** From the listing. */
  fingerprint: string;
  byteCount: number;
}

/** An opened unit, checked against its listing and the hash of its content. */
export interface OpenUnit extends Pick<UnitToAdd, 'rut' | 'fingerprint'> {
  rowCount: number;
  batches(): AsyncIterable<RowBatch>;
  close(): Promise<void>;
}

/**
 * Opens and checks a unit. Throws UnitDamagedError, NewerObjectError, and ObjectChangedError or ObjectMissingError if
 * it has changed since it was listed.
 */
export async function openUnit(store: LakeStore, table: Table, day: Day, unit: UnitToAdd): Promise<OpenUnit> {
  const { rut, fingerprint } = unit;
  const key = unitKey(table.name, day, rut);
  const file = await store.open(key).catch(asDamage(unit));
  try {
    if ((await file.fingerprint()) !== fingerprint) throw new ObjectChangedError(key, store.address);
    const checked = await checkedUnit(file, table, rut, key, store.address).catch(asDamage(unit));
    async function* batches(): AsyncGenerator<RowBatch> {
      try {
        yield* checked.batches();
      } catch (error) {
        asDamage(unit)(error);
      }
    }
    const { rowCount } = checked;
    return { rut, fingerprint, rowCount, batches, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Checks all rows of the unit. Those of a small one are kept in memory, those of a large one read again. */
async function checkedUnit(
  file: ObjectBytes,
  table: Table,
  rut: string,
  key: string,
  address: string,
): Promise<{ rowCount: number; batches(): AsyncIterable<RowBatch> | Iterable<RowBatch> }> {
  const { rowCount, metadata, columnNames } = await readFileMetadata(file);
  lackingColumns(table, columnNames, { key, address });
  const isSmall = file.byteLength <= SMALL_BYTES;
  const kept: RowBatch[] = [];
  for await (const batch of checkedBatches(file, isSmall ? table : keyColumnsOf(table), rut))
    if (isSmall) kept.push(batch);
  const columns = columnNames.flatMap((stored) => table.columns.filter(({ name }) => name === stored));
  const valuesOf = (column: Column) =>
    isSmall
      ? kept.map((batch) => batch.columns[table.columns.indexOf(column)] ?? [])
      : valuesOfColumn(file, column);
  const written = metadata[CONTENT_HASH];
  if (written !== undefined && (await storedContentHash(columns, valuesOf)) !== written) {
    throw new DamagedObjectError(file.name, 'its rows are not the ones written to it');
  }
  return { rowCount, batches: () => (isSmall ? kept : checkedBatches(file, table, rut)) };
}

async function* valuesOfColumn(file: ObjectBytes, column: Column): AsyncGenerator<readonly Value[]> {
  for await (const { columns } of readRowGroups(file, [column])) yield columns[0] ?? [];
}

/**
 * The table with only the columns that rows are sorted by: for a large unit, the check of the order reads no others.
 */
function keyColumnsOf(table: Table): Table {
  return { ...table, columns: table.columns.filter(({ name }) => name === 'rut' || name === 'id') };
}

/** The unit's rows. Throws DamagedObjectError for a row of another company or out of order. */
async function* checkedBatches(file: ObjectBytes, table: Table, rut: string): AsyncGenerator<RowBatch> {
  const check = orderCheck(table, rut, file.name);
  for await (const batch of readRowGroups(file, table.columns)) {
    check(batch);
    yield batch;
  }
}

/**
 * Checks the rows of a company, batch after batch. Throws DamagedObjectError for a row of another one or out of order,
 * which would leave a day unsorted, or with a row twice.
 */
export function orderCheck({ columns }: Table, rut: string, object: string): (batch: RowBatch) => void {
  const rutIndex = indexOfColumn(columns, 'rut');
  const idIndex = indexOfColumn(columns, 'id');
  let last = -(2n ** 63n) - 1n;
  return (batch) => {
    for (let row = 0; row < batch.rowCount; row += 1) {
      const id = batch.columns[idIndex]?.[row];
      if (batch.columns[rutIndex]?.[row] !== rut) {
        throw new DamagedObjectError(object, `it has a row that does not belong to ${rut}`);
      }
      if (typeof id !== 'bigint' || id <= last) {
        throw new DamagedObjectError(object, 'its rows are not in the order of their ids');
      }
      last = id;
    }
  };
}

function asDamage(unit: UnitToAdd): (error: unknown) => never {
  return (error) => {
    throw error instanceof DamagedObjectError ? new UnitDamagedError(unit, error.message) : error;
  };
}

const OPEN_AT_ONCE = 16;

/**
 * Opens items in order, some ahead of the one asked for. Each is closed when the next is asked for, and all at the end.
 * Large ones are not opened ahead, so that at most one is in memory. A failure is thrown when its item's turn comes.
 */
export async function* openedAhead<
  Item extends { byteCount: number },
  Open extends { close(): Promise<void> },
>(items: readonly Item[], open: (item: Item) => Promise<Open>): AsyncGenerator<Open, undefined, undefined> {
  const opening: { item: Item; promise: Promise<Open> }[] = [];
  let next = 0;
  try {
    for (;;) {
      let bytes = opening.reduce((sum, { item }) => sum + item.byteCount, 0);
      for (let item = items[next]; item !== undefined && opening.length < OPEN_AT_ONCE; item = items[next]) {
        bytes += item.byteCount;
        if (opening.length > 0 && bytes > SMALL_BYTES) break;
        next += 1;
        const promise = open(item);
        // Awaited, and so thrown, when its turn comes.
        promise.catch(() => undefined);
        opening.push({ item, promise });
      }
      const first = opening.shift();
      if (first === undefined) return undefined;
      const opened = await first.promise;
      try {
        yield opened;
      } finally {
        await opened.close();
      }
    }
  } finally {
    for (const end of await Promise.allSettled(opening.map(({ promise }) => promise))) {
      if (end.status === 'fulfilled') await end.value.close();
    }
  }
}
