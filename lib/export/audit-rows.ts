import { DamagedObjectError } from '../lake/parquet/errors.ts';
import { readRows } from '../lake/parquet/reader.ts';
import type { Value } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Column } from '../lake/tables.ts';

/**
 * Takes an audit object row by row. One that is damaged is no reason to know nothing of the others: it is returned,
 * to be named beside what the others say.
 */
export async function forEachAuditRow(
  store: LakeStore,
  key: string,
  columns: readonly Column[],
  onRow: (row: Readonly<Record<string, Value>>) => void,
): Promise<DamagedObjectError | undefined> {
  try {
    const file = await store.open(key);
    try {
      for await (const row of readRows(file, columns)) onRow(row);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DamagedObjectError) return error;
    throw error;
  }
  return undefined;
}
