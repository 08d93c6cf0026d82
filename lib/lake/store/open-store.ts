import { stat } from 'node:fs/promises';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../../errors.ts';
import { EXPORTACIONES } from '../tables.ts';
import { ExplainedFolderStore } from './explained-folder.ts';
import type { S3Place, S3Store } from './s3.ts';
import type { LakeStore } from './store.ts';

/** Neither a folder nor a bucket. What it is instead is not repeated: an address may hold a password. */
export class LakeAddressError extends CfeLakeError {
  override name = 'LakeAddressError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor() {
    super('--lake: that is no lake.', { advice: 'Give a folder, or s3://bucket or s3://bucket/prefix.' });
  }
}

/** There is nothing to read. */
export class LakeMissingError extends CfeLakeError {
  override name = 'LakeMissingError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(folder: string) {
    // A default is named; of what was typed, nobody knows whether it is a folder's name at all.
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
  // Loaded here, so that a folder never waits for the SDK.
  const { S3Store, createS3Client } = await import('./s3.ts');
  return new S3Store(createS3Client(), place);
}

/**
 * The same to write to, tried before anything is read for it: the folder is made and takes a file, the bucket is
 * there and lists its keys. Throws LakeAddressError, LakeFolderError or LakeRequestError.
 */
export async function openStoreToWrite(address: string): Promise<LakeStore> {
  const store = await openStore(address);
  if (store instanceof ExplainedFolderStore) await store.makeReady();
  else await store.list(EXPORTACIONES.name)[Symbol.asyncIterator]().next();
  return store;
}

/** The same to read from. Throws LakeMissingError besides when there is no such folder. */
export async function openStoreToRead(address: string): Promise<LakeStore> {
  const store = await openStore(address);
  if (store instanceof ExplainedFolderStore) await assertLakeFolder(address);
  return store;
}

/** Throws LakeMissingError when there is no such folder. */
export async function assertLakeFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new LakeMissingError(folder);
}

/** Bucket and prefix of `s3://bucket/prefix`; undefined when it is none. */
export function parseS3Address(address: string): S3Place | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address);
  if (match === null) return undefined;
  const [, bucket = '', path = ''] = match;
  const prefix = path.replace(/\/+$/, '');
  return prefix.startsWith('/') || prefix.includes('//') ? undefined : { bucket, prefix };
}
