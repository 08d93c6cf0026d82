import { createHash, randomUUID } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { lstat, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isHidden, isWritten, tableObject } from '../lake/layout.ts';
import { entriesBelow, ignoreMissing, openObject, versionAt } from '../lake/store/folder-files.ts';
import { type LakeStore, type ListedObject, ObjectChangedError } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { WrongInputError } from '../system/errors.ts';
import { hasOtherOwner, privateCacheFolder, privateCacheFolderIfThere } from '../system/private-folders.ts';
import { DAY_MS, type Day } from '../time/days.ts';

export interface LakeFile {
  table: Table;
  day: Day;
  /** Relative to the lake's folder, with `/` between its parts. */
  path: string;
}

/** The files of the tables, and other entries among them. */
interface Listing {
  files: readonly LakeFile[];
  /** Links, and names that no export writes: not read. Hidden entries are not among them. */
  foreignNames: readonly string[];
}

/** The tables' files in a folder. Links are not followed: they may lead out of the lake. */
export async function listFolder(folder: string, tables: readonly Table[]): Promise<Listing> {
  const files: LakeFile[] = [];
  const foreignNames: string[] = [];
  for (const { name } of tables) {
    const top = await lstat(join(folder, name)).catch(() => undefined);
    // A link, or a file, in its place.
    if (top?.isDirectory() === false) foreignNames.push(name);
    else
      for (const { path, isFile } of await entriesBelow(folder, name)) {
        const found = isFile ? tableObject(path) : undefined;
        if (found !== undefined) files.push({ ...found, path });
        else if (!isHidden(path) && !(isFile && isWritten(path))) foreignNames.push(path);
      }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), foreignNames };
}

/** A question would copy more of a lake that is on another disk, or another user's, than it may take of this one. */
export class CopiesTooLargeError extends WrongInputError {
  override name = 'CopiesTooLargeError';
  constructor(from: string, held: string, mostBytes: number) {
    const megabytes = Math.floor(mostBytes / 2 ** 20);
    super(
      `The files of ${from} can't be linked to from ${dirname(held)}, and copies of them would take more than ${megabytes} MiB.`,
      { advice: 'Ask for fewer days at a time, or name a temporary directory on its disk in TMPDIR.' },
    );
  }
}

interface HoldOptions<File> {
  from: string;
  held: string;
  lake: string;
  nameOf(file: File): string;
  mostCopiedBytes: number;
}

/**
 * Hard-links the files into the folder `held`, so that a question reads what was there when it began, whatever is
 * replaced or removed meanwhile. Copies them if they cannot be linked (another disk, another user's file). Their days are
 * links to that one folder in `lake`: ten thousand folders would take seconds. Throws ObjectMissingError if a file is no
 * longer there: list again; CopiesTooLargeError if the copies would take more than `mostCopiedBytes`.
 */
export async function holdFiles<File extends LakeFile>(
  files: readonly File[],
  { from, held, lake, nameOf, mostCopiedBytes }: HoldOptions<File>,
  signal?: AbortSignal,
): Promise<void> {
  const days = new Set(files.map(({ path }) => join(lake, dirname(path))));
  for (const table of new Set([...days].map(dirname))) mkdirSync(table, { recursive: true, mode: 0o700 });
  for (const day of days) symlinkSync(resolve(held), day, 'junction');
  let copiedBytes = 0;
  await forEachConcurrent(files, FILES_AT_ONCE, async (file) => {
    signal?.throwIfAborted();
    const source = join(from, file.path);
    const target = join(held, nameOf(file));
    const object = await openObject(source, file.path, from, from);
    try {
      if (isLinkedAs(source, target, object.version)) return;
      copiedBytes += object.byteLength;
      if (copiedBytes > mostCopiedBytes) throw new CopiesTooLargeError(from, held, mostCopiedBytes);
      await writeFile(target, chunks(object), { flag: 'wx', mode: 0o600, signal });
    } finally {
      await object.close();
    }
  });
}

/** Whether the file could be linked to, and is what was opened: at its path may be another by now. */
function isLinkedAs(source: string, target: string, version: string): boolean {
  try {
    linkSync(source, target);
  } catch {
    return false;
  }
  const isSame = versionAt(target) === version;
  if (!isSame) rmSync(target);
  return isSame;
}

export const FILES_AT_ONCE = 16;
const OBJECTS_AT_ONCE = 16;
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Folder of copies that are not complete yet. */
const PARTS = '.parts';

/** The copy of one version of an object, made or not. Its path contains the version. */
export type MirroredFile = LakeFile & ListedObject;

/** A new folder to hold copies for one question, on their disk. Its name tells the temporary folder of who asks. */
export function newHoldFolder(): string {
  const parent = privateCacheFolder('questions');
  return newScratchFolder(parent, HELD, join(parent, `${heldFor(tmpdir())}${randomUUID()}`));
}

const HELD = 'held-';

function heldFor(temporary: string): string {
  return `${HELD}${basename(temporary)}-`;
}

/** Removes what a process held that had this temporary folder for itself, and was killed. Makes no folder. */
export function removeHeldFor(temporary: string): void {
  const parent = privateCacheFolderIfThere('questions');
  if (parent === undefined) return;
  for (const name of namesIn(parent))
    if (name.startsWith(heldFor(temporary))) removeScratch(join(parent, name));
}

/** The folder for the lake at an address. Below it, files have the lake's paths. */
export async function makeMirror(mirrors: string, address: string): Promise<string> {
  const folder = join(mirrors, hash(address));
  await mkdir(join(folder, PARTS), { recursive: true, mode: 0o700 });
  return folder;
}

/** The tables' objects in a bucket. Keys of any other form are ignored, so that none leads out of the mirror. */
export async function listBucket(
  store: LakeStore,
  tables: readonly Table[],
): Promise<readonly MirroredFile[]> {
  const files: MirroredFile[] = [];
  for (const { name } of tables) {
    for await (const object of store.listFingerprints(name)) {
      const found = tableObject(object.key);
      if (found !== undefined) files.push({ ...found, ...object, path: pathOf(object) });
    }
  }
  return files;
}

/** The path contains nothing of the object's own name, which may be anything. */
function pathOf({ key, fingerprint }: ListedObject): string {
  return `${dirname(key)}/${hash(`${key}\n${fingerprint}`)}.parquet`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Makes the copies that do not exist yet and marks the others as used, so that DuckDB reads a lake in a bucket without
 * having to fetch an extension. Calls `onObject` for each. Throws ObjectChangedError or ObjectMissingError if an object
 * has changed since it was listed: list again.
 */
export async function copyObjects(
  store: LakeStore,
  files: readonly MirroredFile[],
  folder: string,
  { signal, onObject }: { signal?: AbortSignal; onObject?: (key: string) => void },
): Promise<void> {
  await forEachConcurrent(files, OBJECTS_AT_ONCE, async (file) => {
    signal?.throwIfAborted();
    const path = join(folder, file.path);
    if (statSync(path, { throwIfNoEntry: false })?.size === file.byteCount) {
      const now = new Date();
      // If another question removes it now, holdFiles finds it missing.
      await utimes(path, now, now).catch(ignoreMissing);
    } else await copy(store, file, path, join(folder, PARTS, randomUUID()), signal);
    onObject?.(file.key);
  });
}

async function copy(
  store: LakeStore,
  file: MirroredFile,
  path: string,
  part: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const object = await store.open(file.key);
  try {
    // What is there now may be newer than what was listed. All that is read is of one version.
    if (object.version !== file.version || object.byteLength !== file.byteCount) {
      throw new ObjectChangedError(file.key, store.address);
    }
    await writeFile(part, chunks(object), { flag: 'wx', mode: 0o600, signal });
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

/** Removes copies of these tables whose object, or version of it, is no longer in the lake. */
export function removeStale(folder: string, tables: readonly Table[], files: readonly MirroredFile[]): void {
  const current = new Set(files.map(({ path }) => join(folder, path)));
  for (const { name } of tables) {
    for (const path of filesBelow(join(folder, name))) {
      if (!current.has(path)) rmSync(path, { force: true });
    }
  }
}

/** Removes the least recently used copies, of all lakes, until the rest fits. */
export function trimMirrors(folder: string, maxBytes: number): void {
  const found = filesBelow(folder).flatMap((path) => {
    // Another question may have removed it.
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, size: stats.size, mtimeMs: stats.mtimeMs }];
  });
  let total = found.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of found.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (total <= maxBytes) return;
    rmSync(path, { force: true });
    total -= size;
  }
}

function filesBelow(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** A folder in use is never this old, as it is touched every minute: its process was killed. */
const ABANDONED_AFTER_MS = DAY_MS;
const TOUCHED_EVERY_MS = 60_000;

/** This process's folders, and what keeps each of them young. */
const inUse = new Map<string, NodeJS.Timeout>();
// A second Ctrl-C waits for nothing.
process.once('exit', () => [...inUse.keys()].forEach(removeScratch));

/**
 * A new folder for this user alone, until `removeScratch`: `named`, or with a name of its own. Removes those that killed
 * processes left beside it.
 */
export function newScratchFolder(parent: string, prefix: string, named?: string): string {
  if (named !== undefined) mkdirSync(named, { mode: 0o700 });
  const folder = named ?? mkdtempSync(join(parent, prefix));
  // Its file system's clock, by which the others were made and touched, whatever this process takes for the time.
  const { mtimeMs: nowMs } = lstatSync(folder);
  for (const name of namesIn(parent)) if (name.startsWith(prefix)) removeAbandoned(join(parent, name), nowMs);
  inUse.set(folder, setInterval(() => touch(folder), TOUCHED_EVERY_MS).unref());
  return folder;
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  clearInterval(inUse.get(folder));
  inUse.delete(folder);
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    // A folder that is not there is reported when one is made in it.
    return [];
  }
}

function removeAbandoned(folder: string, nowMs: number): void {
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory() || hasOtherOwner(found)) return;
    if (found.mtimeMs < nowMs - ABANDONED_AFTER_MS) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Left to the next question.
  }
}

function touch(folder: string): void {
  try {
    rmSync(mkdtempSync(join(folder, 'touched-')), { recursive: true });
  } catch {
    // Tried again in a minute.
  }
}
