import { FolderStore } from './folder.ts';
import type { LakeStore } from './store.ts';

/** Neither a folder nor a bucket. */
export class LakeAddressError extends Error {
  override name = 'LakeAddressError';
  constructor(address: string) {
    super(`"${address}" is no lake: give a folder, or s3://bucket or s3://bucket/prefix.`);
  }
}

/** The lake at this address: a folder, or `s3://bucket/prefix`. Throws LakeAddressError. */
export async function openStore(address: string): Promise<LakeStore> {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(address) && address !== '') return new FolderStore(address);
  const place = parseS3Address(address);
  if (place === undefined) throw new LakeAddressError(address);
  // Loaded here, so that a folder never waits for the SDK.
  const [{ S3Store }, { createS3Client }] = await Promise.all([import('./s3.ts'), import('./s3-client.ts')]);
  return new S3Store(createS3Client(), place);
}

/** Bucket and prefix of `s3://bucket/prefix`; undefined when it is none. */
export function parseS3Address(address: string): { bucket: string; prefix: string } | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address);
  if (match === null) return undefined;
  const [, bucket = '', path = ''] = match;
  const prefix = path.replace(/\/+$/, '');
  return prefix.startsWith('/') || prefix.includes('//') ? undefined : { bucket, prefix };
}
