import { canonicalJson, ExactNumber, readInt64 } from '../../json/exact-json.ts';
import type { Column, ColumnType } from '../tables.ts';
import type { ColumnBuffer } from './buffers.ts';
import { scaledAmount } from './decimal.ts';
import { localTimestamp } from './timestamp.ts';

/**
 * How a value of the API's object fits its column. `cutOff`: the column holds all but a digit beyond its
 * precision, and the whole text belongs into `otros`. `misfit`: of another type, or too large; the column stays
 * null and the value goes to `otros`.
 */
export type Fit = 'fits' | 'cutOff' | 'misfit';

/** Appends what a column can take of a value, null for a misfit. */
export type FieldReader = (value: unknown, into: ColumnBuffer) => Fit;

function append(value: number | bigint | string | undefined, into: ColumnBuffer): Fit {
  into.append(value ?? null);
  return value === undefined ? 'misfit' : 'fits';
}

const readText: FieldReader = (value, into) =>
  // Half a surrogate pair has no UTF-8 form; in `otros` it stays, escaped.
  append(typeof value === 'string' && value.isWellFormed() ? value : undefined, into);

const readInt32: FieldReader = (value, into) =>
  append(typeof value === 'number' && (value | 0) === value ? value + 0 : undefined, into);

const readTimestamp: FieldReader = (value, into) => {
  const timestamp = typeof value === 'string' ? localTimestamp(value) : undefined;
  append(timestamp?.micros, into);
  if (timestamp === undefined) return 'misfit';
  return timestamp.isWhole ? 'fits' : 'cutOff';
};

/**
 * JSON text with sorted keys. A number of more than 15 digits, or with an exponent, is a text there: Athena and DuckDB
 * read a number in JSON as a double, and would give another one.
 */
function documentText(value: unknown): string {
  return canonicalJson(value, ({ source }) => JSON.stringify(source));
}

const readObject: FieldReader = (value, into) => {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
  return append(isObject ? documentText(value) : undefined, into);
};

const readArray: FieldReader = (value, into) =>
  append(Array.isArray(value) ? documentText(value) : undefined, into);

const READERS: Partial<Record<ColumnType, FieldReader>> = {
  int32: readInt32,
  int64: (value, into) => append(readInt64(value), into),
  'decimal(17,2)': (value, into) => append(scaledAmount(value), into),
  timestamp: readTimestamp,
  string: readText,
};

/** How to read the wire value of a column. Throws for a type that the API has no values of. */
export function fieldReader(column: Column): FieldReader {
  const reader = column.type === 'json' ? jsonReader(column) : READERS[column.type];
  if (reader === undefined) throw new TypeError(`column ${column.name}: no wire value is a ${column.type}`);
  return reader;
}

function jsonReader({ shape }: Column): FieldReader | undefined {
  if (shape === undefined) return undefined;
  return shape === 'array' ? readArray : readObject;
}
