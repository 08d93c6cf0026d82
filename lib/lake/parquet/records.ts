import type { Column } from '../tables.ts';
import type { RowSource, Value } from './writer.ts';

/** A row by column name, for tables of few rows. */
export type Row = Readonly<Record<string, Value>>;

/** Rows as the writers take them; a column that a row lacks is null. */
export function rowsOf(columns: readonly Column[], rows: readonly Row[]): RowSource {
  return {
    rowCount: rows.length,
    values: (columnIndex, start, end) => {
      const name = columns[columnIndex]?.name ?? '';
      return rows.slice(start, end).map((row) => row[name] ?? null);
    },
  };
}
