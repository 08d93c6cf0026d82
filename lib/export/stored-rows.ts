import { DamagedObjectError } from '../lake/parquet/errors.ts';
import { readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import { CONTENT_HASH, ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { lackingColumns } from './stored-columns.ts';

const NOT_AS_WRITTEN = 'its rows are not those that it was written with';

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
