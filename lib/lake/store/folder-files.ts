import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, readdir, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  type ExitCode,
  hasCode,
  type SystemFault,
  systemFaultOf,
} from '../../errors.ts';
import { isFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../private-files.ts';

/** File operations of a lake in a folder. */

export async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', PRIVATE_FILE_MODE);
  try {
    let byteCount = 0;
    for await (const chunk of bytes) {
      await file.writeFile(chunk);
      byteCount += chunk.length;
    }
    await file.sync();
    return byteCount;
  } finally {
    await file.close();
  }
}

/** Removes a file, if there is one. `rm` would stat it first. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(ignoreMissing);
}

/** Removes empty folders below this one that have not changed since then. */
export async function removeEmptyFolders(root: string, writtenBeforeMs: number): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
  const old: string[] = [];
  for (const entry of entries.filter((each) => each.isDirectory())) {
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(ignoreMissing);
    if (found !== undefined && found.mtimeMs < writtenBeforeMs) old.push(path);
  }
  for (const path of old.sort().reverse()) {
    await rmdir(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) ignoreMissing(error);
    });
  }
}

/**
 * Makes the folder if needed, calls `put` to put a file into it, and syncs both, so that they outlast a crash of the
 * machine. Returns what `put` returns.
 */
export async function inMadeFolder<T>(folder: string, put: () => Promise<T>): Promise<T> {
  const firstNew = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const result = await put();
  await syncFolders(folder, firstNew === undefined ? folder : dirname(firstNew));
  return result;
}

/** Makes the folder and its parents, and tries to write a file in it. */
export async function makeWritableFolder(path: string): Promise<void> {
  await makeFolder(path);
  const trial = join(path, `.trial-${randomUUID()}`);
  try {
    await writeFile(trial, 'trial', { mode: PRIVATE_FILE_MODE });
  } finally {
    await rm(trial, { force: true });
  }
}

/** Makes the folder and its parents. `recursive` would never end where making a folder fails as missing. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path, PRIVATE_FOLDER_MODE).catch(async (error: unknown) => {
    // Another run may have made it meanwhile.
    if (!(await isFolder(path))) throw error;
  });
}

/** Syncs a folder, and those above it up to `last`. */
async function syncFolders(folder: string, last: string): Promise<void> {
  // Windows journals names, and cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (folder !== last) await syncFolders(dirname(folder), last);
}

/** The file's version; undefined if there is none. */
export async function versionAt(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(ignoreMissing);
  return stats && versionOf(stats);
}

export function versionOf({ ino, mtimeNs, size }: Pick<BigIntStats, 'ino' | 'mtimeNs' | 'size'>): string {
  return `${ino.toString(36)}-${mtimeNs.toString(36)}-${size.toString(36)}`;
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

export function noneIfMissing(error: unknown): [] {
  ignoreMissing(error);
  return [];
}

/** A file operation in the lake's folder failed. */
export class LakeFolderError extends CfeLakeError {
  override name = 'LakeFolderError';
  override readonly exitCode: ExitCode;
  readonly address: string;
  readonly code: string;

  constructor(address: string, whatFailed: string, fault: SystemFault) {
    const { code, reason, advice, exitCode } = fault;
    super(`The lake ${address}: ${whatFailed} failed: ${reason}${placeIn(address, fault)}.`, {
      advice: `${advice}. No object was left half-written.`,
    });
    this.address = address;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Which folder or file of the lake is at fault: one of many may belong to another user. */
function placeIn(address: string, { path, exitCode }: SystemFault): string {
  if (path === undefined || exitCode !== EXIT_WRONG_INPUT) return '';
  const place = relative(resolve(address), path);
  return place === '' || place.startsWith('.trial-') ? '' : ` at ${place}`;
}

/** Does the work. Of an error of the file system, throws a LakeFolderError that names the reason and what to do. */
export async function explained<T>(address: string, whatFailed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = systemFaultOf(error);
    throw fault === undefined ? error : new LakeFolderError(address, whatFailed, fault);
  }
}
