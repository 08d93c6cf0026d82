import { readInt64 } from '../../api/json.ts';
import type { Column, ColumnType } from '../tables.ts';
import { scaledAmount } from './decimal.ts';
import { localTimestamp } from './timestamp.ts';

/** A value of the API's object, read for its column. */
export type FieldReading =
  | { kind: 'fits'; value: number | bigint | string }
  /** The column holds all but a digit beyond its precision; the whole text belongs into `otros`. */
  | { kind: 'cutOff'; value: number | bigint }
  /** Of another type, or too large: the column stays null and the value goes to `otros`. */
  | { kind: 'misfit' };

export type FieldReader = (value: unknown) => FieldReading;

const MISFIT: FieldReading = { kind: 'misfit' };

function fitting(value: number | bigint | string | undefined): FieldReading {
  return value === undefined ? MISFIT : { kind: 'fits', value };
}

function readText(value: unknown): FieldReading {
  // Half a surrogate pair has no UTF-8 form; in `otros` it stays, escaped.
  return typeof value === 'string' && value.isWellFormed() ? { kind: 'fits', value } : MISFIT;
}

function readInt32(value: unknown): FieldReading {
  return typeof value === 'number' && (value | 0) === value ? { kind: 'fits', value: value + 0 } : MISFIT;
}

function readTimestamp(value: unknown): FieldReading {
  const timestamp = typeof value === 'string' ? localTimestamp(value) : undefined;
  if (timestamp === undefined) return MISFIT;
  return { kind: timestamp.isWhole ? 'fits' : 'cutOff', value: timestamp.micros };
}

const READERS: Partial<Record<ColumnType, FieldReader>> = {
  int32: readInt32,
  int64: (value) => fitting(readInt64(value)),
  'decimal(17,2)': (value) => fitting(scaledAmount(value)),
  timestamp: readTimestamp,
  string: readText,
};

/** How to read the wire value of a column. Throws for a type that the API has no values of. */
export function fieldReader(column: Column): FieldReader {
  const reader = READERS[column.type];
  if (reader === undefined) throw new TypeError(`column ${column.name}: no wire value is a ${column.type}`);
  return reader;
}
