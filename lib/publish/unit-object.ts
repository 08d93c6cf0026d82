import { ForeignObjectError, lackingColumns } from '../export/stored-columns.ts';
import { unitKey } from '../lake/layout.ts';
import { ColumnMismatchError, DamagedObjectError } from '../lake/parquet/errors.ts';
import type { RunOfRows } from '../lake/parquet/merge-objects.ts';
import { readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import { storedContentHash } from '../lake/rows/content-hash.ts';
import { CONTENT_HASH } from '../lake/rows/receipt-rows.ts';
import { type LakeStore, type ObjectBytes, ObjectChangedError } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';

/** A unit can't be taken into its day. */
export class UnitDamagedError extends Error {
  override name = 'UnitDamagedError';
  readonly unit: UnitToTakeIn;
  constructor(unit: UnitToTakeIn, reason: string) {
    super(reason);
    this.unit = unit;
  }
}

/** A unit that was listed, opened to be taken into its day. */
export interface UnitToTakeIn {
  rut: string;
  /** As it was listed. */
  fingerprint: string;
  byteCount: number;
}

/** A unit's object whose bytes are those that were listed and written. */
export interface OpenUnit extends Pick<UnitToTakeIn, 'rut' | 'fingerprint'> {
  rowCount: number;
  runs(): AsyncIterable<RunOfRows>;
  close(): Promise<void>;
}

/**
 * Throws UnitDamagedError, NewerObjectError, or ObjectChangedError or ObjectMissingError when it is no longer as it
 * was listed.
 */
export async function openUnit(
  store: LakeStore,
  table: Table,
  fecha: string,
  unit: UnitToTakeIn,
): Promise<OpenUnit> {
  const { rut, fingerprint } = unit;
  const key = unitKey(table.name, fecha, rut);
  const file = await store.open(key).catch(asDamage(unit));
  try {
    if ((await file.fingerprint()) !== fingerprint) throw new ObjectChangedError(key, store.address);
    const rowCount = await checkedRowCount(file, table, rut, key, store.address).catch(asDamage(unit));
    async function* runs(): AsyncGenerator<RunOfRows> {
      try {
        yield* checkedRuns(file, table, rut);
      } catch (error) {
        asDamage(unit)(error);
      }
    }
    return { rut, fingerprint, rowCount, runs, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** How many rows it has, all as they were written. */
async function checkedRowCount(
  file: ObjectBytes,
  table: Table,
  rut: string,
  key: string,
  address: string,
): Promise<number> {
  const { rowCount, metadata, columnNames } = await readFileMetadata(file);
  lackingColumns(table, columnNames, { key, address });
  const columns = columnNames.flatMap((stored) => table.columns.filter(({ name }) => name === stored));
  const written = metadata[CONTENT_HASH];
  if (written !== undefined && (await storedContentHash(file, columns)) !== written) {
    throw new DamagedObjectError(file.name, 'its rows are not those that it was written with');
  }
  for await (const _run of checkedRuns(file, ruledBy(table), rut));
  return rowCount;
}

/** What decides of a row's place; only that is looked at before a day is written. */
function ruledBy(table: Table): Table {
  return { ...table, columns: table.columns.filter(({ name }) => name === 'rut' || name === 'id') };
}

/** Its rows; throws a DamagedObjectError where one is another company's, or not after the one before it. */
async function* checkedRuns(file: ObjectBytes, { columns }: Table, rut: string): AsyncGenerator<RunOfRows> {
  const rutIndex = columns.findIndex(({ name }) => name === 'rut');
  const idIndex = columns.findIndex(({ name }) => name === 'id');
  let last = -(2n ** 63n) - 1n;
  for await (const run of readRowGroups(file, columns)) {
    for (let row = 0; row < run.rowCount; row += 1) {
      const id = run.columns[idIndex]?.[row];
      if (run.columns[rutIndex]?.[row] !== rut) {
        throw new DamagedObjectError(file.name, `it has a row that is not of ${rut}`);
      }
      if (typeof id !== 'bigint' || id <= last) {
        throw new DamagedObjectError(file.name, 'its rows are not in the order of their ids');
      }
      last = id;
    }
    yield run;
  }
}

function asDamage(unit: UnitToTakeIn): (error: unknown) => never {
  return (error) => {
    const isDamage = [DamagedObjectError, ColumnMismatchError, ForeignObjectError].some(
      (kind) => error instanceof kind,
    );
    throw isDamage && error instanceof Error ? new UnitDamagedError(unit, error.message) : error;
  };
}
