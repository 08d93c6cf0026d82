import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { rowsOf, type Value } from '../../../lib/lake/parquet/writer.ts';
import type { Column, ColumnType } from '../../../lib/lake/tables.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { anyText } from '../../support/texts.ts';
import { bytesOf, collected, column, EVERY_TYPE } from './files.ts';

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

const SOME: Readonly<Record<ColumnType, fc.Arbitrary<Value>>> = {
  int32: fc.integer(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  'decimal(17,2)': fc.bigInt({ min: -(10n ** 17n) + 1n, max: 10n ** 17n - 1n }),
  'decimal(17,6)': fc.bigInt({ min: -(10n ** 17n) + 1n, max: 10n ** 17n - 1n }),
  timestamp: fc.integer({ min: -1e15, max: 4e15 }).map(BigInt),
  date: fc.integer({ min: -10_000, max: 40_000 }),
  boolean: fc.boolean(),
  string: anyText(8),
  json: fc.json(),
};

describe('rows that are written', () => {
  it('are read back as they were, whatever their types', async () => {
    const row = fc.record(
      Object.fromEntries(
        EVERY_TYPE.map(({ name, type, required }) => [
          name,
          required === true
            ? SOME[type]
            : fc.option(fc.oneof(SOME[type], fc.constantFrom(...fc.sample(SOME[type], 2)))),
        ]),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
        const bytes = await bytesOf(writeWithHyparquet, EVERY_TYPE, rowsOf(EVERY_TYPE, rows));
        expect(await collected(readRows(bytes, EVERY_TYPE))).toEqual(rows);
      }),
    );
  });

  it.each<[ColumnType, Value]>([
    ['int32', 1.5],
    ['int32', 2 ** 53],
    ['int32', 5n],
    ['int64', 5],
    ['date', 'today'],
    ['timestamp', 10n ** 18n],
    ['decimal(17,2)', 10n ** 17n],
    ['string', 5],
    ['string', 'half a pair \ud800'],
    ['boolean', 1],
  ])('are refused where a %s is %s', async (type, value) => {
    const columns = [column('a', type)];
    for (const rows of [[{ a: value }], [{ a: null }, { a: value }]]) {
      await expect(bytesOf(writeWithHyparquet, columns, rowsOf(columns, rows))).rejects.toThrow(
        /Column a .* cannot hold .* Nothing is rounded/,
      );
    }
  });
});
