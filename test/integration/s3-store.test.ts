import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { clientSettings, startAwsServer, startStandIn } from '../support/aws/aws-server.ts';
import { campaign } from '../support/campaign.ts';
import { failingAfter, inChunks, someBytes } from '../support/lake/bytes.ts';

const server = await campaign({ quick: startStandIn, long: startAwsServer })();
const client = new S3Client(clientSettings(server));
const bucket = 'lake-of-tests';
const store = new S3Store(client, { bucket, prefix: 'a/prefix' });
const MEGABYTE = 1024 * 1024;

beforeAll(() => client.send(new CreateBucketCommand({ Bucket: bucket })));
afterAll(async () => {
  client.destroy();
  await server.close();
});

const small = (text: string) => inChunks(Buffer.from(text), 7);
const write = (key: string, text: string) =>
  store.replace(key, small(text), { metadata: {}, expected: undefined });

async function contentOf(key: string): Promise<Buffer> {
  const bytes = await store.open(key);
  return Buffer.from(await bytes.slice(0, bytes.byteLength));
}

async function openUploads(): Promise<number> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return Uploads.length;
}

const keysIn = (folder: string, ofStore = store) => Array.fromAsync(ofStore.list(folder));

describe(`S3Store on ${server.name}`, () => {
  it('has no object that was not written', async () => {
    expect(await store.find('recibidos/none.parquet')).toBeUndefined();
    await expect(store.open('recibidos/none.parquet')).rejects.toThrow(
      `s3://${bucket}/a/prefix holds no recibidos/none.parquet`,
    );
  });

  it('keeps exactly the metadata that was given, and the time', async () => {
    const before = Date.now();
    const metadata = { 'cfe-lake.content-sha256': 'ab12', other: 'x y' };
    const key = 'recibidos/fecha=2026-11-19/219999830019.parquet';
    const written = await store.replace(key, small('content'), { metadata, expected: undefined });
    expect(written).toEqual({ byteCount: 7 });
    const found = await store.find(key);
    const version = expect.stringMatching(/./);
    expect(found).toEqual({ key, byteCount: 7, version, storedAtMs: expect.any(Number), metadata });
    // S3 keeps times in whole seconds.
    expect(Math.abs((found?.storedAtMs ?? 0) - before)).toBeLessThan(10_000);
    expect((await contentOf(key)).toString()).toBe('content');
  });

  it('refuses to replace what somebody else replaced, created or removed meanwhile', async () => {
    await write('contested', 'first');
    const expected = await store.find('contested');
    await store.replace('contested', small('theirs'), { metadata: {}, expected });
    await expect(store.replace('contested', small('ours'), { metadata: {}, expected })).rejects.toThrow(
      'contested was replaced by another run meanwhile',
    );
    await expect(write('contested', 'ours')).rejects.toMatchObject({ name: 'StaleObjectError' });
    expect((await contentOf('contested')).toString()).toBe('theirs');
    await store.remove('contested');
    await expect(store.replace('contested', small('ours'), { metadata: {}, expected })).rejects.toMatchObject(
      { name: 'StaleObjectError' },
    );
  });

  it('lets one of many writers win', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
    const results = await Promise.allSettled(texts.map((text) => write('race', text)));
    const winners = texts.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(winners).toEqual([(await contentOf('race')).toString()]);
  });

  it('writes a large object in parts, under the same conditions', async () => {
    const bytes = someBytes(17 * MEGABYTE + 3);
    const metadata = { 'cfe-lake.content-sha256': 'cd34' };
    const source = () => inChunks(bytes, 3 * MEGABYTE + 1);
    const written = await store.replace('large', source(), { metadata, expected: undefined });
    expect(written).toEqual({ byteCount: bytes.length });
    expect(await store.find('large')).toMatchObject({ byteCount: bytes.length, metadata });
    expect((await contentOf('large')).equals(bytes)).toBe(true);
    await expect(store.replace('large', source(), { metadata, expected: undefined })).rejects.toMatchObject({
      name: 'StaleObjectError',
    });
    expect(await openUploads()).toBe(0);
  });

  it('leaves the object as it was, and no parts, when its maker fails half-way', async () => {
    await write('kept', 'first');
    const expected = await store.find('kept');
    const failing = () => failingAfter(5, someBytes(20 * MEGABYTE), 3 * MEGABYTE);
    await expect(store.replace('kept', failing(), { metadata: {}, expected })).rejects.toThrow(
      'the encoder failed',
    );
    expect((await contentOf('kept')).toString()).toBe('first');
    expect(await store.find('kept')).toEqual(expected);
    expect(await openUploads()).toBe(0);
  });

  it('reads any range', async () => {
    const bytes = someBytes(2 * MEGABYTE);
    await store.replace('ranges', inChunks(bytes, MEGABYTE), { metadata: {}, expected: undefined });
    const object = await store.open('ranges');
    expect(object.byteLength).toBe(bytes.length);
    const tail = bytes.length - 512 * 1024;
    for (const [start, end] of [
      [0, 1],
      [0, 0],
      [5, 5_000],
      [tail - 1, tail + 1],
      [tail, bytes.length],
      [bytes.length - 8, undefined],
      [bytes.length - 8, bytes.length + 100],
      [bytes.length, bytes.length + 1],
    ] as const) {
      expect(Buffer.from(await object.slice(start, end))).toEqual(Buffer.from(bytes.slice(start, end)));
    }
  });

  it('never mixes two versions in one reading', async () => {
    const write = async (seed: number) =>
      store.replace('changing', inChunks(someBytes(MEGABYTE, seed), MEGABYTE), {
        metadata: {},
        expected: await store.find('changing'),
      });
    await write(1);
    const object = await store.open('changing');
    await write(2);
    await expect(object.slice(0, 100)).rejects.toMatchObject({ name: 'ObjectChangedError' });
  });

  it('lists a folder of more than one page, without its neighbours', async () => {
    // With S3's usual pages of 1,000 keys, the test would need more than 1,000 objects.
    client.middlewareStack.add((next) => (args) => next({ ...args, input: { ...args.input, MaxKeys: 40 } }), {
      step: 'initialize',
      name: 'small pages',
    });
    onTestFinished(() => void client.middlewareStack.remove('small pages'));
    const keys = Array.from({ length: 103 }, (_, index) => `many/p=1/${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 50) {
      await Promise.all(keys.slice(start, start + 50).map((key) => write(key, 'x')));
    }
    await write('many/p=10/neighbour', 'x');
    await write('many-neighbour', 'x');
    expect(await keysIn('many/p=1')).toEqual(keys);
    expect(await keysIn('none')).toEqual([]);
    const elsewhere = new S3Store(client, { bucket, prefix: 'another' });
    expect(await keysIn('many/p=1', elsewhere)).toEqual([]);
  });

  it('removes an object, and does not mind when there is none', async () => {
    await write('removed', 'x');
    await store.remove('removed');
    await store.remove('removed');
    expect(await store.find('removed')).toBeUndefined();
  });

  it('says which bucket is missing', async () => {
    const nowhere = new S3Store(client, { bucket: 'no-such-bucket', prefix: '' });
    await expect(nowhere.replace('k', small('x'), { metadata: {}, expected: undefined })).rejects.toThrow(
      's3://no-such-bucket: writing k failed (NoSuchBucket). There is no such bucket',
    );
  });
});
