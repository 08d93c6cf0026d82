import { CfeLakeError } from '../../system/errors.ts';

export interface StoredObject {
  key: string;
  byteCount: number;
  /** Changes with the bytes. In a folder, writing the same bytes again changes it too; in a bucket, not always. */
  version: string;
  /** When this version was stored, in milliseconds since the epoch. */
  storedAtMs: number;
  /** The pairs that it was written with. */
  metadata: Readonly<Record<string, string>>;
}

/** Random access to an object's bytes, in the shape that Parquet readers take. */
export interface ObjectBytes {
  /** Its key and the store's address, for errors. */
  readonly name: string;
  byteLength: number;
  readonly version: string;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

export interface ReplaceOptions {
  /** Pairs to keep with the object. A folder keeps only those that are also in the Parquet file's footer. */
  metadata: Readonly<Record<string, string>>;
  /** The object that `find` or `open` returned: it is replaced only if this is still its version. */
  expected: Pick<StoredObject, 'version'> | undefined;
}

export interface ListedObject {
  key: string;
  byteCount: number;
  /** The moment that `find` tells; of a bucket, in whole seconds. */
  storedAtMs: number;
  version: string;
  /** Differs if the bytes differ. Equal bytes have the same one: always in a folder, usually in a bucket. */
  fingerprint: string;
}

/** A folder or a bucket with the lake's objects. Keys are relative, with `/` between their parts. */
export interface LakeStore {
  /** Its address for people: `./lake`, `s3://bucket/prefix`. */
  readonly address: string;
  /** What the lists left out: names that the program does not write (isWritten). */
  readonly foreignNames?: Set<string>;
  /** The object; undefined if there is none. */
  find(key: string): Promise<StoredObject | undefined>;
  /** Opens the object for reading. Throws ObjectMissingError. */
  open(key: string): Promise<ObjectBytes>;
  /**
   * Writes the object in one atomic step: readers see the old one or the new one, whole. If anything fails, the old one
   * stays. Throws StaleObjectError if another writer has replaced it since `expected`.
   */
  replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    options: ReplaceOptions,
  ): Promise<{ byteCount: number }>;
  /** Keys below a folder that the program writes, in alphabetical order. */
  list(folder: string): AsyncIterable<string>;
  /** The same with the moments that `find` tells. No object is opened. */
  listTimes(folder: string): AsyncIterable<Pick<ListedObject, 'key' | 'storedAtMs'>>;
  /** The same with fingerprints. In a bucket no object is opened for them. */
  listFingerprints(folder: string): AsyncIterable<ListedObject>;
  /** The fingerprint of an object that `find` returned. Throws ObjectMissingError. */
  fingerprintOf(found: StoredObject): Promise<string>;
  /** Removes the object, if there is one. */
  remove(key: string): Promise<void>;
}

/** Another writer replaced the object after it was found: what was read may be older than theirs. */
export class StaleObjectError extends CfeLakeError {
  override name = 'StaleObjectError';
  constructor(key: string) {
    super(`${key} was replaced by another run meanwhile.`, {
      advice: 'Read the unit again before replacing it.',
    });
  }
}

export class ObjectMissingError extends CfeLakeError {
  override name = 'ObjectMissingError';
  constructor(key: string, address: string) {
    super(`${address} holds no ${key}.`, { advice: 'Export that day first.' });
  }
}

/** Rethrows any error but ObjectMissingError. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof ObjectMissingError)) throw error;
}

/** The object was replaced while it was being read: its ranges do not belong together. */
export class ObjectChangedError extends CfeLakeError {
  override name = 'ObjectChangedError';
  constructor(key: string, address: string) {
    super(`${key} in ${address} was replaced while it was read.`, { advice: 'Open it again.' });
  }
}

/** Whether another process replaced or removed an object meanwhile. Trying again helps. */
export function isRace(error: unknown): boolean {
  return [StaleObjectError, ObjectChangedError, ObjectMissingError].some((kind) => error instanceof kind);
}

const MAX_ATTEMPTS = 10;

/** Does the work again, up to ten times in all, as long as another process replaces or removes what it needs. */
export async function retriedOnRace<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isRace(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Opens the object, calls `read` with it and returns its result. Throws what `open` and `read` throw. */
export async function readObject<T>(
  store: LakeStore,
  key: string,
  read: (file: ObjectBytes) => Promise<T>,
): Promise<T> {
  const file = await store.open(key);
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** The text of a small object, such as the lake's mark; undefined if there is none. */
export async function readText(store: LakeStore, key: string): Promise<string | undefined> {
  const read = async (file: ObjectBytes) => Buffer.from(await file.slice(0)).toString('utf8');
  return await readObject(store, key, read).catch(undefinedIfMissing);
}

/** Replaces the object that was found with a text. Throws StaleObjectError if it has been replaced since. */
export async function replaceText(
  store: LakeStore,
  key: string,
  text: string,
  expected: Pick<StoredObject, 'version'> | undefined,
  metadata: StoredObject['metadata'] = {},
): Promise<void> {
  await store.replace(key, onePiece(text), { metadata, expected });
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
