import { CfeLakeError } from '../../system/errors.ts';
import { DAY_MS } from '../../time/days.ts';
import type { Column, ColumnType, Table } from '../tables.ts';
import type { RowSource, Value } from './writer.ts';

const MAX_DECIMAL = 10n ** 17n - 1n;

// Years 0001 to 9999: the range that all readers of the lake (Athena, DuckDB, Arrow) agree on.
const FIRST_DAY = Date.parse('0001-01-01T00:00:00Z') / DAY_MS;
const LAST_DAY = Date.parse('9999-12-31T00:00:00Z') / DAY_MS;

interface Range {
  kind: 'number' | 'bigint' | 'boolean' | 'string';
  /** The least value that fits; text has none. */
  least?: number | bigint;
  greatest?: number | bigint;
}

/** The values that a column of each type can hold. Of numbers, integers only. */
const RANGES: Readonly<Record<ColumnType, Range>> = {
  int32: { kind: 'number', least: -(2 ** 31), greatest: 2 ** 31 - 1 },
  int64: { kind: 'bigint', least: -(2n ** 63n), greatest: 2n ** 63n - 1n },
  'decimal(17,2)': { kind: 'bigint', least: -MAX_DECIMAL, greatest: MAX_DECIMAL },
  'decimal(17,6)': { kind: 'bigint', least: -MAX_DECIMAL, greatest: MAX_DECIMAL },
  timestamp: {
    kind: 'bigint',
    least: BigInt(FIRST_DAY * DAY_MS) * 1000n,
    greatest: BigInt((LAST_DAY + 1) * DAY_MS) * 1000n - 1n,
  },
  date: { kind: 'number', least: FIRST_DAY, greatest: LAST_DAY },
  boolean: { kind: 'boolean' },
  string: { kind: 'string' },
  json: { kind: 'string' },
};

/**
 * Why a column of this type cannot hold the value exactly, without showing the value; undefined if it can. Null always
 * fits: the type does not say whether a column may be null.
 */
function misfit(type: ColumnType, value: Value | undefined): string | undefined {
  if (value === null) return undefined;
  const { kind, least, greatest } = RANGES[type];
  if (typeof value !== kind || value === undefined) return `a value of type ${typeof value}`;
  if (typeof value === 'string') {
    // A lone surrogate has no UTF-8 form: an encoder would replace it.
    return value.isWellFormed() ? undefined : 'text with a lone surrogate';
  }
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number that is not an integer';
  if (least !== undefined && value < least) return `a value below its least, ${least}`;
  if (greatest !== undefined && value > greatest) return `a value above its greatest, ${greatest}`;
  return undefined;
}

/** The values of one column in one row group, all checked to fit, with their statistics. */
export interface ColumnValues {
  values: readonly Value[];
  nullCount: number;
  /** The least and the greatest value; texts compare by their UTF-8 bytes. Absent when all are null, and for JSON. */
  bounds?: { least: NonNullable<Value>; greatest: NonNullable<Value> };
}

/**
 * Takes the values of a column from a row group that begins at row `firstRow` of the file. Throws
 * for the first value that the column cannot hold.
 */
export function columnValues(
  group: RowSource,
  column: Column,
  columnIndex: number,
  firstRow: number,
): ColumnValues {
  const { rowCount } = group;
  const values = group.values(columnIndex, 0, rowCount);
  if (values.length !== rowCount) {
    throw new RangeError(
      `Column ${column.name}: ${values.length} values came for ${rowCount} rows from row ${firstRow}`,
    );
  }
  // One quick pass over all values. Only if it finds a misfit are they checked one by one.
  const summary =
    RANGES[column.type].kind === 'string' ? textSummary(column, values) : scalarSummary(column, values);
  if (summary === undefined || (column.required && summary.nullCount > 0)) {
    throw firstMisfit(column, values, firstRow);
  }
  return { values, ...summary };
}

type Summary = Omit<ColumnValues, 'values'>;

function textSummary({ type }: Column, values: readonly Value[]): Summary | undefined {
  let nullCount = 0;
  let least: string | undefined;
  let greatest: string | undefined;
  for (const value of values) {
    if (value === null) {
      nullCount++;
      continue;
    }
    if (value === least || value === greatest) continue;
    if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
    // Nobody filters by a whole document, and long bounds would bloat the footer.
    if (type === 'json') continue;
    if (least === undefined || greatest === undefined) {
      least = value;
      greatest = value;
    } else if (isBefore(value, least)) least = value;
    else if (isBefore(greatest, value)) greatest = value;
  }
  if (least === undefined || greatest === undefined) return { nullCount };
  return { nullCount, bounds: { least, greatest } };
}

function scalarSummary(column: Column, values: readonly Value[]): Summary | undefined {
  const { kind } = RANGES[column.type];
  let nullCount = 0;
  let least: NonNullable<Value> | undefined;
  let greatest: NonNullable<Value> | undefined;
  for (const value of values) {
    if (value === null) {
      nullCount++;
      continue;
    }
    if (typeof value !== kind || (kind === 'number' && value !== Math.floor(Number(value)))) return undefined;
    if (least === undefined || greatest === undefined) {
      least = value;
      greatest = value;
    } else if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  if (least === undefined || greatest === undefined) return { nullCount };
  // The others lie between these two.
  if (misfit(column.type, least) ?? misfit(column.type, greatest)) return undefined;
  return { nullCount, bounds: { least, greatest } };
}

/**
 * Names the first value that the column cannot hold exactly: a 22-digit amount, an id past 64 bits, a number in a text
 * column, a null in a required one. The message does not show the value, which is a customer's data.
 */
function firstMisfit(column: Column, values: readonly Value[], start: number): CfeLakeError {
  const reasons = values.map((value) =>
    value === null && column.required ? 'null: it is required' : misfit(column.type, value),
  );
  const index = reasons.findIndex((reason) => reason !== undefined);
  // `start`: the row in the file, from 0.
  const place = `Column ${column.name} (${column.type}), row ${start + index}`;
  return new CfeLakeError(`${place}: cannot hold ${reasons[index]}.`, {
    advice: 'Nothing is rounded: pass null and keep the value in otros.',
  });
}

/** Whether `a` comes before `b` in the order of their UTF-8 bytes, which `<` on strings does not give. */
function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length < b.length;
  return placeInUtf8Order(a.charCodeAt(i)) < placeInUtf8Order(b.charCodeAt(i));
}

// Surrogates encode code points above U+FFFF, so they come after U+E000 to U+FFFF.
function placeInUtf8Order(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const MICROS_PER_SECOND = 1_000_000n;

/** A value as exact text: `-0.05`, `2026-11-19T23:59:59.123456`. Null stays null. */
export function valueText(type: ColumnType, value: Value): string | null {
  if (value === null) return null;
  if (type === 'decimal(17,2)' && typeof value === 'bigint') return decimalText(value, 2);
  if (type === 'decimal(17,6)' && typeof value === 'bigint') return decimalText(value, 6);
  if (type === 'timestamp' && typeof value === 'bigint') return timestampText(value);
  if (type === 'date' && typeof value === 'number') {
    return new Date(value * DAY_MS).toISOString().slice(0, 10);
  }
  return String(value);
}

/** A row as a JSON object of texts by column name, without nulls. */
export function rowText(table: Table, values: readonly Value[]): string {
  const members = table.columns.flatMap(({ name, type }, index) => {
    const text = valueText(type, values[index] ?? null);
    return text === null ? [] : [[name, text]];
  });
  return JSON.stringify(Object.fromEntries(members));
}

function decimalText(scaled: bigint, scale: number): string {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0');
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function timestampText(micros: bigint): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return fraction === 0n ? seconds : `${seconds}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}
