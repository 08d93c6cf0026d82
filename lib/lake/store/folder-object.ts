import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { isMissing, versionOf } from './folder-files.ts';
import { type ObjectBytes, ObjectMissingError, type StoredObject } from './store.ts';

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
