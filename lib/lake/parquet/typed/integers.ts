import { misfit } from '../ranges.ts';
import { ByteSink } from './byte-sink.ts';
import { MAX_DELTA_RANGE, MAX_INT32_DELTA_RANGE, writeDeltas } from './delta.ts';
import { integerDictionary } from './dictionary.ts';
import { type EncodedValues, type TypedChunkOptions, writeIndexes } from './encoded.ts';
import type { TypedIntegers } from './values.ts';

/** Undefined when one does not fit the column, or when they jump too far for deltas. There is one at least. */
export function encodedIntegers(
  typed: TypedIntegers,
  nullCount: number,
  options: TypedChunkOptions,
): EncodedValues | undefined {
  const { column, type, hasSmallDeltas } = options;
  const bounds = boundsOf(typed);
  const asValue = (value: number | bigint) => (type === 'INT64' ? BigInt(value) : value);
  if (misfit(column.type, asValue(bounds.least)) ?? misfit(column.type, asValue(bounds.greatest)))
    return undefined;
  const data = new ByteSink();
  // Amounts of 17 digits, which deltas and dictionaries don't suit; large ids are left to the general encoder.
  if (typed.large.size > 0) {
    if (hasSmallDeltas) return undefined;
    data.bytesOf(plainWords(typed, nullCount));
    return { encoding: 'PLAIN', data, bounds };
  }
  const values = withoutNulls(typed.values, nullCount);
  if (hasSmallDeltas && !hasFewDistinct(values)) {
    const maxRange = type === 'INT32' ? MAX_INT32_DELTA_RANGE : MAX_DELTA_RANGE;
    if (Number(bounds.greatest) - Number(bounds.least) >= maxRange) return undefined;
    writeDeltas(data, values);
    return { encoding: 'DELTA_BINARY_PACKED', data, bounds };
  }
  const dictionary = integerDictionary(values);
  if (dictionary === undefined) {
    data.bytesOf(plainIntegers(values, type));
    return { encoding: 'PLAIN', data, bounds };
  }
  const count = dictionary.distinct.length;
  writeIndexes(data, dictionary.indexes, count);
  const distinct = new ByteSink();
  distinct.bytesOf(plainIntegers(Float64Array.from(dictionary.distinct), type));
  return { encoding: 'RLE_DICTIONARY', data, dictionary: { data: distinct, count }, bounds };
}

function boundsOf({ values, large }: TypedIntegers): {
  least: number | bigint;
  greatest: number | bigint;
} {
  let least: number | bigint = Number.POSITIVE_INFINITY;
  let greatest: number | bigint = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    // Both comparisons fail for null, which is NaN.
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  for (const value of large.values()) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return { least, greatest };
}

function plainIntegers(values: Float64Array, type: TypedChunkOptions['type']): Int32Array {
  return type === 'INT64' ? plainWords({ values, large: NONE }, 0) : Int32Array.from(values);
}

const NONE: ReadonlyMap<number, bigint> = new Map();
const TWO_32 = 2 ** 32;

/** All that are not null as 64 bits, in two words each; little-endian, as every machine is that Node runs on. */
function plainWords(
  { values, large }: Pick<TypedIntegers, 'values' | 'large'>,
  nullCount: number,
): Int32Array {
  const words = new Int32Array((values.length - nullCount) * 2);
  let place = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (!Number.isNaN(value)) {
      const low = value >>> 0;
      words[place] = low;
      words[place + 1] = (value - low) / TWO_32;
      place += 2;
      continue;
    }
    const exact = large.get(index);
    if (exact === undefined) continue;
    words[place] = Number(BigInt.asIntN(32, exact));
    words[place + 1] = Number(exact >> 32n);
    place += 2;
  }
  return words;
}

function withoutNulls(values: Float64Array, nullCount: number): Float64Array {
  if (nullCount === 0) return values;
  const present = new Float64Array(values.length - nullCount);
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    present[count] = value;
    count += 1;
  }
  return present;
}

const SAMPLE_ROWS = 1000;

/** Whether a dictionary suits the column better than deltas, judged by rows spread over all of it. */
export function hasFewDistinct(values: ArrayLike<unknown>): boolean {
  const step = Math.max(1, Math.floor(values.length / SAMPLE_ROWS));
  const distinct = new Set<unknown>();
  let sampled = 0;
  for (let index = 0; index < values.length; index += step) {
    distinct.add(values[index]);
    sampled += 1;
  }
  return distinct.size * 4 < sampled;
}
