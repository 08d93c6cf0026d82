import { unitKey } from '../lake/layout.ts';
import { DamagedObjectError, readIntact, readRowGroups } from '../lake/parquet/reader.ts';
import { storedRowGroups } from '../lake/parquet/stored-row-groups.ts';
import { inRowGroups, type RowBatch, type RowSource, type StoredRowGroup } from '../lake/parquet/writer.ts';
import { type LakeStore, type ListedObject, ObjectChangedError } from '../lake/store/store.ts';
import { expectRewritable, ownerCheck, type RowsOwner } from '../lake/stored-rows.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';

/** Units up to this size are read whole as they are opened, and several are opened ahead. */
const SMALL_BYTES = 2 ** 20;
const OPEN_AT_ONCE = 32;
/** Row groups are copied rather than decoded if a unit has so many bytes on average: some thousands of rows. */
const COPIED_BYTES = 64 * 2 ** 10;

/** A unit as it was listed. */
export interface UnitToAdd extends Omit<ListedObject, 'key'> {
  rut: Rut;
}

/** An opened unit, the one that was listed. The order of its rows is checked as they are read. */
export interface OpenUnit {
  batches(): AsyncIterable<RowBatch>;
  /** Copies of its row groups; if they can't be copied, row groups made of its rows. */
  rowGroups(): AsyncIterable<RowSource | StoredRowGroup>;
  close(): Promise<void>;
}

/**
 * Opens and checks a unit. The bytes of a small one are read at once and compared with its checksum; those of a large one
 * when its rows are first asked for. Throws DamagedObjectError, NewerObjectError, and ObjectChangedError or
 * ObjectMissingError if it has changed since it was listed.
 */
export async function openUnit(
  store: LakeStore,
  table: Table,
  day: Day,
  { rut, version }: UnitToAdd,
): Promise<OpenUnit> {
  const key = unitKey(table.name, day, rut);
  const file = await store.open(key);
  try {
    if (file.version !== version) throw new ObjectChangedError(key, store.address);
    if (file.byteLength <= SMALL_BYTES) await readIntact(file);
    await expectRewritable(file, table, { key, address: store.address });
    async function* batches(): AsyncGenerator<RowBatch> {
      const check = orderCheck(table, { rut, day }, file.name);
      for await (const batch of readRowGroups(file, table.columns)) {
        check(batch);
        yield batch;
      }
    }
    async function* rowGroups(): AsyncGenerator<RowSource | StoredRowGroup> {
      yield* (await storedRowGroups(file, table, { rut, day })) ??
        inRowGroups(batches(), table.columns.length);
    }
    return { batches, rowGroups, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Whether a day's units are so large that their row groups are copied: it depends on nothing else. */
export function areCopied(units: readonly UnitToAdd[]): boolean {
  const byteCount = units.reduce((sum, unit) => sum + unit.byteCount, 0);
  return units.length === 1 || byteCount >= units.length * COPIED_BYTES;
}

/**
 * Checks the rows of a company, batch after batch. Throws DamagedObjectError for a row of another one, of another
 * day or out of order, which would leave a day unsorted, or with a row twice.
 */
function orderCheck(table: Table, unit: RowsOwner, object: string): (batch: RowBatch) => void {
  const { columns } = table;
  const check = ownerCheck(table, unit, object);
  const idIndex = indexOfColumn(columns, 'id');
  let last: bigint | number = Number.NEGATIVE_INFINITY;
  return (batch) => {
    for (let row = 0; row < batch.rowCount; row += 1) {
      const id = batch.columns[idIndex]?.[row];
      check(batch, row);
      if (typeof id !== 'bigint' || id <= last) {
        throw new DamagedObjectError(object, 'its rows are not in the order of their ids');
      }
      last = id;
    }
  };
}

/**
 * Opens items in order, some ahead of the one asked for. Each is closed when the next is asked for, and all at the end.
 * Large ones are not opened ahead, so that at most one is in memory. A failure is thrown when its item's turn comes.
 */
export async function* openedAhead<
  Item extends { byteCount: number },
  Open extends { close(): Promise<void> },
>(items: readonly Item[], open: (item: Item) => Promise<Open>): AsyncGenerator<Open, undefined, undefined> {
  const opening: { byteCount: number; opened: Promise<Open> }[] = [];
  let next = 0;
  try {
    for (;;) {
      for (let item = items[next]; item !== undefined && opening.length < OPEN_AT_ONCE; item = items[next]) {
        const bytes = opening.reduce((sum, { byteCount }) => sum + byteCount, item.byteCount);
        if (opening.length > 0 && bytes > SMALL_BYTES) break;
        next += 1;
        const opened = open(item);
        // Awaited, and so thrown, when its turn comes.
        opened.catch(() => undefined);
        opening.push({ byteCount: item.byteCount, opened });
      }
      const first = await opening.shift()?.opened;
      if (first === undefined) return undefined;
      try {
        yield first;
      } finally {
        await first.close();
      }
    }
  } finally {
    for (const end of await Promise.allSettled(opening.map(({ opened }) => opened))) {
      if (end.status === 'fulfilled') await end.value.close();
    }
  }
}
