import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { tableObject } from '../lake/layout.ts';
import type { Table } from '../lake/tables.ts';

/** An object that a table is read from, as a file. */
export interface LakeFile {
  table: Table;
  /** The day of its partition, `YYYY-MM-DD`. */
  day: string;
  /** Below the folder of the lake, with `/` between its parts. */
  path: string;
}

/** What there is to ask, and how much else lies among it. */
export interface Listing<File extends LakeFile = LakeFile> {
  files: readonly File[];
  /** Links, and names that no export gives: they are not read. Hidden ones don't count; Athena skips them too. */
  strangeCount: number;
}

/** Days of the partitions to ask, `YYYY-MM-DD`; a bound left out is open. */
export interface PartitionRange {
  from?: string;
  to?: string;
}

export function isWithin({ from = '', to = '9999-12-31' }: PartitionRange, day: string): boolean {
  return day >= from && day <= to;
}

/** The tables' objects in a folder. No link is followed: it may lead out of the lake. */
export async function listFolder(folder: string, tables: readonly Table[]): Promise<Listing> {
  const files: LakeFile[] = [];
  let strangeCount = 0;
  for (const { name } of tables) {
    for (const { path, isFile } of await entriesBelow(folder, name)) {
      const found = isFile ? tableObject(path) : undefined;
      if (found !== undefined) files.push({ ...found, path });
      else if (!isHidden(path)) strangeCount += 1;
    }
  }
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), strangeCount };
}

export function isHidden(key: string): boolean {
  return /(^|\/)[._][^/]*$/.test(key);
}

/** All but folders; the table's own folder where that is none. */
async function entriesBelow(folder: string, name: string): Promise<{ path: string; isFile: boolean }[]> {
  const top = await lstat(join(folder, name)).catch(() => undefined);
  if (top === undefined) return [];
  if (!top.isDirectory()) return [{ path: name, isFile: false }];
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({
      path: relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'),
      isFile: entry.isFile(),
    }));
}

const FILES_AT_ONCE = 16;

/**
 * Gives the files, as they stand now, a second name below another folder, so that a question reads what was there when
 * it began, whatever is replaced meanwhile; where no name can lead to them (another disk, another user's), a copy.
 * Gives those that are still there.
 */
export async function holdFiles<File extends LakeFile>(
  files: readonly File[],
  from: string,
  to: string,
): Promise<File[]> {
  const held = new Set<File>();
  await forEachConcurrent(files, FILES_AT_ONCE, async (file) => {
    const source = join(from, file.path);
    const target = join(to, file.path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    try {
      await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE));
      held.add(file);
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone) throw error;
    }
  });
  return files.filter((file) => held.has(file));
}
