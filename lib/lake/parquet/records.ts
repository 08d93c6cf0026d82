import type { Column } from '../tables.ts';
import { typedOf } from './typed/of-values.ts';
import type { RowSource, Value } from './writer.ts';

/** A row by column name, for tables of few rows. */
export type Row = Readonly<Record<string, Value>>;

/** Rows as the writers take them; a column that a row lacks is null. */
export function rowsOf(columns: readonly Column[], rows: readonly Row[]): RowSource {
  const values = (columnIndex: number, start: number, end: number): Value[] => {
    const name = columns[columnIndex]?.name ?? '';
    return rows.slice(start, end).map((row) => row[name] ?? null);
  };
  return {
    rowCount: rows.length,
    values,
    typedValues: (columnIndex, start, end) => {
      const column = columns[columnIndex];
      return column && typedOf(column, values(columnIndex, start, end));
    },
  };
}
