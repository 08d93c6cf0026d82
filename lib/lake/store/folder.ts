import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { hasCode } from '../../errors.ts';
import { PRIVATE_FOLDER_MODE } from '../../private-files.ts';
import { OPEN_RUNS_FOLDER, STAGING_FOLDER } from '../layout.ts';
import { DamagedObjectError, readFileMetadata } from '../parquet/reader.ts';
import {
  closedOnFailure,
  explained,
  type FolderObject,
  ignoreMissing,
  inMadeFolder,
  isMissing,
  isParquet,
  isParquetKey,
  makeWritableFolder,
  noneIfMissing,
  openObject,
  removeEmptyFolders,
  removeFile,
  versionAt,
  writeSynced,
} from './folder-files.ts';
import {
  type LakeStore,
  type ListedObject,
  ObjectMissingError,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
  undefinedIfMissing,
} from './store.ts';

/** Extension of files that are being written. */
const PART = '.part';

/**
 * A lake in a folder that only its user can read.
 *
 * To replace an object, a writer writes a new file and syncs it. It claims the object by linking the file to a second
 * name, which contains the version to replace: only one writer can do so. Then it renames the file over the object and
 * removes the claim. A writer that finds the claim of a killed one finishes that rename; a file can be renamed only
 * once, whoever does it. So there are no locks, and no crash leaves half an object.
 *
 * Every method also throws LakeFolderError.
 */
export class FolderStore implements LakeStore {
  readonly address: string;
  private readonly root: string;
  /** Where files are written before they are moved into the lake. */
  private readonly staging: string;

  constructor(folder: string) {
    this.address = folder;
    this.root = resolve(folder);
    this.staging = join(this.root, STAGING_FOLDER);
  }

  find(key: string): Promise<StoredObject | undefined> {
    return this.explained(`looking up ${key}`, async () => {
      // Most units of a large run have no object, and asking in another thread takes fifteen times as long.
      if (statSync(this.pathOf(key), { throwIfNoEntry: false }) === undefined) return undefined;
      const bytes = await this.open(key).catch(undefinedIfMissing);
      if (bytes === undefined) return undefined;
      try {
        const { version, storedAtMs, byteLength: byteCount } = bytes;
        const { metadata } = isParquetKey(key) ? await readFileMetadata(bytes) : { metadata: {} };
        return { key, byteCount, version, storedAtMs, metadata };
      } finally {
        await bytes.close();
      }
    });
  }

  /** Also throws DamagedObjectError. */
  open(key: string): Promise<FolderObject> {
    const whatFailed = `reading ${key}`;
    return this.explained(whatFailed, async () => {
      const bytes = await openObject(this.pathOf(key), key, this.address);
      return await closedOnFailure(bytes, async () => {
        if (isParquetKey(key) && !(await isParquet(bytes))) {
          throw new DamagedObjectError(bytes.name, 'it does not begin and end like one');
        }
        return {
          ...bytes,
          slice: (start, end) => this.explained(whatFailed, () => bytes.slice(start, end)),
        };
      });
    });
  }

  replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    return this.explained(`writing ${key}`, async () => {
      await mkdir(this.staging, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      const part = `${randomUUID()}${PART}`;
      return await inMadeFolder(dirname(this.pathOf(key)), async () => {
        try {
          const byteCount = await writeSynced(join(this.staging, part), bytes);
          await this.install(key, part, expected);
          return { byteCount };
        } catch (error) {
          await removeFile(join(this.staging, part));
          throw error;
        }
      });
    });
  }

  async *list(folder: string): AsyncGenerator<string> {
    const entries = await this.explained(`listing ${folder}`, () =>
      readdir(this.pathOf(folder), { recursive: true, withFileTypes: true }).catch(noneIfMissing),
    );
    const keys = entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(this.root.length + 1)
          .split(sep)
          .join('/'),
      );
    yield* keys.sort();
  }

  /** Reads the files: fingerprints depend on bytes alone, not on times. */
  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    for await (const key of this.list(folder)) {
      const listed = await this.explained(`listing ${folder}`, () => this.fingerprintOf(key));
      // A file may have been removed after it was listed.
      if (listed !== undefined) yield listed;
    }
  }

  /** Works for a damaged object too. */
  private async fingerprintOf(key: string): Promise<ListedObject | undefined> {
    const bytes = await openObject(this.pathOf(key), key, this.address).catch(undefinedIfMissing);
    if (bytes === undefined) return undefined;
    try {
      return { key, byteCount: bytes.byteLength, fingerprint: await bytes.fingerprint() };
    } finally {
      await bytes.close();
    }
  }

  copy(from: string, to: string): Promise<void> {
    return this.explained(`writing ${to}`, async () => {
      const target = this.pathOf(to);
      await inMadeFolder(dirname(target), async () => {
        try {
          await link(this.pathOf(from), target);
        } catch (error) {
          if (isMissing(error)) throw new ObjectMissingError(from, this.address);
          if (!hasCode(error, 'EEXIST')) throw error;
          const isCopy = (await versionAt(target)) === (await versionAt(this.pathOf(from)));
          if (!isCopy) throw new StaleObjectError(to);
        }
      });
    });
  }

  remove(key: string): Promise<void> {
    return this.explained(`removing ${key}`, async () => await removeFile(this.pathOf(key)));
  }

  makeReady(): Promise<void> {
    return this.explained('preparing it', () => makeWritableFolder(this.root));
  }

  /**
   * Removes files of killed writers that have not changed since `writtenBeforeMs`, staged objects that have not changed
   * since `stagedBeforeMs` (both in milliseconds since the epoch), and empty folders of closed runs.
   */
  removeLeftovers(writtenBeforeMs: number, stagedBeforeMs: number): Promise<void> {
    return this.explained('cleaning up', async () => {
      const entries = await readdir(this.staging, { recursive: true, withFileTypes: true }).catch(
        noneIfMissing,
      );
      for (const entry of entries) {
        if (entry.isDirectory()) continue;
        const path = join(entry.parentPath, entry.name);
        // Staged objects are in subfolders.
        const beforeMs = entry.parentPath === this.staging ? writtenBeforeMs : stagedBeforeMs;
        const found = await stat(path).catch(ignoreMissing);
        if (found !== undefined && found.mtimeMs < beforeMs) await removeFile(path);
      }
      await removeEmptyFolders(join(this.root, OPEN_RUNS_FOLDER), writtenBeforeMs);
    });
  }

  /** Moves the written file to the object's path. Throws StaleObjectError if another writer was faster. */
  private async install(key: string, part: string, expected: ReplaceOptions['expected']): Promise<void> {
    const path = this.pathOf(key);
    const written = join(this.staging, part);
    const claim = join(this.staging, `${key.replaceAll('/', '+')}.after-${expected?.version ?? 'none'}`);
    try {
      await link(written, claim);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      await this.finishOther(claim, path, expected);
      throw new StaleObjectError(key);
    }
    try {
      const isStale = (await versionAt(path)) !== expected?.version;
      // If the file is gone, another writer has finished this rename.
      if (isStale && (await versionAt(written)) !== undefined) throw new StaleObjectError(key);
      await rename(written, path).catch(ignoreMissing);
    } finally {
      await removeFile(claim);
    }
  }

  /** Finishes the rename of a writer that made a claim and may have been killed. */
  private async finishOther(
    claim: string,
    path: string,
    expected: ReplaceOptions['expected'],
  ): Promise<void> {
    const claimed = await versionAt(claim);
    // The order matters: a claim that is there while this version still stands is not a late one.
    if (claimed === undefined || (await versionAt(path)) !== expected?.version) return;
    const part = await this.partOf(claimed);
    if (part !== undefined) await rename(part, path).catch(ignoreMissing);
    await removeFile(claim);
  }

  /** The path under which this version was written, unless it has been moved already. */
  private async partOf(version: string): Promise<string | undefined> {
    for (const name of await readdir(this.staging)) {
      const path = join(this.staging, name);
      if (name.endsWith(PART) && (await versionAt(path)) === version) return path;
    }
    return undefined;
  }

  private explained<T>(whatFailed: string, work: () => Promise<T>): Promise<T> {
    return explained(this.address, whatFailed, work);
  }

  private pathOf(key: string): string {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new RangeError(`${key} is not a key of this lake`);
    return path;
  }
}
