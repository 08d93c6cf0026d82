import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { TABLES, type Table } from '../../lib/lake/tables.ts';
import type { DatabaseLimits } from '../../lib/query/database-limits.ts';
import { type MirrorLimits, openLake } from '../../lib/query/open-lake.ts';
import { ask } from '../../lib/query/question.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { askServer } from '../support/aws/asked-server.ts';
import { clientSettings } from '../support/aws/aws-server.ts';
import { StandInBucket } from '../support/aws/bucket.ts';
import { startAwsStandIn } from '../support/aws/stand-in.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';

const RUT = '219999830019';
const LAKE = 's3://lake/receipts';
const IDS = 'SELECT id FROM recibidos ORDER BY id';

const standIn = await startAwsStandIn();
const client = new S3Client(clientSettings(standIn));
const store = new S3Store(client, { bucket: 'lake', prefix: 'receipts' });
afterAll(async () => {
  client.destroy();
  await standIn.close();
});

let bucket: StandInBucket;
let caches: string;
/** Where copies of objects are kept. */
let mirrors: string;
beforeEach(() => {
  standIn.disturb = undefined;
  bucket = new StandInBucket();
  standIn.s3.buckets.set('lake', bucket);
  caches = newFolder();
  mirrors = join(caches, 'cfe-lake/lakes');
  askServer(standIn.url, caches);
});

function bytesOf(ids: readonly bigint[], name = 'recibidos'): AsyncIterable<Uint8Array> {
  const { columns } = tableOf(name);
  const rows = rowsOf(
    columns,
    ids.map((id) => ({ id, rut: RUT })),
  );
  return writeWithHyparquet({ columns, rows, metadata: {} });
}

function tableOf(name: string): Table {
  const table = TABLES.find((known) => known.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}

function keyOf(day: string, table = 'recibidos'): string {
  return `${table}/fecha=${day}/dia.parquet`;
}

async function write(key: string, ids: readonly bigint[]): Promise<void> {
  await store.replace(key, bytesOf(ids), { metadata: {}, expected: await store.find(key) });
}

/** Puts an object under any key, even one that no export writes. */
async function plant(key: string, ids: readonly bigint[]): Promise<void> {
  bucket.put(`receipts/${key}`, await buffer(bytesOf(ids)), {}, {});
}

/** The ids of the answer, and the keys that were read for it. */
async function asked(sql = IDS, range = {}, mirrorLimits?: MirrorLimits, limits?: DatabaseLimits) {
  standIn.requests.length = 0;
  const lake = await openLake(LAKE, [sql], range, { mirrorLimits, limits });
  try {
    const { rows } = await ask(lake, sql);
    return {
      ids: rows.map(([id]) => Number(id)),
      read: keysRead(),
      others: [...(lake.store.foreignNames ?? [])],
    };
  } finally {
    lake.close();
  }
}

function keysRead(): string[] {
  const reads = standIn.requests.map(
    (request) => /^GET \/lake\/receipts\/([^?]+)\?x-id=GetObject/.exec(request)?.[1],
  );
  return reads
    .filter((key) => key !== undefined)
    .map(decodeURIComponent)
    .sort();
}

function copies(): string[] {
  return existsSync(mirrors) ? filesIn(mirrors) : [];
}

describe('the copy of a lake that DuckDB reads', () => {
  it('holds what the lake holds, even after an object was replaced or removed', async () => {
    await write(keyOf('2026-11-18'), [1n, 2n]);
    await write(keyOf('2026-11-19'), [3n]);
    expect((await asked()).ids).toEqual([1, 2, 3]);
    await write(keyOf('2026-11-19'), [3n, 4n]);
    await store.remove(keyOf('2026-11-18'));
    expect((await asked()).ids).toEqual([3, 4]);
    // Neither the removed one nor the older version is kept.
    expect(copies()).toHaveLength(1);
  });

  it('reads an object once, as long as it stays as it is, and copies it again when its copy is cut', async () => {
    await write(keyOf('2026-11-19'), [1n]);
    expect((await asked()).read).toEqual([keyOf('2026-11-19')]);
    expect(await asked()).toMatchObject({ ids: [1], read: [] });
    truncateSync(join(mirrors, copies()[0] ?? ''), 100);
    expect(await asked()).toMatchObject({ ids: [1], read: [keyOf('2026-11-19')] });
  });

  it('holds only the days that the question needs, by its conditions or by its range', async () => {
    for (const [index, day] of ['2026-11-17', '2026-11-18', '2026-11-19'].entries()) {
      await write(keyOf(day), [BigInt(index)]);
    }
    const answer = await asked(`SELECT id FROM recibidos WHERE fecha = DATE '2026-11-18'`);
    expect(answer).toMatchObject({ ids: [1], read: [keyOf('2026-11-18')] });
    expect(await asked(IDS, { from: '2026-11-19' })).toMatchObject({ ids: [2], read: [keyOf('2026-11-19')] });
    expect(await asked(IDS, { to: '2026-11-16' })).toMatchObject({ ids: [], read: [] });
    expect(copies()).toHaveLength(2);
    expect(await asked()).toMatchObject({ ids: [0, 1, 2], read: [keyOf('2026-11-17')] });
  });

  it('keeps the copies of other tables', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    await asked();
    await asked('SELECT id FROM emitidos');
    expect((await asked()).read).toEqual([]);
  });

  it('copies nothing for a question that can’t be asked', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    for (const sql of ['SELECT no_such FROM recibidos', 'SELEC id FROM recibidos', 'COPY recibidos TO "x"']) {
      await expect(asked(sql)).rejects.toThrow();
      expect(keysRead()).toEqual([]);
    }
  });

  it('takes one request an object, one list a table and one for the note', async () => {
    for (const day of ['2026-11-17', '2026-11-18', '2026-11-19'])
      await write(`recibidos/fecha=${day}/dia.parquet`, [1n]);
    await asked();
    const kinds = standIn.requests.map((request) =>
      request.replace(/^(\w+) .*(list-type=2|GetObject).*/, '$1 $2'),
    );
    expect(kinds.sort()).toEqual([...Array(3).fill('GET GetObject'), ...Array(2).fill('GET list-type=2')]);
  });

  it('is listed a thousand objects at a time, whether or not the question names its days', async () => {
    await write(keyOf('2026-11-19'), [1n]);
    const { bytes } = bucket.find(`receipts/${keyOf('2026-11-19')}`);
    const days = daysBetween('2023-11-01', '2026-11-18');
    for (const day of days) bucket.put(`receipts/${keyOf(day)}`, bytes, {}, {});
    const limits = { keptBytes: 2 ** 30, openObjects: 2, openBytes: 2 ** 20 };
    for (const condition of ['', ` WHERE fecha = DATE '2026-11-19'`]) {
      await asked(`SELECT id FROM recibidos${condition}`, {}, limits).catch(() => undefined);
      const lists = standIn.requests.filter((request) => request.includes('list-type=2'));
      expect({ days: days.length, lists: lists.length }).toEqual({ days: 1114, lists: 2 + 1 });
    }
  });

  it('is held for a question, whatever another one removes', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    const limits = { keptBytes: 0, openObjects: 10, openBytes: 2 ** 20 };
    const first = await openLake(LAKE, [IDS], {}, { mirrorLimits: limits });
    await write(keyOf('2026-11-18'), [2n]);
    expect((await asked(IDS, {}, limits)).ids).toEqual([2]);
    expect(copies()).toEqual([]);
    expect((await ask(first, IDS)).rows).toEqual([['1']]);
    first.close();
    expect(filesIn(caches)).toEqual([]);
  });

  it('is made again when another question removes it before it is held', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    await write(keyOf('2026-11-19'), [2n]);
    let copied = 0;
    const onObject = () => {
      copied += 1;
      if (copied === 2) rmSync(join(mirrors, copies()[0] ?? ''));
    };
    const lake = await openLake(LAKE, [IDS], {}, { onObject });
    expect((await ask(lake, IDS)).rows).toEqual([['1'], ['2']]);
    lake.close();
  });

  it('is not completed after Ctrl-C', async () => {
    const days = daysBetween('2026-10-01', '2026-11-19');
    for (const day of days) await write(keyOf(day), [1n]);
    const interruption = new AbortController();
    const onObject = () => interruption.abort(new Error('interrupted'));
    const opened = openLake(LAKE, [IDS], {}, { signal: interruption.signal, onObject });
    await expect(opened).rejects.toThrow('interrupted');
    expect(keysRead().length).toBeLessThan(days.length);
  });

  it('begins again when an object is replaced while it is copied', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    await write(keyOf('2026-11-19'), [2n]);
    let isReplaced = false;
    const replacement = await buffer(bytesOf([5n]));
    standIn.disturb = ({ method, path }) => {
      if (method === 'GET' && path.endsWith('.parquet') && !isReplaced) {
        isReplaced = true;
        bucket.put(`receipts/${keyOf('2026-11-18')}`, replacement, {}, {});
      }
      return undefined;
    };
    expect((await asked()).ids).toEqual([2, 5]);
    expect(copies()).toHaveLength(2);
  });
});

describe('the place of the copies', () => {
  it('is for this user alone: folders 0700, files 0600', async () => {
    await write(keyOf('2026-11-18'), [1n]);
    await asked();
    const entries = readdirSync(caches, { recursive: true, withFileTypes: true });
    expect(entries.length).toBeGreaterThan(5);
    for (const entry of entries) {
      const { mode } = statSync(join(entry.parentPath, entry.name));
      expect((mode & 0o777).toString(8), entry.name).toEqual(entry.isDirectory() ? '700' : '600');
    }
  });

  it('is not used where others may write, and the question is refused', async () => {
    mkdirSync(mirrors, { recursive: true, mode: 0o777 });
    await write(keyOf('2026-11-18'), [1n]);
    await expect(asked()).rejects.toThrow(/cfe-lake is open to others \(mode 7.5, not 700\)/);
    expect(copies()).toEqual([]);
  });

  it('holds nothing of what others left where it once was', async () => {
    const shared = newFolder();
    vi.stubEnv('TMPDIR', shared);
    const victim = join(shared, 'victim');
    writeFileSync(victim, 'mine');
    const name = createHash('sha256').update(LAKE).digest('hex').slice(0, 16);
    const former = join(shared, 'cfe-lake', name);
    mkdirSync(former, { recursive: true });
    writeFileSync(join(former, '.versions.json'), JSON.stringify({ '../../victim': '"gone"' }));
    await write(keyOf('2026-11-18'), [1n]);
    expect((await asked()).ids).toEqual([1]);
    expect(existsSync(victim)).toBe(true);
    expect(filesIn(shared)).toEqual([`cfe-lake/${name}/.versions.json`, 'victim']);
  });

  it('accepts no object that an export would not write, and counts them', async () => {
    const others = [
      'recibidos/fecha=2026-11-18/../../../../../escaped.parquet',
      'recibidos/../../../escaped.parquet',
      'recibidos/fecha=2026-11-18/a\\..\\..\\escaped.parquet',
      'recibidos/fecha=2026-13-45/a.parquet',
      'recibidos/fecha_corrida=2026-11-18/a.parquet',
      'recibidos/fecha=2026-11-18/inner/a.parquet',
      'recibidos/fecha=2026-11-18/a*.parquet',
      'recibidos/fecha=2026-11-18/a.txt',
      'recibidos/fecha=2026-11-18/\u001b[2Ja.parquet',
    ];
    const folder = 'recibidos/fecha=2026-11-18/a.parquet/';
    await write(keyOf('2026-11-18'), [1n]);
    for (const key of [...others, folder]) await plant(key, [666n]);
    const read = [keyOf('2026-11-18')];
    expect(await asked()).toEqual({ ids: [1], read, others: others.toSorted() });
    expect(filesIn(caches)).toEqual([
      expect.stringMatching(/^cfe-lake\/lakes\/\w{32}\/recibidos\/fecha=2026-11-18\/\w{32}\.parquet$/),
    ]);
  });

  it('has a size limit: what was unused for longest goes first, of whatever lake', async () => {
    const days = ['2026-11-16', '2026-11-17', '2026-11-18'];
    for (const [index, day] of days.entries()) await write(keyOf(day), [BigInt(index)]);
    const questionOf = (day: string) => `SELECT id FROM recibidos WHERE fecha = DATE '${day}'`;
    const pathOfDay = (day: string) => join(mirrors, copies().find((path) => path.includes(day)) ?? '');
    const other = join(mirrors, 'f'.repeat(32), 'emitidos', 'fecha=2020-01-01');
    await asked(questionOf('2026-11-16'));
    await asked(questionOf('2026-11-17'));
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'x.parquet'), 'x'.repeat(1000));
    utimesSync(join(other, 'x.parquet'), 1000, 1000);
    for (const [index, day] of days.slice(0, 2).entries())
      utimesSync(pathOfDay(day), 2000 + index, 2000 + index);
    // The second-oldest copy is used again.
    await asked(questionOf('2026-11-16'));
    const { size } = statSync(pathOfDay('2026-11-16'));
    await asked(
      questionOf('2026-11-18'),
      {},
      { keptBytes: 2.5 * size, openObjects: 10, openBytes: 10 * size },
    );
    expect(copies().map((path) => path.split('/').at(-2))).toEqual(['fecha=2026-11-16', 'fecha=2026-11-18']);
  });
});

describe('a question that names no first day of a large lake', () => {
  const limits = { keptBytes: 2 ** 30, openObjects: 2, openBytes: 2 ** 20 };
  const days = ['2026-11-16', '2026-11-17', '2026-11-18'];
  beforeEach(async () => {
    for (const [index, day] of days.entries()) await write(keyOf(day), [BigInt(index)]);
  });

  it.each([[limits], [{ ...limits, openObjects: 10, openBytes: 1000 }]])(
    'is refused with what it would copy, before anything is (%j)',
    async (small) => {
      for (const sql of [IDS, `SELECT id FROM recibidos WHERE fecha <= DATE '2026-11-18'`]) {
        await expect(asked(sql, {}, small)).rejects.toThrow(
          'This question needs all days of recibidos: 3 objects, 1 MiB, would be copied from s3://lake/receipts. ' +
            "Name its first day, in WHERE fecha >= DATE '…', or by --from (and --to).",
        );
        expect(keysRead()).toEqual([]);
      }
    },
  );

  it('is answered when it does, by its conditions or by --from, however much that is', async () => {
    const bounded = `SELECT id FROM recibidos WHERE fecha >= DATE '2000-01-01' ORDER BY id`;
    expect((await asked(bounded, {}, limits)).ids).toEqual([0, 1, 2]);
    expect((await asked(IDS, { from: '2000-01-01' }, limits)).ids).toEqual([0, 1, 2]);
  });

  it('is refused of who may take so much disk alone', async () => {
    const bounded = `SELECT id FROM recibidos WHERE fecha >= DATE '2000-01-01' ORDER BY id`;
    const size = bucket.find(`receipts/${keyOf('2026-11-18')}`).bytes.length;
    const may = (spillBytes: number) => ({ memoryBytes: 2 ** 30, spillBytes });
    await expect(asked(bounded, {}, undefined, may(2.5 * size))).rejects.toThrow(
      'This question needs many days of recibidos: 3 objects, 1 MiB, would be copied from s3://lake/receipts. ' +
        'Ask for fewer days at a time, by fecha in WHERE.',
    );
    expect(keysRead()).toEqual([]);
    expect((await asked(bounded, {}, undefined, may(3.5 * size))).ids).toEqual([0, 1, 2]);
  });

  it('has what a killed one left removed before it copies', async () => {
    const left = join(mirrors, 'other', 'x.parquet');
    const seen: boolean[] = [];
    const onObject = () => void seen.push(existsSync(left));
    const mirrorLimits = { ...limits, keptBytes: 0, openObjects: 3 };
    mkdirSync(dirname(left), { recursive: true, mode: 0o700 });
    writeFileSync(left, 'x');
    (await openLake(LAKE, [IDS], {}, { mirrorLimits, onObject })).close();
    expect(seen).toEqual([false, false, false]);
  });

  it('is answered if the lake is small', async () => {
    rmSync(mirrors, { recursive: true, force: true });
    expect((await asked(IDS, {}, { ...limits, openObjects: 3 })).ids).toEqual([0, 1, 2]);
  });
});
