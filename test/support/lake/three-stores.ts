import { S3Client } from '@aws-sdk/client-s3';
import { afterAll } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { S3Store } from '../../../lib/lake/store/s3.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { clientSettings } from '../aws/aws-server.ts';
import { StandInBucket } from '../aws/bucket.ts';
import { type AwsStandIn, startAwsStandIn } from '../aws/stand-in.ts';
import { newFolder } from './lake-folder.ts';
import { MemoryStore } from './memory-store.ts';

/** Opens an empty lake. `now` is the clock of stores that have one. */
export type OpenStore = (now?: () => number) => LakeStore;

/** Lakes in memory, in a folder and in a stand-in's bucket. The stand-in is closed after the file's tests. */
export async function threeStores(): Promise<{
  stores: [name: string, open: OpenStore][];
  bucket: (now?: () => number) => S3Store;
  standIn: AwsStandIn;
}> {
  const standIn = await startAwsStandIn();
  const client = new S3Client(clientSettings(standIn));
  afterAll(async () => {
    client.destroy();
    await standIn.close();
  });
  let buckets = 0;
  const bucket = (now?: () => number) => {
    buckets += 1;
    standIn.s3.buckets.set(`lake${buckets}`, new StandInBucket(now));
    return new S3Store(client, { bucket: `lake${buckets}`, prefix: 'a' });
  };
  const stores: [string, OpenStore][] = [
    ['memory', (now = () => 0) => new MemoryStore(now)],
    ['a folder', () => new FolderStore(newFolder())],
    ['a bucket', bucket],
  ];
  return { stores, bucket, standIn };
}
