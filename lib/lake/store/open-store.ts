import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  type ExitCode,
  type SystemFault,
  systemFaultOf,
} from '../../errors.ts';
import { isFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../private-files.ts';
import { DamagedObjectError } from '../parquet/reader.ts';
import { EXPORTACIONES } from '../tables.ts';
import { type FolderObject, FolderStore, isParquetKey } from './folder.ts';
import type { S3Place, S3Store } from './s3.ts';
import type { LakeStore, ListedObject, ObjectBytes, ReplaceOptions, StoredObject } from './store.ts';

/** Neither a folder nor a bucket. The message does not repeat the address: it may hold a password. */
export class LakeAddressError extends CfeLakeError {
  override name = 'LakeAddressError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor() {
    super('--lake does not name a lake.', { advice: 'Give a folder, or s3://bucket or s3://bucket/prefix.' });
  }
}

/** There is no lake at this address. */
export class LakeMissingError extends CfeLakeError {
  override name = 'LakeMissingError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(folder: string) {
    // Only a default is named: what was typed may be anything.
    const where = /^\.\/lake[a-z-]*$/.test(folder) ? `at ${folder}` : 'where --lake says';
    super(`There is no lake ${where}.`, {
      advice: 'Export something first, or name another with --lake: a folder, or s3://BUCKET.',
    });
  }
}

/** The lake at this address: a folder, or `s3://bucket/prefix`. Throws LakeAddressError. */
export async function openStore(address: string): Promise<LakeStore> {
  if (!/^[a-z][a-z0-9+.-]+:\//i.test(address) && address !== '') return new ExplainedFolderStore(address);
  const place = parseS3Address(address);
  if (place === undefined) throw new LakeAddressError();
  return await openBucket(place);
}

/** The lake in a bucket. */
export async function openBucket(place: S3Place): Promise<S3Store> {
  // Loaded here, so that a lake in a folder never waits for the SDK.
  const { S3Store, createS3Client } = await import('./s3.ts');
  return new S3Store(createS3Client(), place);
}

/**
 * Opens the lake for writing, and checks that this is possible before anything is read from the API: makes the folder
 * and writes a file, or lists the bucket. Throws LakeAddressError, LakeFolderError or LakeRequestError.
 */
export async function openStoreToWrite(address: string): Promise<LakeStore> {
  const store = await openStore(address);
  if (store instanceof ExplainedFolderStore) await store.makeReady();
  else await store.list(EXPORTACIONES.name)[Symbol.asyncIterator]().next();
  return store;
}

/** Opens the lake for reading. Also throws LakeMissingError if there is no such folder. */
export async function openStoreToRead(address: string): Promise<LakeStore> {
  const store = await openStore(address);
  if (store instanceof ExplainedFolderStore) await assertLakeFolder(address);
  return store;
}

/** Throws LakeMissingError if there is no such folder. */
export async function assertLakeFolder(folder: string): Promise<void> {
  if (!(await isFolder(folder))) throw new LakeMissingError(folder);
}

/** Bucket and prefix of `s3://bucket/prefix`; undefined for anything else. */
export function parseS3Address(address: string): S3Place | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address);
  if (match === null) return undefined;
  const [, bucket = '', path = ''] = match;
  const prefix = path.replace(/\/+$/, '');
  return prefix.startsWith('/') || prefix.includes('//') ? undefined : { bucket, prefix };
}

/** A file operation in the lake's folder failed. */
export class LakeFolderError extends CfeLakeError {
  override name = 'LakeFolderError';
  override readonly exitCode: ExitCode;
  readonly address: string;
  readonly code: string;

  constructor(address: string, whatFailed: string, fault: SystemFault) {
    const { code, reason, advice, exitCode } = fault;
    super(`The lake ${address}: ${whatFailed} failed: ${reason}${placeIn(address, fault)}.`, {
      advice: `${advice}. No object was left half-written.`,
    });
    this.address = address;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Which folder or file of the lake is at fault: one of many may belong to another user. */
function placeIn(address: string, { path, exitCode }: SystemFault): string {
  if (path === undefined || exitCode !== EXIT_WRONG_INPUT) return '';
  const place = relative(resolve(address), path);
  return place === '' || place.startsWith('.trial-') ? '' : ` at ${place}`;
}

const PARQUET_MAGIC = 'PAR1';
/** The magic at both ends, and the footer's length. */
const SMALLEST_FILE_BYTES = 12;

/** A lake in a folder whose errors name the file, the reason and what to do. */
export class ExplainedFolderStore extends FolderStore {
  override find(key: string): Promise<StoredObject | undefined> {
    return super.find(key).catch(this.explained(`looking up ${key}`));
  }

  /** Also throws DamagedObjectError. */
  override async open(key: string): Promise<FolderObject> {
    const explained = this.explained(`reading ${key}`);
    const bytes = await super.open(key).catch(explained);
    if (isParquetKey(key) && !(await isParquet(bytes).catch(explained))) {
      await bytes.close();
      throw new DamagedObjectError(bytes.name, 'it does not begin and end like one');
    }
    return { ...bytes, slice: (start, end) => bytes.slice(start, end).catch(explained) };
  }

  override replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    options: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    return super.replace(key, bytes, options).catch(this.explained(`writing ${key}`));
  }

  override copy(from: string, to: string): Promise<void> {
    return super.copy(from, to).catch(this.explained(`writing ${to}`));
  }

  override async *list(folder: string): AsyncGenerator<string> {
    try {
      yield* super.list(folder);
    } catch (error) {
      this.explained(`listing ${folder}`)(error);
    }
  }

  override async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    try {
      yield* super.listFingerprints(folder);
    } catch (error) {
      this.explained(`listing ${folder}`)(error);
    }
  }

  /** Makes the folder, and tries to write a file in it. Throws LakeFolderError. */
  async makeReady(): Promise<void> {
    try {
      await makeFolder(resolve(this.address));
      const trial = join(resolve(this.address), `.trial-${randomUUID()}`);
      try {
        await writeFile(trial, PARQUET_MAGIC, { mode: PRIVATE_FILE_MODE });
      } finally {
        await rm(trial, { force: true });
      }
    } catch (error) {
      this.explained('making it ready')(error);
    }
  }

  private explained(whatFailed: string): (error: unknown) => never {
    return (error) => {
      const fault = systemFaultOf(error);
      throw fault === undefined ? error : new LakeFolderError(this.address, whatFailed, fault);
    };
  }
}

async function isParquet({ byteLength, slice }: ObjectBytes): Promise<boolean> {
  if (byteLength < SMALLEST_FILE_BYTES) return false;
  const ends = await Promise.all([slice(0, PARQUET_MAGIC.length), slice(byteLength - PARQUET_MAGIC.length)]);
  return ends.every((end) => Buffer.from(end).toString('latin1') === PARQUET_MAGIC);
}

/** Makes the folder and its parents. `recursive` would never end where making a folder fails as missing. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path, PRIVATE_FOLDER_MODE).catch(async (error: unknown) => {
    // Another run may have made it meanwhile.
    if (!(await isFolder(path))) throw error;
  });
}
