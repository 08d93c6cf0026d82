import type { Column } from '../tables.ts';

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
  /** About how many bytes the texts of a row have; absent: so few that the number of rows bounds them. */
  textBytes?(row: number): number;
}

export interface ParquetFile {
  columns: readonly Column[];
  /** Rows that are divided into row groups, or row groups as they are to be. */
  rows: RowSource | AsyncIterable<RowSource>;
  /** Key-value pairs of the footer; looked at when all rows are written. */
  metadata: Readonly<Record<string, string>>;
}

/**
 * Encodes a file and yields its bytes in order. The same file gives the same bytes: nothing of the clock,
 * the machine or the run goes in. Throws a ValueOutOfRangeError rather than write an approximate value.
 */
export type ParquetWriter = (file: ParquetFile) => AsyncIterable<Uint8Array>;

/** The footer's `created_by`. Constant, for the bytes' sake; a form that Java readers can parse. */
export const CREATED_BY = 'cfe-lake version 1';

/** The footer's key-value pairs in one order, whatever order they were given in. */
export function footerPairs(file: ParquetFile): { key: string; value: string }[] {
  return Object.entries(file.metadata)
    .map(([key, value]) => ({ key, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
