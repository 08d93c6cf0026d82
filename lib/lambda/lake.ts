import { createS3Client, S3Store } from '../lake/store/s3.ts';
import type { LakeStore } from '../lake/store/store.ts';

/** The stack's lake: it has a bucket of its own. */
export function openLake(bucket: string): LakeStore {
  return new S3Store(createS3Client(), { bucket, prefix: '' });
}
