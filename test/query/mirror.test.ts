import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/records.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { openLakeDatabase } from '../../lib/query/lake-database.ts';
import { mirrorTables, tablesIn } from '../../lib/query/mirror.ts';

let folder: string;
let opened: string[];
let store: FolderStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  opened = [];
  store = new FolderStore(join(folder, 'lake'));
  const open = store.open.bind(store);
  store.open = (key) => {
    opened.push(key);
    return open(key);
  };
});
afterEach(() => rm(folder, { recursive: true }));

async function write(day: string, ids: readonly bigint[]) {
  const { columns } = RECIBIDOS;
  const key = `recibidos/fecha=${day}/219999830019.parquet`;
  const rows = rowsOf(
    columns,
    ids.map((id) => ({ id, rut: '219999830019' })),
  );
  const bytes = writeWithHyparquet({ columns, rows, metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected: await store.find(key) });
}

async function mirroredIds(range = {}) {
  opened = [];
  const mirror = join(folder, 'mirror');
  await mirrorTables(store, ['recibidos'], range, mirror);
  const database = await openLakeDatabase(mirror, range);
  const reader = await database.connection.runAndReadAll('SELECT id FROM recibidos ORDER BY id');
  database.close();
  return reader.getRows().map(([id]) => id);
}

describe('the copy of a lake that DuckDB reads', () => {
  it('holds what the lake holds, also after an object was replaced or removed', async () => {
    await write('2026-11-18', [1n, 2n]);
    await write('2026-11-19', [3n]);
    expect(await mirroredIds()).toEqual([1n, 2n, 3n]);
    await write('2026-11-19', [3n, 4n]);
    await store.remove('recibidos/fecha=2026-11-18/219999830019.parquet');
    expect(await mirroredIds()).toEqual([3n, 4n]);
  });

  it('reads an object once, as long as it stays as it is', async () => {
    await write('2026-11-19', [1n]);
    await mirroredIds();
    const openedForTheFirstCopy = opened.length;
    await mirroredIds();
    // What is left is the footer, which tells a folder's version.
    expect([openedForTheFirstCopy, opened.length]).toEqual([2, 1]);
  });

  it('reads only the partitions that were asked for', async () => {
    await write('2026-11-18', [1n]);
    await write('2026-11-19', [2n]);
    expect(await mirroredIds({ from: '2026-11-19' })).toEqual([2n]);
    expect(await mirroredIds({ to: '2026-11-18' })).toEqual([1n]);
    // What was copied is kept, and shown when it is asked for.
    expect(await mirroredIds()).toEqual([1n, 2n]);
    expect(opened.filter((key) => key.endsWith('.parquet'))).toHaveLength(2);
  });

  it('keeps the copies of other tables', async () => {
    await write('2026-11-18', [1n]);
    await mirroredIds();
    await mirrorTables(store, ['emitidos'], {}, join(folder, 'mirror'));
    opened = [];
    const database = await openLakeDatabase(join(folder, 'mirror'));
    const reader = await database.connection.runAndReadAll('SELECT count(*) FROM recibidos');
    database.close();
    expect(reader.getRows()).toEqual([[1n]]);
    expect(database.emptyTables).not.toContain('recibidos');
  });
});

it('takes the tables from the words of the SQL', () => {
  expect(tablesIn('SELECT * FROM Recibidos r JOIN cambios USING (id)')).toEqual(['recibidos', 'cambios']);
  expect(tablesIn('SELECT 1')).toEqual([]);
  expect(tablesIn('-- beside cambios\nSELECT * FROM emitidos -- or recibidos')).toEqual([
    'recibidos',
    'emitidos',
  ]);
});
