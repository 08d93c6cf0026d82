import { WrongInputError } from '../../system/errors.ts';
import { isFolder } from '../../system/private-files.ts';
import { LAKE } from '../phrases.ts';
import { EXPORTACIONES } from '../tables.ts';
import { FolderStore } from './folder.ts';
import type { LockRequest } from './folder-lock.ts';
import type { S3Place } from './s3.ts';
import type { LakeStore } from './store.ts';

/** Neither a folder nor a bucket. The message does not repeat the address: it may hold a password. */
export class LakeAddressError extends WrongInputError {
  override name = 'LakeAddressError';
  constructor() {
    super(LAKE.noLakeNamed(), { advice: LAKE.nameOne() });
  }
}

/** There is no lake at this address. */
export class LakeMissingError extends WrongInputError {
  override name = 'LakeMissingError';
  constructor(folder: string) {
    super(LAKE.missing(folder), { advice: LAKE.exportFirst() });
  }
}

/**
 * The lake at this address: a folder, or `s3://bucket/prefix`. Names that its lists leave out are added to `foreignNames`.
 * Throws LakeAddressError.
 */
export async function openStore(address: string, foreignNames?: Set<string>): Promise<LakeStore> {
  if (!/^[a-z][a-z0-9+.-]+:\//i.test(address) && address !== '')
    return new FolderStore(address, undefined, foreignNames);
  const place = parseS3Address(address);
  if (place === undefined) throw new LakeAddressError();
  // Loaded here, so that a lake in a folder never waits for the SDK.
  const { S3Store, createS3Client } = await import('./s3.ts');
  return new S3Store(createS3Client(), place, foreignNames);
}

/**
 * Opens the lake for writing, and checks that this is possible before anything is read from the API: lists the bucket,
 * or makes the folder and takes its lock, for as long as the work takes. Throws LakeAddressError and LakeBusyError.
 */
export async function withStoreToWrite<T>(
  address: string,
  request: LockRequest,
  work: (store: LakeStore) => Promise<T>,
  foreignNames?: Set<string>,
): Promise<T> {
  const store = await openStore(address, foreignNames);
  if (!(store instanceof FolderStore)) {
    await store.list(EXPORTACIONES.name)[Symbol.asyncIterator]().next();
    return await work(store);
  }
  const lock = await store.lock(request);
  try {
    return await work(new FolderStore(address, lock, foreignNames));
  } finally {
    await lock.release();
  }
}

/** Opens the lake for reading. Also throws LakeMissingError if there is no such folder. */
export async function openStoreToRead(address: string, foreignNames?: Set<string>): Promise<LakeStore> {
  const store = await openStore(address, foreignNames);
  if (store instanceof FolderStore && !(await isFolder(address))) throw new LakeMissingError(address);
  return store;
}

/** Bucket and prefix of `s3://bucket/prefix`; undefined for anything else. */
export function parseS3Address(address: string): S3Place | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address);
  if (match === null) return undefined;
  const [, bucket = '', path = ''] = match;
  const prefix = path.replace(/\/+$/, '');
  return prefix.startsWith('/') || prefix.includes('//') ? undefined : { bucket, prefix };
}
