import { describe, expect, test } from 'vitest';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import type { ColumnType } from '../../../lib/lake/tables.ts';
import { ALL_WRITERS, bytesOf, column } from './files.ts';

const REFUSED: [ColumnType, string, Value][] = [
  ['int32', 'one past the greatest', 2_147_483_648],
  ['int32', 'one past the least', -2_147_483_649],
  ['int32', 'a fraction', 1.5],
  ['int32', 'NaN', Number.NaN],
  ['int32', 'infinity', Number.POSITIVE_INFINITY],
  ['int32', 'a bigint', 1n],
  ['int32', 'text', '1'],
  ['int64', 'one past the greatest', 2n ** 63n],
  ['int64', 'one past the least', -(2n ** 63n) - 1n],
  ['int64', 'what wraps to zero', 2n ** 64n],
  ['int64', 'a number', 1],
  ['decimal(17,2)', '18 digits', 10n ** 17n],
  ['decimal(17,2)', '18 digits, negative', -(10n ** 17n)],
  ['decimal(17,2)', '22 digits', 1_234_567_890_123_456_789_012n],
  ['decimal(17,2)', 'a float', 617.5],
  ['timestamp', 'the year 0', -62_135_596_800_000_001n],
  ['timestamp', 'the year 10000', 253_402_300_800_000_000n],
  ['timestamp', 'a number', 1_763_510_400_000_000],
  ['date', 'the year 0', -719_163],
  ['date', 'the year 10000', 2_932_897],
  ['date', 'part of a day', 0.5],
  ['boolean', 'a number', 1],
  ['boolean', 'text', 'true'],
  ['string', 'a number', 1],
  ['string', 'a lone surrogate', 'half \ud83e of a pair'],
  ['json', 'a boolean', true],
  ['json', 'a lone surrogate', '"\udd80"'],
];

describe.each(ALL_WRITERS)('$name refuses', ({ write }) => {
  test.each(REFUSED)('in %s: %s', async (type, _what, value) => {
    const columns = [column('before', 'int64', true), column('odd', type)];
    const rows = [
      { before: 1n, odd: null },
      { before: 2n, odd: null },
      { before: 3n, odd: value },
    ];

    const written = bytesOf(write, columns, rows);

    await expect(written).rejects.toThrow(/^Column odd \(.*\), row 2: cannot hold .* Nothing is rounded/);
  });

  test('null in a required column, and names the row in the file, not in the row group', async () => {
    const rows = {
      rowCount: 100_003,
      values: (_column: number, start: number, end: number) =>
        Array.from({ length: end - start }, (_, i) => (start + i === 100_001 ? null : 1)),
    };

    const written = bytesOf(write, [column('a', 'int32', true)], rows);

    await expect(written).rejects.toThrow('Column a (int32), row 100001: cannot hold null: it is required.');
  });

  test('without showing the value', async () => {
    const written = bytesOf(write, [column('a', 'int32')], [{ a: 'PRIVATE' }]);

    await expect(written).rejects.toThrow(/^(?!.*PRIVATE).*Column a \(int32\), row 0/);
  });

  test('a source that gives fewer values than rows', async () => {
    const rows = { rowCount: 2, values: () => [1] };

    await expect(bytesOf(write, [column('a', 'int32')], rows)).rejects.toThrow(
      'Column a: 1 values came for 2 rows from row 0',
    );
  });
});
