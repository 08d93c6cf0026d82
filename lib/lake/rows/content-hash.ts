import { createHash } from 'node:crypto';
import { type ParquetInput, readRowGroups } from '../parquet/reader.ts';
import type { Column } from '../tables.ts';
import { newBuffer } from './buffers.ts';
import { IntegerBuffer } from './integers.ts';

/**
 * What SortedRows.contentHash gave of the rows of a unit's object: one column is in memory at a time, of however many
 * rows. `columns` are those that the object has, in its order. Throws what readRowGroups throws.
 */
export async function storedContentHash(input: ParquetInput, columns: readonly Column[]): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(columns.map(({ name, type }) => [name, type])));
  for (const column of columns) {
    const buffer = column.name === 'id' ? new IntegerBuffer(true) : newBuffer(column);
    let rowCount = 0;
    for await (const {
      columns: [values = []],
    } of readRowGroups(input, [column])) {
      for (const value of values) buffer.append(typeof value === 'boolean' ? null : value);
      rowCount += values.length;
    }
    buffer.hash(
      Uint32Array.from({ length: rowCount }, (_, row) => row),
      hash,
    );
  }
  return hash.digest('hex');
}
