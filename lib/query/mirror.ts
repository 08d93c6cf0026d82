import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLES } from '../lake/tables.ts';
import type { PartitionRange } from './lake-database.ts';

const OBJECTS_AT_ONCE = 16;
const CHUNK_BYTES = 8 * 1024 * 1024;
const VERSIONS = '.versions.json';
const Versions = v.record(v.string(), v.string());

/** The folder in which the copies of a lake's objects are kept between queries. */
export function mirrorFolder(address: string): string {
  return join(tmpdir(), 'cfe-lake', createHash('sha256').update(address).digest('hex').slice(0, 16));
}

/** The tables that the SQL names; lines of comment say nothing. */
export function tablesIn(sql: string): string[] {
  const words = new Set(
    sql
      .replaceAll(/^\s*--.*$/gm, '')
      .toLowerCase()
      .match(/[a-z_]+/g),
  );
  return TABLES.map(({ name }) => name).filter((name) => words.has(name));
}

/**
 * Copies the tables' objects into a folder, so that DuckDB can read a lake in a bucket without an extension that
 * would have to be fetched first. An object whose version is there already is not read again; one that is gone
 * from the lake goes from the folder. Copies of other tables and partitions stay as they are, for the next question.
 * `onObject` is told of each object looked at.
 */
export async function mirrorTables(
  store: LakeStore,
  tableNames: readonly string[],
  range: PartitionRange,
  folder: string,
  onObject?: (key: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const known = await readVersions(folder);
  const isAsked = isWithin(tableNames, range);
  const current = Object.fromEntries(Object.entries(known).filter(([key]) => !isAsked(key)));
  await forEachAtOnce(keysOf(store, tableNames, isAsked), OBJECTS_AT_ONCE, async (key) => {
    const found = await store.find(key);
    if (found === undefined) return;
    if (known[key] !== found.version) await copy(store, key, join(folder, key));
    current[key] = found.version;
    onObject?.(key);
  });
  for (const key of Object.keys(known)) {
    if (current[key] === undefined) await rm(join(folder, key), { force: true });
  }
  await writeFile(join(folder, VERSIONS), JSON.stringify(current));
}

async function* keysOf(
  store: LakeStore,
  tableNames: readonly string[],
  isAsked: (key: string) => boolean,
): AsyncGenerator<string> {
  for (const name of tableNames) {
    for await (const key of store.list(name)) {
      if (isAsked(key) && key.endsWith('.parquet')) yield key;
    }
  }
}

function isWithin(
  tableNames: readonly string[],
  { from = '', to = '9999-12-31' }: PartitionRange,
): (key: string) => boolean {
  return (key) => {
    const [, table = '', day] = /^(\w+)\/\w+=(\d{4}-\d\d-\d\d)\//.exec(key) ?? [];
    return day !== undefined && day >= from && day <= to && tableNames.includes(table);
  };
}

async function copy(store: LakeStore, key: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const object = await store.open(key);
  const part = `${path}.part`;
  try {
    await writeFile(part, chunks(object));
    await rename(part, path);
  } finally {
    await object.close();
    await rm(part, { force: true });
  }
}

async function* chunks(object: {
  byteLength: number;
  slice(start: number, end: number): Promise<ArrayBuffer>;
}): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < object.byteLength; start += CHUNK_BYTES) {
    yield new Uint8Array(await object.slice(start, Math.min(object.byteLength, start + CHUNK_BYTES)));
  }
}

async function readVersions(folder: string): Promise<Record<string, string>> {
  try {
    return v.parse(Versions, JSON.parse(await readFile(join(folder, VERSIONS), 'utf8')));
  } catch {
    // None yet, or of another program: everything is copied.
    return {};
  }
}
