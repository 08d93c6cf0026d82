import { type ParquetInput, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import type { Column } from '../../../lib/lake/tables.ts';

/** The rows of these columns one by one, by column name. Throws what readRowGroups throws. */
export async function* readRows(
  input: ParquetInput,
  columns: readonly Column[],
): AsyncGenerator<Record<string, Value>> {
  for await (const group of readRowGroups(input, columns)) {
    for (let row = 0; row < group.rowCount; row++) {
      yield Object.fromEntries(
        columns.map((column, index) => [column.name, group.columns[index]?.[row] ?? null]),
      );
    }
  }
}
