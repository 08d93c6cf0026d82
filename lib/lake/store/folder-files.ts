import { createHash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
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
import { type ObjectBytes, ObjectMissingError, type StoredObject } from './store.ts';

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

/** Makes the folder and its parents. `recursive` would never end where mkdir always fails with ENOENT. */
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

function versionOf({ ino, mtimeNs, size }: Pick<BigIntStats, 'ino' | 'mtimeNs' | 'size'>): string {
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

  constructor(address: string, whatFailed: string, fault: SystemFault) {
    const { reason, advice, exitCode } = fault;
    super(`The lake ${address}: ${whatFailed} failed: ${reason}${placeIn(address, fault)}.`, {
      advice: `${advice}. No object was left half-written.`,
    });
    this.exitCode = exitCode;
  }
}

/** Which folder or file of the lake is at fault: one of many may belong to another user. */
function placeIn(address: string, { path, exitCode }: SystemFault): string {
  if (path === undefined || exitCode !== EXIT_WRONG_INPUT) return '';
  const place = relative(resolve(address), path);
  return place === '' || place.startsWith('.trial-') ? '' : ` at ${place}`;
}

/** Does the work. Turns a file system error into a LakeFolderError that says why and what to do. */
export async function explained<T>(address: string, whatFailed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = systemFaultOf(error);
    throw fault === undefined ? error : new LakeFolderError(address, whatFailed, fault);
  }
}

const HASHED_AT_ONCE = 8 * 2 ** 20;
const PARQUET_MAGIC = 'PAR1';
/** The magic at both ends, and the footer's length. */
const SMALLEST_FILE_BYTES = 12;

/** An open file: all of it is of one version, whatever happens to its name meanwhile. */
export interface FolderObject extends ObjectBytes, Pick<StoredObject, 'storedAtMs'> {}

/** Opens the object's file. Throws ObjectMissingError. */
export async function openObject(path: string, key: string, address: string): Promise<FolderObject> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw isMissing(error) ? new ObjectMissingError(key, address) : error;
  });
  return await closedOnFailure(file, async () => {
    const stats = await file.stat({ bigint: true });
    const size = Number(stats.size);
    const slice = (start: number, end = size) => readSlice(file, start, end);
    return {
      name: `${key} in ${address}`,
      byteLength: size,
      version: versionOf(stats),
      storedAtMs: Number(stats.mtimeMs),
      fingerprint: async () => {
        const hash = createHash('sha256');
        for (let start = 0; start < size; start += HASHED_AT_ONCE) {
          hash.update(new Uint8Array(await slice(start, Math.min(size, start + HASHED_AT_ONCE))));
        }
        return hash.digest('hex');
      },
      slice,
      close: () => file.close(),
    };
  });
}

async function readSlice(file: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const length = Math.max(0, end - start);
  const buffer = new ArrayBuffer(length);
  const { bytesRead } = await file.read(new Uint8Array(buffer), 0, length, start);
  return bytesRead === length ? buffer : buffer.slice(0, bytesRead);
}

/** Does the first work with what was opened. Closes it if that fails. */
export async function closedOnFailure<T>(
  opened: Pick<ObjectBytes, 'close'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Whether the object should be Parquet: all are, but for a few small ones beside the tables. */
export function isParquetKey(key: string): boolean {
  return key.endsWith('.parquet');
}

/** Whether it begins and ends as Parquet does. */
export async function isParquet({ byteLength, slice }: ObjectBytes): Promise<boolean> {
  if (byteLength < SMALLEST_FILE_BYTES) return false;
  const ends = await Promise.all([slice(0, PARQUET_MAGIC.length), slice(byteLength - PARQUET_MAGIC.length)]);
  return ends.every((end) => Buffer.from(end).toString('latin1') === PARQUET_MAGIC);
}
