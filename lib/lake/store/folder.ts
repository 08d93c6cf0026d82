import { createHash, randomUUID } from 'node:crypto';
import { constants, statSync } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { PRIVATE_FOLDER_MODE } from '../../files/private-file.ts';
import { OPEN_RUNS_FOLDER } from '../layout.ts';
import { readFileMetadata } from '../parquet/reader.ts';
import {
  hasCode,
  ignoreMissing,
  inMadeFolder,
  isMissing,
  noneIfMissing,
  removeEmptyFolders,
  removeFile,
  statOf,
  versionOf,
  writeSynced,
} from './folder-files.ts';
import {
  type LakeStore,
  type ListedObject,
  type ObjectBytes,
  ObjectMissingError,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
} from './store.ts';

/** Files on their way into the lake; its name keeps it out of every table. */
const STAGING = '.staging';
/** How the files that are being written, or about to take their place, are named. */
const PART = '.part';
const HASHED_AT_ONCE = 8 * 2 ** 20;

/**
 * A folder as the lake, for the user alone who writes it.
 *
 * A replacement is written to a file of its own and synced; then its place is claimed: a second name is linked to
 * it, after the version that it replaces, which only one writer can do; then the first is renamed over the
 * object and the claim removed. A writer that finds the claim of a killed one finishes its rename. A file can be
 * renamed once only, whoever does it. So no lock is held, and no crash leaves a half.
 */
export class FolderStore implements LakeStore {
  readonly address: string;
  private readonly root: string;

  constructor(folder: string) {
    this.address = folder;
    this.root = resolve(folder);
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const path = this.pathOf(key);
    // Most units of a large run have no object; to ask for it in another thread takes fifteen times as long.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const found = await statOf(path);
    if (found === undefined) return undefined;
    const bytes = await this.open(key);
    try {
      const { metadata } = isParquetKey(key) ? await readFileMetadata(bytes) : { metadata: {} };
      return { key, byteCount: bytes.byteLength, ...found, metadata };
    } finally {
      await bytes.close();
    }
  }

  async open(key: string): Promise<ObjectBytes> {
    let file: FileHandle;
    try {
      file = await open(this.pathOf(key), 'r');
    } catch (error) {
      if (isMissing(error)) throw new ObjectMissingError(key, this.address);
      throw error;
    }
    const stats = await file.stat({ bigint: true });
    const size = Number(stats.size);
    const slice = async (start: number, end = size): Promise<ArrayBuffer> => {
      const length = Math.max(0, end - start);
      const buffer = new ArrayBuffer(length);
      const { bytesRead } = await file.read(new Uint8Array(buffer), 0, length, start);
      return bytesRead === length ? buffer : buffer.slice(0, bytesRead);
    };
    return {
      name: `${key} in ${this.address}`,
      byteLength: size,
      version: versionOf(stats),
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
  }

  async replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    const staging = join(this.root, STAGING);
    await mkdir(staging, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const part = `${randomUUID()}${PART}`;
    return await inMadeFolder(dirname(this.pathOf(key)), async () => {
      try {
        const byteCount = await writeSynced(join(staging, part), bytes);
        await this.install(key, part, expected);
        return { byteCount };
      } catch (error) {
        await removeFile(join(staging, part));
        throw error;
      }
    });
  }

  async *list(folder: string): AsyncGenerator<string> {
    const root = this.pathOf(folder);
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
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

  /** Files are read for it: their times would tell more than their bytes, and of nothing that is in a bucket. */
  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    for await (const key of this.list(folder)) {
      // Whether they are Parquet is not asked here.
      const bytes = await FolderStore.prototype.open.call(this, key).catch(unlessRemoved);
      if (bytes === undefined) continue;
      try {
        yield { key, byteCount: bytes.byteLength, fingerprint: await bytes.fingerprint() };
      } finally {
        await bytes.close();
      }
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const target = this.pathOf(to);
    await inMadeFolder(dirname(target), async () => {
      try {
        await link(this.pathOf(from), target);
      } catch (error) {
        if (isMissing(error)) throw new ObjectMissingError(from, this.address);
        if (!hasCode(error, 'EEXIST')) throw error;
        if ((await statOf(target))?.version !== (await statOf(this.pathOf(from)))?.version) {
          throw new StaleObjectError(to);
        }
      }
    });
  }

  async remove(key: string): Promise<void> {
    await removeFile(this.pathOf(key));
  }

  /**
   * Removes what killed writers did not touch since `writtenBeforeMs`, and what was staged before `stagedBeforeMs`
   * and never gone on with; in milliseconds since the epoch. Also the folders of runs that are closed, once empty.
   */
  async removeLeftovers(writtenBeforeMs: number, stagedBeforeMs: number): Promise<void> {
    const staging = join(this.root, STAGING);
    const entries = await readdir(staging, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
    for (const entry of entries) {
      if (entry.isDirectory()) continue;
      const path = join(entry.parentPath, entry.name);
      // Staged objects have folders of their own.
      const beforeMs = entry.parentPath === staging ? writtenBeforeMs : stagedBeforeMs;
      const found = await stat(path).catch(ignoreMissing);
      if (found !== undefined && found.mtimeMs < beforeMs) await removeFile(path);
    }
    await removeEmptyFolders(join(this.root, OPEN_RUNS_FOLDER), writtenBeforeMs);
  }

  /** Puts the written file in the object's place. Throws StaleObjectError when another took that place. */
  private async install(key: string, part: string, expected: ReplaceOptions['expected']): Promise<void> {
    const path = this.pathOf(key);
    const written = join(this.root, STAGING, part);
    const claim = join(
      this.root,
      STAGING,
      `${key.replaceAll('/', '+')}.after-${expected?.version ?? 'none'}`,
    );
    try {
      await link(written, claim);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      await this.finishOther(claim, path, expected);
      throw new StaleObjectError(key);
    }
    try {
      const isStale = (await statOf(path))?.version !== expected?.version;
      // Another writer may have finished this one's work: then the file is gone, and all is done.
      if (isStale && (await statOf(written)) !== undefined) throw new StaleObjectError(key);
      await rename(written, path).catch(ignoreMissing);
    } finally {
      await removeFile(claim);
    }
  }

  /** Does what a writer that claimed the place, and may have been killed, was about to do. */
  private async finishOther(
    claim: string,
    path: string,
    expected: ReplaceOptions['expected'],
  ): Promise<void> {
    const claimed = await statOf(claim);
    // Asked after the claim was: so it was made while this version stood, and is no latecomer's.
    if (claimed === undefined || (await statOf(path))?.version !== expected?.version) return;
    const part = await this.partOf(claimed.version);
    if (part !== undefined) await rename(part, path).catch(ignoreMissing);
    await removeFile(claim);
  }

  /** The name under which this file was written, unless it took its place already. */
  private async partOf(version: string): Promise<string | undefined> {
    const staging = join(this.root, STAGING);
    for (const name of await readdir(staging)) {
      const path = join(staging, name);
      if (name.endsWith(PART) && (await statOf(path))?.version === version) return path;
    }
    return undefined;
  }

  private pathOf(key: string): string {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new RangeError(`${key} is not a key of this lake`);
    return path;
  }
}

/** All of a lake's objects but a few small ones beside the tables. */
export function isParquetKey(key: string): boolean {
  return key.endsWith('.parquet');
}

/** Whether there is a lake in this folder. */
export async function isFolderPresent(folder: string): Promise<boolean> {
  return await access(folder, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Of a file that was listed and is gone. */
function unlessRemoved(error: unknown): undefined {
  if (!(error instanceof ObjectMissingError)) throw error;
}
