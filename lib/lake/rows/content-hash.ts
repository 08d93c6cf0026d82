import { createHash, type Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { Column } from '../tables.ts';
import { IntegerBuffer, newBuffer } from './buffers.ts';

/** The values of one column, a row group at a time. Called twice if there are several. */
export type StoredValues = (column: Column) => AsyncIterable<readonly Value[]> | Iterable<readonly Value[]>;

/**
 * The hash of a stored object's rows, equal to SortedRows.contentHash of the same rows. One column is in memory at a
 * time; of JSON, one row group's texts. `columns`: those of the object, in its order. Throws what `valuesOf` throws.
 */
export async function storedContentHash(columns: readonly Column[], valuesOf: StoredValues): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(columns.map(({ name, type }) => [name, type])));
  for (const column of columns) {
    if (column.type === 'json') await hashTexts(() => valuesOf(column), hash);
    else await hashBuffered(column, valuesOf(column), hash);
  }
  return hash.digest('hex');
}

async function hashBuffered(column: Column, groups: ReturnType<StoredValues>, into: Hash): Promise<void> {
  const buffer = column.name === 'id' ? new IntegerBuffer(true) : newBuffer(column);
  let rowCount = 0;
  for await (const values of groups) {
    for (const value of values) buffer.append(typeof value === 'boolean' ? null : value);
    rowCount += values.length;
  }
  buffer.hash(
    Uint32Array.from({ length: rowCount }, (_, row) => row),
    into,
  );
}

/** As LooseTextBuffer does: all lengths, then the texts. Several row groups are read twice. */
async function hashTexts(groups: () => ReturnType<StoredValues>, into: Hash): Promise<void> {
  const kept: (readonly Value[])[] = [];
  let groupCount = 0;
  for await (const values of groups()) {
    into.update(Float64Array.from(values, (value) => textLength(value)));
    groupCount += 1;
    kept[0] = values;
  }
  for await (const values of groupCount > 1 ? groups() : kept) {
    for (const value of values) if (typeof value === 'string') into.update(value, 'utf8');
  }
}

/** Bytes plus one; 0 for null. */
function textLength(value: Value): number {
  return typeof value === 'string' ? Buffer.byteLength(value) + 1 : 0;
}
