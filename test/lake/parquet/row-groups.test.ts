import { describe, expect, test } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import type { RowSource, Value } from '../../../lib/lake/parquet/writer.ts';
import { partOf, rowsOf } from '../../../lib/lake/parquet/writer.ts';
import { campaign, itLong } from '../../support/campaign.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { queryFile } from './duckdb.ts';
import { ALL_WRITERS, bytesOf, column } from './files.ts';

const COLUMNS = [
  column('id', 'int64', true),
  column('total', 'decimal(17,2)'),
  column('serie', 'string'),
  column('numero', 'int32'),
];

/** The value of a row, computed, so that comparing a large file needs no copy of its rows. */
function valueAt(columnIndex: number, row: number): Value {
  switch (columnIndex) {
    case 0:
      return 9_007_199_254_740_993n + BigInt(row) * 3n;
    case 1:
      return row % 11 === 0 ? null : BigInt((row * 7919) % 1_000_003) - 500_000n;
    case 2:
      return row % 13 === 0 ? null : `S${(row * 31) % 700}`;
    default:
      return row % 9_999_999;
  }
}

const valuesOf = (columnIndex: number, start: number, end: number): Value[] =>
  Array.from({ length: end - start }, (_, i) => valueAt(columnIndex, start + i));

async function rowsOfGroups(bytes: Uint8Array): Promise<(Value | undefined)[]> {
  const groups = await queryFile(
    bytes,
    'SELECT DISTINCT row_group_id AS id, row_group_num_rows AS rows FROM parquet_metadata(FILE) ORDER BY 1',
  );
  return groups.map(({ rows }) => rows);
}

describe.each(ALL_WRITERS)('$name', ({ write }) => {
  const ALL = campaign({ quick: 110_000, long: 250_000 });

  // `npm test` tries the writer that is used unless another one is asked for.
  const testFull = write === writeWithHyparquet ? test : itLong;
  testFull(`writes ${ALL} rows as row groups of 100,000 that both readers give back equal`, async () => {
    const bytes = await bytesOf(write, COLUMNS, { rowCount: ALL, values: valuesOf });

    const full = Array.from({ length: Math.floor(ALL / 100_000) }, () => 100_000n);
    expect(await rowsOfGroups(bytes)).toEqual([...full, BigInt(ALL % 100_000)]);

    let rowCount = 0;
    for await (const group of readRowGroups(bytes, COLUMNS)) {
      const firstRow = rowCount;
      rowCount += group.rowCount;
      const expected = COLUMNS.map((_, index) => valuesOf(index, firstRow, rowCount));
      expect(group.columns).toEqual(expected);
    }
    expect(rowCount).toBe(ALL);

    const differing = await queryFile(
      bytes,
      `SELECT count(*) AS rows, count(*) FILTER (
         id IS DISTINCT FROM 9007199254740993 + n * 3
         OR total IS DISTINCT FROM CASE WHEN n % 11 <> 0 THEN ((n * 7919) % 1000003 - 500000) * 0.01::DECIMAL(3,2) END
         OR serie IS DISTINCT FROM CASE WHEN n % 13 <> 0 THEN 'S' || (n * 31) % 700 END
         OR numero IS DISTINCT FROM n % 9999999
       ) AS differing
       FROM (SELECT *, file_row_number AS n FROM read_parquet(FILE, file_row_number = true))`,
    );
    expect(differing).toEqual([{ rows: BigInt(ALL), differing: 0n }]);
  });

  test('reads no row group of more rows than any has: a few bytes may claim millions', async () => {
    async function* one() {
      yield {
        rowCount: 100_001,
        values: (_column: number, from: number, to: number) => Array(to - from).fill(1n),
      };
    }
    const bytes = await bytesOf(write, [column('id', 'int64', true)], one());
    await expect(readRowGroups(bytes, []).next()).rejects.toThrow(
      'a row group of it has more than 100000 rows',
    );
  });

  test('yields each row group before it asks for the rows of the next', async () => {
    const asked: number[] = [];
    const rows: RowSource = {
      rowCount: 200_001,
      values: (columnIndex, start, end) => {
        asked.push(start);
        return valuesOf(columnIndex, start, end);
      },
    };
    const askedAtYield: number[][] = [];

    for await (const _bytes of write({ columns: COLUMNS.slice(0, 1), rows, metadata: {} })) {
      askedAtYield.push([...asked]);
    }

    expect(askedAtYield.slice(0, 3)).toEqual([[0], [0, 100_000], [0, 100_000, 200_000]]);
  });

  test('ends a row group before the row whose texts would exceed 32 MB', async () => {
    const megabytes = [10, 10, 10, 10, 20, 3, 100, 1, 31, 2];
    const rows: RowSource = {
      rowCount: megabytes.length,
      values: valuesOf,
      textBytes: (row) => (megabytes[row] ?? 0) * 2 ** 20,
    };

    const bytes = await bytesOf(write, COLUMNS, rows);

    expect(await rowsOfGroups(bytes)).toEqual([3n, 2n, 1n, 1n, 2n, 1n]);
    const ids = (await Array.fromAsync(readRows(bytes, COLUMNS.slice(0, 1)))).map(({ id }) => id);
    expect(ids).toEqual(valuesOf(0, 0, megabytes.length));
  });

  test('takes row groups as they are to be', async () => {
    async function* groups() {
      yield partOf({ rowCount: 9, values: valuesOf }, 0, 4);
      yield partOf({ rowCount: 9, values: valuesOf }, 4, 9);
    }

    const bytes = await bytesOf(write, COLUMNS, groups());

    expect(await rowsOfGroups(bytes)).toEqual([4n, 5n]);
    const columns = COLUMNS.map((_, index) => valuesOf(index, 0, 4));
    expect(await Array.fromAsync(readRowGroups(bytes, COLUMNS))).toMatchObject([
      { columns },
      { rowCount: 5 },
    ]);
  });

  test('names the row of the file that does not fit, whatever its row group', async () => {
    async function* groups() {
      yield rowsOf([column('a', 'int32')], [{ a: 1 }, { a: 2 }]);
      yield rowsOf([column('a', 'int32')], [{ a: 3 }, { a: 2 ** 31 }]);
    }

    await expect(bytesOf(write, [column('a', 'int32')], groups())).rejects.toThrow('row 3: cannot hold');
  });

  test('does not change the values that it was given', async () => {
    const columns = [column('a', 'string'), column('b', 'json'), column('c', 'int64')];
    const values = [
      ['x', null, 'x'],
      ['{}', '[]', null],
      [1n, 1n, null],
    ];

    await bytesOf(write, columns, { rowCount: 3, values: (index) => Object.freeze(values[index] ?? []) });

    expect(values).toEqual([
      ['x', null, 'x'],
      ['{}', '[]', null],
      [1n, 1n, null],
    ]);
  });
});
