import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { openStore, parseS3Address } from '../../../lib/lake/store/open-store.ts';
import { S3Store } from '../../../lib/lake/store/s3.ts';

describe('openStore', () => {
  it.each(['./lake', 'lake', '/var/lake', '../s3:', 'C:\\lake'])('opens %s as a folder', async (address) => {
    const store = await openStore(address);
    expect(store).toBeInstanceOf(FolderStore);
    expect(store.address).toBe(address);
  });

  it.each([
    ['s3://a-bucket', 's3://a-bucket'],
    ['s3://a-bucket/', 's3://a-bucket'],
    ['s3://a-bucket/deep/prefix/', 's3://a-bucket/deep/prefix'],
  ])('opens %s as a bucket', async (address, shown) => {
    const store = await openStore(address);
    expect(store).toBeInstanceOf(S3Store);
    expect(store.address).toBe(shown);
  });

  it.each(['', 's3://', 's3://A_Bucket', 's3://x', 's3://a-bucket//x', 'S3://a-bucket', 'gs://a-bucket'])(
    'refuses %j and says what a lake is',
    async (address) => {
      await expect(openStore(address)).rejects.toThrow(
        '--lake does not name a lake. Give a folder, or s3://bucket or s3://bucket/prefix.',
      );
    },
  );
});

it('parseS3Address splits bucket and prefix', () => {
  expect(parseS3Address('s3://cfe.lake-1/a/b')).toEqual({ bucket: 'cfe.lake-1', prefix: 'a/b' });
  expect(parseS3Address('s3://cfe.lake-1')).toEqual({ bucket: 'cfe.lake-1', prefix: '' });
});
