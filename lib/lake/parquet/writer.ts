import type { Column } from '../tables.ts';
import type { TypedValues } from './typed/values.ts';

/**
 * One value of a column as the writers take it, by the column's type:
 * int32: number; int64: bigint; decimal(17,2): bigint, scaled by 100; timestamp: bigint, microseconds
 * since 1970-01-01T00:00:00 of the local clock; date: number, days since 1970-01-01; boolean; string and
 * json: string.
 */
export type Value = bigint | number | boolean | string | null;

/** Rows to be written, column by column, so that a writer can take one row group at a time. */
export interface RowSource {
  rowCount: number;
  /** Values of the column at this index of `columns`, for rows from `start` (included) to `end` (excluded). */
  values(columnIndex: number, start: number, end: number): readonly Value[];
  /** The same as they lie in memory, where they do: a writer that takes these is several times as fast. */
  typedValues?(columnIndex: number, start: number, end: number): TypedValues | undefined;
}

export interface ParquetFile {
  columns: readonly Column[];
  rows: RowSource;
  /** Key-value pairs of the footer. */
  metadata: Readonly<Record<string, string>>;
}

/**
 * Encodes a file and yields its bytes in order. The same file gives the same bytes: nothing of the clock,
 * the machine or the run goes in. Throws a ValueOutOfRangeError rather than write an approximate value.
 */
export type ParquetWriter = (file: ParquetFile) => AsyncIterable<Uint8Array>;

/** Rows per row group: constant, so that files of any size read in bounded memory. */
export const ROW_GROUP_ROWS = 100_000;

/** The footer's `created_by`. Constant, for the bytes' sake; a form that Java readers can parse. */
export const CREATED_BY = 'cfe-lake version 1';

/** The footer's key-value pairs in one order, whatever order they were given in. */
export function footerPairs(file: ParquetFile): { key: string; value: string }[] {
  return Object.entries(file.metadata)
    .map(([key, value]) => ({ key, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
