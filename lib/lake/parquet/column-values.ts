import type { Column } from '../tables.ts';
import { ValueOutOfRangeError } from './errors.ts';
import { misfit, RANGES } from './ranges.ts';
import type { RowSource, Value } from './writer.ts';

/** The values of one column in one row group, each of them sure to fit, and what statistics need of them. */
export interface ColumnValues {
  values: readonly Value[];
  nullCount: number;
  /** The least and the greatest value, text by its UTF-8 bytes; absent when all are null, and for JSON. */
  bounds?: { least: NonNullable<Value>; greatest: NonNullable<Value> };
}

/**
 * Takes the values of a column of a row group, whose first row is this one of the file. Throws a
 * ValueOutOfRangeError for the first that the column cannot hold.
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
  // One quick pass for all; only when it doubts something are the values looked at one by one.
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
    // Nobody filters by a whole document, and documents are long: bounds would only make the footer heavy.
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

function firstMisfit(column: Column, values: readonly Value[], start: number): ValueOutOfRangeError {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const reason = value === null && column.required ? 'null: it is required' : misfit(column.type, value);
    if (reason !== undefined) return new ValueOutOfRangeError(column, start + i, reason);
  }
  return new ValueOutOfRangeError(column, start, 'one of the values from this row on');
}

/** Whether `a` comes before `b` in the order of their UTF-8 bytes, which `<` on strings does not give. */
export function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length < b.length;
  return utf8Rank(a.charCodeAt(i)) < utf8Rank(b.charCodeAt(i));
}

// Surrogates stand for code points above U+FFFF, so they rank above the units from U+E000 on.
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
