import { CfeLakeError } from '../../errors.ts';

/** An object of the lake as it stands. */
export interface StoredObject {
  key: string;
  byteCount: number;
  /** Changes whenever the object is replaced; two versions are never equal by chance. */
  version: string;
  /** When this version was stored, in milliseconds since the epoch. */
  storedAtMs: number;
  /** The pairs given when it was written. */
  metadata: Readonly<Record<string, string>>;
}

/** Random access to an object's bytes; the shape that Parquet readers take. */
export interface ObjectBytes {
  /** For errors: its key, and the store's address. */
  readonly name: string;
  byteLength: number;
  /** Of the object that is open, as `find` tells it. */
  readonly version: string;
  /** The same, as `listFingerprints` tells it. */
  fingerprint(): Promise<string>;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

export interface ReplaceOptions {
  /** Pairs to keep with the object; a folder keeps those that are in a Parquet file's footer too. */
  metadata: Readonly<Record<string, string>>;
  /** What `find` or `open` gave before: the object is replaced only if it still stands so. */
  expected: Pick<StoredObject, 'version'> | undefined;
}

/** An object in a listing. */
export interface ListedObject {
  key: string;
  byteCount: number;
  /** Of its bytes: other bytes have another one; in a folder, and mostly in a bucket, equal ones the same. */
  fingerprint: string;
}

/** Where the lake's objects are: a folder or a bucket. Keys are relative, with `/` between their parts. */
export interface LakeStore {
  /** What to tell a person: `./lake`, `s3://bucket/prefix`. */
  readonly address: string;
  /** The object, or undefined when there is none. */
  find(key: string): Promise<StoredObject | undefined>;
  /** Opens the object for reading. Throws ObjectMissingError. */
  open(key: string): Promise<ObjectBytes>;
  /**
   * Writes the object in one atomic step: whoever reads sees the old one or the new one, whole. When anything
   * fails the old one stays. Throws StaleObjectError when somebody else replaced it since `expected`.
   */
  replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    options: ReplaceOptions,
  ): Promise<{ byteCount: number }>;
  /** Keys below a folder, in alphabetical order. */
  list(folder: string): AsyncIterable<string>;
  /** The same, with what tells whether an object's bytes are still those of before; none is opened for it in a bucket. */
  listFingerprints(folder: string): AsyncIterable<ListedObject>;
  /**
   * The same object under another key too, as old as it is. Nothing happens where it is there already. Throws
   * StaleObjectError where another is, and ObjectMissingError.
   */
  copy(from: string, to: string): Promise<void>;
  /** Takes the object away; it is no error when there is none. */
  remove(key: string): Promise<void>;
}

/** Somebody else replaced the object between finding and replacing it; what was read may be older than theirs. */
export class StaleObjectError extends CfeLakeError {
  override name = 'StaleObjectError';
  readonly key: string;
  constructor(key: string) {
    super(`${key} was replaced by another run meanwhile.`, {
      advice: 'Read the unit again before replacing it.',
    });
    this.key = key;
  }
}

export class ObjectMissingError extends CfeLakeError {
  override name = 'ObjectMissingError';
  constructor(key: string, address: string) {
    super(`${address} holds no ${key}.`, { advice: 'Export that day first.' });
  }
}

/** Somebody replaced the object while it was being read, so that its ranges no longer belong together. */
export class ObjectChangedError extends CfeLakeError {
  override name = 'ObjectChangedError';
  constructor(key: string, address: string) {
    super(`${key} in ${address} was replaced while it was read.`, { advice: 'Open it again.' });
  }
}

/** Whether somebody else replaced or removed an object meanwhile: looking again, and doing it again, will do. */
export function isRace(error: unknown): boolean {
  return [StaleObjectError, ObjectChangedError, ObjectMissingError].some((kind) => error instanceof kind);
}

/** Small documents of a lake beside its tables, such as its mark. */

/** The text of an object; undefined where there is none. */
export async function readText(store: LakeStore, key: string): Promise<string | undefined> {
  try {
    const file = await store.open(key);
    try {
      return Buffer.from(await file.slice(0)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined;
    throw error;
  }
}

/** Puts a text in the place of the object that was found. Throws StaleObjectError when another stands there by now. */
export async function replaceText(
  store: LakeStore,
  key: string,
  text: string,
  expected: StoredObject | undefined,
  metadata: StoredObject['metadata'] = {},
): Promise<void> {
  await store.replace(key, onePiece(text), { metadata, expected });
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
