import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../../lib/lake/parquet/writer.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import type { Column } from '../../../lib/lake/tables.ts';
import { readRows } from './read-rows.ts';

/** A folder for all tests of a file. It goes with the folder of the whole run. */
export function sharedFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cfe-lake-'));
}

/** A folder for the running test, removed when it ends. */
export function newFolder(): string {
  const folder = sharedFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const COLUMNS: readonly Column[] = [{ name: 'label', type: 'string', meaning: 'Which object it is' }];

/** The bytes of an object with this label in its rows and in its metadata. */
export function objectOf(label: string): AsyncIterable<Uint8Array> {
  const rows = rowsOf(
    COLUMNS,
    Array.from({ length: 50 }, () => ({ label })),
  );
  return writeWithHyparquet({ columns: COLUMNS, rows, metadata: { label } });
}

/** The label in all rows of the object, which must be that of its metadata; undefined if there is no object. */
export async function labelOf(store: LakeStore, key: string): Promise<string | undefined> {
  const found = await store.find(key);
  if (found === undefined) return undefined;
  const bytes = await store.open(key);
  try {
    const labels = new Set<unknown>([found.metadata.label]);
    for await (const row of readRows(bytes, COLUMNS)) labels.add(row.label);
    return [...labels].join(' and ');
  } finally {
    await bytes.close();
  }
}

/** Every file below the folder but that of its lock, relative to it, in alphabetical order. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => file !== join('.lock', 'lock'))
    .sort();
}
