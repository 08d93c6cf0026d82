import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { forEachConcurrent } from '../concurrency.ts';
import { tableObject } from '../lake/layout.ts';
import type { Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';

/** A file that a table reads. */
export interface LakeFile {
  table: Table;
  /** The day of its partition, `YYYY-MM-DD`. */
  day: Day;
  /** Relative to the lake's folder, with `/` between its parts. */
  path: string;
}

/** The files of the tables, and the number of other entries among them. */
export interface Listing<File extends LakeFile = LakeFile> {
  files: readonly File[];
  /** Links, and names that no export writes: not read. Hidden entries, which Athena skips too, do not count. */
  strangeCount: number;
}

/** The tables' files in a folder. Links are not followed: they may lead out of the lake. */
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

/** All entries but folders. If the table's folder is not a folder, that entry. */
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
 * Hard-links the files into another folder, so that a question reads what was there when it began, whatever is replaced
 * meanwhile. Copies them if they cannot be linked (another disk, another user's file). Returns those that still exist.
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
