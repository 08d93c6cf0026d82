import { createHash, type Hash } from 'node:crypto';
import { type ParquetInput, readRowGroups } from '../parquet/reader.ts';
import type { Value } from '../parquet/writer.ts';
import type { Column } from '../tables.ts';
import { newBuffer } from './buffers.ts';
import { IntegerBuffer } from './integers.ts';

/**
 * What SortedRows.contentHash gave of the rows of a unit's object: one column is in memory at a time, of JSON the texts
 * of one row group. `columns` are those that the object has, in its order. Throws what readRowGroups throws.
 */
export async function storedContentHash(input: ParquetInput, columns: readonly Column[]): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(columns.map(({ name, type }) => [name, type])));
  for (const column of columns) {
    if (column.type === 'json') await hashTexts(input, column, hash);
    else await hashBuffered(input, column, hash);
  }
  return hash.digest('hex');
}

async function hashBuffered(input: ParquetInput, column: Column, into: Hash): Promise<void> {
  const buffer = column.name === 'id' ? new IntegerBuffer(true) : newBuffer(column);
  let rowCount = 0;
  for await (const values of valuesOf(input, column)) {
    for (const value of values) buffer.append(typeof value === 'boolean' ? null : value);
    rowCount += values.length;
  }
  buffer.hash(
    Uint32Array.from({ length: rowCount }, (_, row) => row),
    into,
  );
}

/** As LooseTextBuffer does: the lengths of all, then the texts. Of several row groups these are read a second time. */
async function hashTexts(input: ParquetInput, column: Column, into: Hash): Promise<void> {
  const kept: (readonly Value[])[] = [];
  let groupCount = 0;
  for await (const values of valuesOf(input, column)) {
    into.update(Float64Array.from(values, (value) => textLength(value)));
    groupCount += 1;
    kept[0] = values;
  }
  for await (const values of groupCount > 1 ? valuesOf(input, column) : kept) {
    for (const value of values) if (typeof value === 'string') into.update(value, 'utf8');
  }
}

/** In bytes, plus one; 0 of none. */
function textLength(value: Value): number {
  return typeof value === 'string' ? Buffer.byteLength(value) + 1 : 0;
}

/** Of one column, a row group at a time. */
async function* valuesOf(input: ParquetInput, column: Column): AsyncGenerator<readonly Value[]> {
  for await (const { columns } of readRowGroups(input, [column])) yield columns[0] ?? [];
}
