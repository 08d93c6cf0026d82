import { describe, expect, test } from 'vitest';
import { readFileMetadata, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { ALL_NULL, ALL_WRITERS, bytesOf, column, EVERY_TYPE } from './files.ts';

/** The bytes as a store serves them, in ranges. `fetched` counts the bytes sent. */
function remote(bytes: Buffer) {
  const file = {
    fetched: 0,
    byteLength: bytes.length,
    slice: async (start: number, end = bytes.length) => {
      file.fetched += end - start;
      return new Uint8Array(bytes.subarray(start, end)).buffer;
    },
  };
  return file;
}

describe.each(ALL_WRITERS)('a file of $name', ({ write }) => {
  test('states its row count, columns and metadata', async () => {
    const bytes = await bytesOf(write, EVERY_TYPE, [{ row: 1n, ...ALL_NULL }], { sha256: 'abc', empty: '' });

    expect(await readFileMetadata(bytes)).toEqual({
      rowCount: 1,
      rowGroupCount: 1,
      columnNames: EVERY_TYPE.map(({ name }) => name),
      metadata: { sha256: 'abc', empty: '' },
    });
  });

  test('is read from a store once: the footer alone, or all of it', async () => {
    const columns = [column('id', 'int64', true), column('otros', 'json')];
    const noise = (i: number) =>
      Array.from({ length: 12 }, (_, k) => Math.imul(i + 1, 2654435761 * (k + 3)).toString(36));
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: BigInt(i), otros: noise(i).join() }));
    const bytes = await bytesOf(write, columns, rows, { sha256: 'abc' });
    expect(bytes.length).toBeGreaterThan(1_000_000);

    const forMetadata = remote(bytes);
    expect(await readFileMetadata(forMetadata)).toMatchObject({
      rowCount: 20_000,
      metadata: { sha256: 'abc' },
    });
    expect(forMetadata.fetched).toBeLessThan(600_000);

    const forIds = remote(bytes);
    const ids = await Array.fromAsync(readRows(forIds, columns.slice(0, 1)));
    expect(ids).toEqual(rows.map(({ id }) => ({ id })));
    expect(forIds.fetched).toBe(bytes.length);
  });

  test('returns columns in the order asked for', async () => {
    const columns = [column('a', 'int64'), column('b', 'string')];
    const bytes = await bytesOf(write, columns, [{ a: 1n, b: 'x' }]);

    const groups = await Array.fromAsync(readRowGroups(bytes, columns.toReversed()));

    expect(groups).toEqual([{ rowCount: 1, columns: [['x'], [1n]] }]);
  });

  test('returns null for a column that it lacks', async () => {
    const bytes = await bytesOf(write, [column('id', 'int64')], [{ id: 1n }]);

    const rows = await Array.fromAsync(readRows(bytes, [column('later', 'string'), column('id', 'int64')]));

    expect(rows).toEqual([{ later: null, id: 1n }]);
  });

  test.each(EVERY_TYPE)('refuses to read column $name as another type', async ({ name, type }) => {
    const bytes = await bytesOf(write, EVERY_TYPE, [{ row: 1n, ...ALL_NULL }]);
    const texts = ['string', 'json'];

    for (const other of EVERY_TYPE) {
      if (other.type === type || (texts.includes(type) && texts.includes(other.type))) continue;
      const reading = Array.fromAsync(readRows(bytes, [column(name, other.type)]));
      await expect(reading, `${name} as ${other.type}`).rejects.toThrow(`its column ${name} is `);
    }
  });
});
