import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { readFileMetadata } from '../parquet/reader.ts';
import {
  type LakeStore,
  type ObjectBytes,
  ObjectMissingError,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
} from './store.ts';

/** Files on their way into the lake; its name keeps it out of every table. */
const STAGING = '.staging';

/**
 * A folder as the lake.
 *
 * A replacement is written to a file of its own and synced; then a hard link named after the version that it
 * replaces is made, which only one writer can do; then that link is renamed over the object. A writer that
 * finds such a link left by a killed one finishes its rename. So no lock is held, and no crash leaves a half.
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
    const found = await statOf(path);
    if (found === undefined) return undefined;
    const bytes = await this.open(key);
    try {
      const { metadata } = await readFileMetadata(bytes);
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
    const { size } = await file.stat();
    return {
      byteLength: size,
      slice: async (start, end = size) => {
        const length = Math.max(0, end - start);
        const buffer = new ArrayBuffer(length);
        await file.read(new Uint8Array(buffer), 0, length, start);
        return buffer;
      },
      close: () => file.close(),
    };
  }

  async replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    const path = this.pathOf(key);
    const staging = join(this.root, STAGING);
    await mkdir(staging, { recursive: true });
    await mkdir(dirname(path), { recursive: true });
    const written = join(staging, `${randomUUID()}.part`);
    try {
      const byteCount = await writeSynced(written, bytes);
      const claim = join(staging, `${key.replaceAll('/', '+')}.after-${expected?.version ?? 'none'}`);
      await this.claim(written, claim, path, expected, key);
      // Another writer may have finished the rename in this one's place: then it is done all the same.
      await rename(claim, path).catch(ignoreMissing);
      await syncFolder(dirname(path));
      return { byteCount };
    } finally {
      await rm(written, { force: true });
    }
  }

  async *list(folder: string): AsyncGenerator<string> {
    const root = this.pathOf(folder);
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
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

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  /** Takes the one place of a successor to the expected version. Throws StaleObjectError when it is taken. */
  private async claim(
    written: string,
    claim: string,
    path: string,
    expected: StoredObject | undefined,
    key: string,
  ): Promise<void> {
    try {
      await link(written, claim);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if ((await statOf(path))?.version === expected?.version) await rename(claim, path).catch(ignoreMissing);
      throw new StaleObjectError(key);
    }
    if ((await statOf(path))?.version !== expected?.version) {
      await rm(claim, { force: true });
      throw new StaleObjectError(key);
    }
  }

  private pathOf(key: string): string {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new RangeError(`${key} is not a key of this lake`);
    return path;
  }
}

/** Whether there is a lake in this folder. */
export async function isFolderPresent(folder: string): Promise<boolean> {
  return await access(folder, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx');
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file's identity and moment of writing; undefined when there is none. */
async function statOf(path: string): Promise<Pick<StoredObject, 'version' | 'storedAtMs'> | undefined> {
  try {
    const { ino, mtimeNs, mtimeMs, size } = await stat(path, { bigint: true });
    const version = `${ino.toString(36)}-${mtimeNs.toString(36)}-${size.toString(36)}`;
    return { version, storedAtMs: Number(mtimeMs) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
