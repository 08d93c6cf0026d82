import { createHash, randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fsync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  hasCode,
  type SystemFault,
  systemFaultOf,
  WrongInputError,
} from '../../system/errors.ts';
import { PRIVATE_FILE_MODE } from '../../system/private-files.ts';
import {
  assertNoLinkIn,
  assertOpenedIn,
  entriesAt,
  isLink,
  isRealFolder,
  makeFolder,
} from '../../system/private-folders.ts';
import type { Language } from '../../text/language.ts';
import { LOCK_FOLDER } from '../layout.ts';
import { DamagedObjectError } from '../parquet/reader.ts';
import { LAKE } from '../phrases.ts';
import { type ObjectBytes, ObjectMissingError, type StoredObject } from './store.ts';

const syncFile = promisify(fsync);

/** A name for a file that is being written. */
export function newPartName(): string {
  return `${randomUUID()}.part`;
}

/** Whether it is such a name. */
export function isPartName(name: string): boolean {
  return /^[\da-f-]{36}\.part$/.test(name);
}

/** Writes a new file. Only its sync waits for the disk: another thread for the rest would take longer. */
export async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const file = openSync(path, 'wx', PRIVATE_FILE_MODE);
  try {
    let byteCount = 0;
    for await (const chunk of bytes) {
      writeFileSync(file, chunk);
      byteCount += chunk.length;
    }
    await syncFile(file);
    return byteCount;
  } finally {
    closeSync(file);
  }
}

/** Removes a file, if there is one. `rm` would stat it first. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

/** Removes the empty folders below this one, which may be no link. */
export async function removeEmptyFolders(root: string): Promise<void> {
  if (!isRealFolder(root)) return;
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
  const folders = entries.filter((entry) => entry.isDirectory());
  const deepestFirst = folders
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .reverse();
  for (const folder of deepestFirst) await rmdir(folder).catch(() => undefined);
}

/**
 * Puts files into folders of a lake, so that they outlast a crash of the machine. Folders are synced in rounds, one after
 * the other: all that put files meanwhile share the next one, and are told when it has ended.
 */
export class SyncedFolders {
  /** The round that has not begun, by folder. */
  private next: Map<string, Promise<void>> | undefined;
  private begins: Promise<unknown> = Promise.resolve();
  private ends: Promise<unknown> = Promise.resolve();
  private readonly root: string;

  /** `root`: of the lake. */
  constructor(root: string) {
    this.root = root;
  }

  /** Makes the folder if needed (makeFolder), calls `put` to put a file into it, and syncs both. Returns what `put` returns. */
  async inMadeFolder<T>(folder: string, put: () => Promise<T>): Promise<T> {
    const firstNew = makeFolder(folder, this.root);
    const result = await put();
    const last = firstNew === undefined ? folder : dirname(firstNew);
    const changed = [folder];
    for (let path = folder; path !== last; path = dirname(path)) changed.push(dirname(path));
    await Promise.all(changed.map((path) => this.sync(path)));
    return result;
  }

  private sync(folder: string): Promise<void> {
    const round = this.next ?? this.newRound();
    const sync = round.get(folder) ?? this.begins.then(() => syncFolder(folder));
    round.set(folder, sync);
    return sync;
  }

  private newRound(): Map<string, Promise<void>> {
    const round = new Map<string, Promise<void>>();
    this.next = round;
    this.begins = this.ends.then(() => {
      this.next = undefined;
    });
    this.ends = this.begins.then(() => Promise.allSettled(round.values()));
    return round;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows journals names, and cannot open folders.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    await syncFile(handle);
  } finally {
    closeSync(handle);
  }
}

/** The file's version; undefined if there is none. */
export function versionAt(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && versionOf(stats);
}

function versionOf({ ino, mtimeNs, size }: Pick<BigIntStats, 'ino' | 'mtimeNs' | 'size'>): string {
  return `${ino.toString(36)}-${mtimeNs.toString(36)}-${size.toString(36)}`;
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

export function noneIfMissing(error: unknown): [] {
  ignoreMissing(error);
  return [];
}

/** Which folder or file of the lake is at fault: one of many may belong to another user. */
function placeIn(address: string, { path, exitCode }: SystemFault): string {
  if (path === undefined || exitCode !== EXIT_WRONG_INPUT) return '';
  const place = relative(resolve(address), path);
  return place === '' || place.startsWith(LOCK_FOLDER) ? '' : ` at ${place}`;
}

/** Does the work. Turns a file system error into one that says why and what to do. */
export async function explained<T>(address: string, whatFailed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = systemFaultOf(error);
    if (fault === undefined) throw error;
    const said = (language: Language) => systemFaultOf(error, language) ?? fault;
    throw new CfeLakeError(
      (language) =>
        LAKE.fileFault(address, whatFailed, said(language).reason + placeIn(address, fault))(language),
      {
        advice: (language) => `${said(language).advice}. ${LAKE.isWhole()(language)}`,
        exitCode: fault.exitCode,
      },
    );
  }
}

const HASHED_AT_ONCE = 2 ** 20;

/** The hash of all its bytes, in hexadecimal. */
export async function sha256Of({ byteLength, slice }: ObjectBytes): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < byteLength; start += HASHED_AT_ONCE)
    hash.update(new Uint8Array(await slice(start, Math.min(start + HASHED_AT_ONCE, byteLength))));
  return hash.digest('hex');
}

/** Folders that are listed before others have their turn. */
const LISTED_AT_ONCE = 64;

/**
 * All that is below a folder of a lake, but folders, whoever put it there: by its path in the lake, with `/` between its
 * parts. Links are not followed. None where there is no folder. Throws WrongInputError for a link on the way to it, and
 * ObjectMissingError where another lake took the place of this one meanwhile: list again.
 */
export async function entriesBelow(
  lake: string,
  folder: string,
): Promise<{ path: string; isFile: boolean }[]> {
  assertNoLinkIn(lake, join(lake, folder));
  const inodeOf = () => statSync(lake, { throwIfNoEntry: false })?.ino;
  const inode = inodeOf();
  const found: { path: string; isFile: boolean }[] = [];
  const folders = [folder];
  for (let count = 1; folders.length > 0; count += 1) {
    const parent = folders.pop() ?? folder;
    const entries = entriesAt(lake, join(lake, parent));
    // What took the place of a folder is no file of the lake.
    if (entries === undefined && parent !== folder) found.push({ path: parent, isFile: false });
    for (const entry of entries ?? []) {
      const path = `${parent}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else found.push({ path, isFile: entry.isFile() });
    }
    if (count % LISTED_AT_ONCE === 0) await nextTurn();
  }
  if (inodeOf() !== inode) throw new ObjectMissingError(folder, lake);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** An open file: all of it is of one version, whatever happens to its name meanwhile. */
export interface FolderObject extends ObjectBytes, Pick<StoredObject, 'storedAtMs'> {}

/** Of a link, a pipe, a socket or a device, which a lake that was sent may hold in place of any file. */
function specialFileError(key: string, address: string): CfeLakeError {
  return key.endsWith('.parquet')
    ? new DamagedObjectError(`${key} in ${address}`, 'it is a link, a pipe, a socket or a device')
    : new WrongInputError(LAKE.specialFile(key, address), { advice: LAKE.removeSpecialFile() });
}

/** A pipe is not waited for, nor a link followed that just took the file's place (Windows has neither). */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const SPECIAL = ['ELOOP', 'ENXIO', 'EOPNOTSUPP'];

/**
 * Opens the object's file, in this folder if it is given. Throws ObjectMissingError, WrongInputError where it is elsewhere,
 * and where there is no ordinary file DamagedObjectError for Parquet, else WrongInputError.
 */
export async function openObject(
  path: string,
  key: string,
  address: string,
  folder?: string,
): Promise<FolderObject> {
  if (isLink(path)) throw specialFileError(key, address);
  const file = await open(path, AT_ONCE).catch((error: unknown) => {
    if (SPECIAL.some((code) => hasCode(error, code))) throw specialFileError(key, address);
    throw isMissing(error) ? new ObjectMissingError(key, address) : error;
  });
  const stats = await file.stat({ bigint: true }).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const name = `${key} in ${address}`;
  try {
    // Of a folder the system says that it is one.
    if (!stats.isFile() && !stats.isDirectory()) throw specialFileError(key, address);
    if (folder !== undefined) assertOpenedIn(folder, path, file.fd);
  } catch (error) {
    await file.close();
    throw isMissing(error) ? new ObjectMissingError(key, address) : error;
  }
  const size = Number(stats.size);
  return {
    name,
    byteLength: size,
    version: versionOf(stats),
    storedAtMs: Number(stats.mtimeMs),
    slice: (start, end = size) =>
      explained(address, `reading ${key}`, async () => {
        const buffer = new ArrayBuffer(Math.max(0, end - start));
        const { bytesRead } = await file.read(new Uint8Array(buffer), 0, buffer.byteLength, start);
        return bytesRead === buffer.byteLength ? buffer : buffer.slice(0, bytesRead);
      }),
    close: () => file.close(),
  };
}
