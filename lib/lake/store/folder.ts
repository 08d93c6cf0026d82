import { linkSync, lstatSync, renameSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { hasCode } from '../../system/errors.ts';
import { assertNoLinkIn, assertOwnFolders, isRealFolder, makeFolder } from '../../system/private-folders.ts';
import { isHidden, isWritten, LAGGING_FOLDER, OPEN_RUNS_FOLDER, UNITS_FOLDER } from '../layout.ts';
import { readFileMetadata } from '../parquet/reader.ts';
import { TABLES } from '../tables.ts';
import {
  entriesBelow,
  explained,
  type FolderObject,
  ignoreMissing,
  isPartName,
  newPartName,
  openObject,
  removeEmptyFolders,
  removeFile,
  SyncedFolders,
  sha256Of,
  versionAt,
  writeSynced,
} from './folder-files.ts';
import { type FolderLock, type LockRequest, takeLock } from './folder-lock.ts';
import {
  type LakeStore,
  type ListedObject,
  type ObjectBytes,
  type ReplaceOptions,
  readObject,
  StaleObjectError,
  type StoredObject,
  undefinedIfMissing,
} from './store.ts';

/** Files that are being written without a lock. */
const PARTS_FOLDER = '.staging';

/**
 * A lake in a folder that only its user can read.
 *
 * To replace an object, a writer writes a new file and syncs it. It compares the object with the one that was read, and
 * renames the file over it in the same step of this process. Only one process at a time writes, the one with the lock.
 */
export class FolderStore implements LakeStore {
  readonly address: string;
  readonly foreignNames: Set<string>;
  private readonly root: string;
  private readonly heldLock: FolderLock | undefined;
  private readonly folders: SyncedFolders;

  /** A store without the lock is for a lake that nobody else writes. */
  constructor(folder: string, lock?: FolderLock, foreignNames = new Set<string>()) {
    this.address = folder;
    this.foreignNames = foreignNames;
    this.root = resolve(folder);
    this.heldLock = lock;
    this.folders = new SyncedFolders(this.root);
  }

  /** Whether nobody else writes the lake. */
  get isLocked(): boolean {
    return this.heldLock !== undefined;
  }

  /** Makes the folder, and waits for its lock. Also throws what takeLock throws, and WrongInputError for a link in it. */
  lock(request: LockRequest): Promise<FolderLock> {
    return this.explained('preparing it', async () => {
      for (const { name } of [{ name: UNITS_FOLDER }, ...TABLES])
        assertNoLinkIn(this.root, this.pathOf(name));
      return await takeLock(this.root, this.address, request);
    });
  }

  find(key: string): Promise<StoredObject | undefined> {
    return this.explained(`looking up ${key}`, async () => {
      // Most units of a large run have no object, and asking in another thread takes longer.
      if (lstatSync(this.pathOf(key), { throwIfNoEntry: false }) === undefined) return undefined;
      const bytes = await this.open(key).catch(undefinedIfMissing);
      if (bytes === undefined) return undefined;
      try {
        const { version, storedAtMs, byteLength: byteCount } = bytes;
        // All objects are Parquet, but for a few small ones beside the tables.
        const { metadata } = key.endsWith('.parquet') ? await readFileMetadata(bytes) : { metadata: {} };
        return { key, byteCount, version, storedAtMs, metadata };
      } finally {
        await bytes.close();
      }
    });
  }

  open(key: string): Promise<FolderObject> {
    return this.explained(`reading ${key}`, () => openObject(this.pathOf(key), key, this.address, this.root));
  }

  replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    return this.explained(`writing ${key}`, async () => {
      const path = this.pathOf(key);
      const name = newPartName();
      // Files of a holder of the lock go with it, if it is killed.
      const part = this.heldLock ? join(this.heldLock.folder, name) : this.pathOf(`${PARTS_FOLDER}/${name}`);
      if (this.heldLock === undefined) makeFolder(dirname(part), this.root);
      return await this.folders.inMadeFolder(dirname(path), async () => {
        try {
          const byteCount = await writeSynced(part, bytes);
          install(part, path, key, expected);
          if (expected === undefined) removeFile(part);
          return { byteCount };
        } catch (error) {
          removeFile(part);
          throw error;
        }
      });
    });
  }

  async *list(folder: string): AsyncGenerator<string> {
    const entries = await this.explained(`listing ${folder}`, async () => {
      // Only what is in the lake.
      this.pathOf(folder);
      return await entriesBelow(this.root, folder);
    });
    for (const { path: key, isFile } of entries) {
      if (isFile && isWritten(key)) yield key;
      else if (!isHidden(key)) this.foreignNames.add(key);
    }
  }

  /** A link in place of the folder may lead to all of the machine. */
  async *listTimes(folder: string): AsyncGenerator<Pick<ListedObject, 'key' | 'storedAtMs'>> {
    const found = lstatSync(this.pathOf(folder), { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) {
      if (found !== undefined) this.foreignNames.add(folder);
      return;
    }
    for await (const key of this.list(folder)) {
      const stats = lstatSync(this.pathOf(key), { throwIfNoEntry: false });
      // A file may have been removed after it was listed.
      if (stats !== undefined) yield { key, storedAtMs: Math.floor(stats.mtimeMs) };
    }
  }

  /** Reads the files: fingerprints depend on bytes alone, not on times. */
  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    for await (const key of this.list(folder)) {
      const bytes = await this.open(key).catch(undefinedIfMissing);
      // A file may have been removed after it was listed.
      if (bytes === undefined) continue;
      try {
        yield {
          key,
          byteCount: bytes.byteLength,
          storedAtMs: bytes.storedAtMs,
          version: bytes.version,
          fingerprint: await fingerprintIn(bytes),
        };
      } finally {
        await bytes.close();
      }
    }
  }

  fingerprintOf({ key }: StoredObject): Promise<string> {
    return readObject(this, key, fingerprintIn);
  }

  remove(key: string): Promise<void> {
    return this.explained(`removing ${key}`, async () => {
      const path = this.pathOf(key);
      assertOwnFolders(dirname(path), this.root);
      removeFile(path);
    });
  }

  /** Removes half-written files from before this moment, in milliseconds since the epoch, and empty folders. */
  removeLeftovers(beforeMs: number): Promise<void> {
    return this.explained('cleaning up', async () => {
      const parts = join(this.root, PARTS_FOLDER);
      for (const name of isRealFolder(parts) ? await readdir(parts) : []) {
        if (!isPartName(name)) continue;
        const path = join(parts, name);
        const found = await lstat(path).catch(ignoreMissing);
        if (found !== undefined && found.mtimeMs < beforeMs) removeFile(path);
      }
      for (const folder of [OPEN_RUNS_FOLDER, LAGGING_FOLDER])
        await removeEmptyFolders(join(this.root, folder));
    });
  }

  private explained<T>(whatFailed: string, work: () => Promise<T>): Promise<T> {
    return explained(this.address, whatFailed, work);
  }

  /** Throws WrongInputError where a link is on the way to it. Whether it is one itself, openObject sees. */
  private pathOf(key: string): string {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new RangeError(`${key} is not a key of this lake`);
    assertNoLinkIn(this.root, dirname(path));
    return path;
  }
}

/** No unit has as many: in flight its rows have 256 MiB at most. A file of holes may have any number. */
const MOST_HASHED_BYTES = 2 ** 31;

async function fingerprintIn(bytes: ObjectBytes): Promise<string> {
  return bytes.byteLength > MOST_HASHED_BYTES ? `${bytes.byteLength} bytes` : await sha256Of(bytes);
}

/**
 * Moves the written file to the object's path. Throws StaleObjectError if another writer was faster. Nothing of this
 * process comes between: it does not wait for anything.
 */
function install(part: string, path: string, key: string, expected: ReplaceOptions['expected']): void {
  if (expected === undefined) {
    try {
      linkSync(part, path);
    } catch (error) {
      throw hasCode(error, 'EEXIST') ? new StaleObjectError(key) : error;
    }
  } else {
    if (versionAt(path) !== expected.version) throw new StaleObjectError(key);
    renameSync(part, path);
  }
}
