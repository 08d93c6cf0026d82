import thrift, { type Statistics, type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import plain from 'parquetjs-lite/lib/codec/plain.js';
import type { Field } from 'parquetjs-lite/lib/schema.js';
import type { ColumnValues } from '../column-values.ts';
import type { Value } from '../writer.ts';

// Longer bounds would make the footer heavier than what they save in reading.
const MAX_BOUND_BYTES = 64;

/** Null count, least and greatest value of a column in a row group; no bounds when they are long texts. */
export function encodedStatistics(field: Field, { nullCount, bounds }: ColumnValues): ThriftStruct {
  const statistics: Partial<Statistics> = { null_count: nullCount };
  if (bounds !== undefined) {
    const least = encodedBound(field, bounds.least);
    const greatest = encodedBound(field, bounds.greatest);
    if (Math.max(least.length, greatest.length) <= MAX_BOUND_BYTES) {
      statistics.min_value = least;
      statistics.max_value = greatest;
    }
  }
  return new thrift.Statistics(statistics);
}

function encodedBound(field: Field, value: NonNullable<Value>): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  return plain.encodeValues(field.primitiveType, [value], {});
}
