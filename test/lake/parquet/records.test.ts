import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../../lib/lake/parquet/writer.ts';
import type { Column } from '../../../lib/lake/tables.ts';

const COLUMNS: readonly Column[] = [
  { name: 'a', type: 'int32', meaning: '' },
  { name: 'b', type: 'string', meaning: '' },
];

describe('rows by column name', () => {
  const rows = rowsOf(COLUMNS, [{ a: 1, b: 'x' }, { b: 'y' }, { a: 3, other: 9 }]);

  it('are given column by column, null where a row has no value', () => {
    expect(rows.rowCount).toBe(3);
    expect(rows.values(0, 0, 3)).toEqual([1, null, 3]);
    expect(rows.values(1, 0, 3)).toEqual(['x', 'y', null]);
  });

  it('are given in pieces, and none for a column that does not exist', () => {
    expect(rows.values(0, 1, 2)).toEqual([null]);
    expect(rows.values(1, 2, 2)).toEqual([]);
    expect(rows.values(2, 0, 3)).toEqual([null, null, null]);
  });

  it('may be false, zero or empty text', () => {
    expect(rowsOf(COLUMNS, [{ a: 0, b: '' }]).values(0, 0, 1)).toEqual([0]);
    expect(rowsOf(COLUMNS, [{ a: 0, b: '' }]).values(1, 0, 1)).toEqual(['']);
  });
});
