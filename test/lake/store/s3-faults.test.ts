import { Socket } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundAnswers } from '../../../lib/lake/store/bounded-answers.ts';
import { S3Store } from '../../../lib/lake/store/s3.ts';
import { awsConnections } from '../../../lib/system/aws-connections.ts';
import { CfeLakeError } from '../../../lib/system/errors.ts';
import { clientSettings } from '../../support/aws/aws-server.ts';
import { StandInBucket } from '../../support/aws/bucket.ts';
import type { Disturbance } from '../../support/aws/stand-in.ts';
import { startAwsStandIn } from '../../support/aws/stand-in.ts';
import { inChunks, someBytes } from '../../support/lake/bytes.ts';

const standIn = await startAwsStandIn();
const client = boundAnswers(new S3Client({ ...clientSettings(standIn), maxAttempts: 3 }));
const store = new S3Store(client, { bucket: 'lake', prefix: '' });
const MEGABYTE = 1024 * 1024;
const NEW = { metadata: {}, expected: undefined };

let bucket = new StandInBucket();
beforeEach(() => {
  standIn.disturb = undefined;
  standIn.requests.length = 0;
  bucket = new StandInBucket();
  standIn.s3.buckets.set('lake', bucket);
});
afterAll(async () => {
  client.destroy();
  await standIn.close();
});

/** Disturbs the first `count` requests of a method. */
function toFirst(count: number, method: string, what: ReturnType<Disturbance>): Disturbance {
  let left = count;
  return (request) => {
    if (request.method !== method || left === 0) return undefined;
    left -= 1;
    return what;
  };
}

/** The longest after which the SDK's socket timeout is set at once. */
const SILENCE_MS = 5_999;

/** Lets answers to GET stall. To the client, the time passes as soon as the first half of one has come. */
function stallsWithoutWaiting(): (count: number) => Disturbance {
  const limited: Socket[] = [];
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, onTimeout) {
    if (ms === SILENCE_MS) limited.push(this);
    return onTimeout === undefined ? this : this.once('timeout', onTimeout);
  });
  return (count) => {
    const disturb = toFirst(count, 'GET', 'stalls');
    return (request) => {
      const fault = disturb(request);
      const socket = limited.at(-1);
      if (fault === 'stalls') socket?.once('data', () => setImmediate(() => socket.emit('timeout')));
      return fault;
    };
  };
}

const small = () => inChunks(Buffer.from('content'), 3);
const ownFault = { status: 500, body: '<Error><Code>InternalError</Code></Error>' };

describe('S3Store and a network that fails', () => {
  it('sends again what never arrived', async () => {
    standIn.disturb = toFirst(1, 'PUT', 'cut before');
    await store.replace('k', small(), NEW);
    expect(bucket.find('k').bytes.toString()).toBe('content');
    expect(standIn.requests).toHaveLength(2);
  });

  it('recognises its own object when the answer was lost, and does not call it stale', async () => {
    standIn.disturb = toFirst(1, 'PUT', 'cut after');
    expect(await store.replace('k', small(), NEW)).toEqual({ byteCount: 7 });
    expect(standIn.requests.map((request) => request.split(' ')[0])).toEqual(['PUT', 'PUT', 'HEAD']);
  });

  it('recognises its own object in parts when the last answer was lost', async () => {
    let isLost = false;
    standIn.disturb = ({ method, query }) => {
      if (method !== 'POST' || !query.has('uploadId') || isLost) return undefined;
      isLost = true;
      return 'cut after';
    };
    const bytes = someBytes(9 * MEGABYTE);
    expect(await store.replace('k', inChunks(bytes, MEGABYTE), NEW)).toEqual({ byteCount: bytes.length });
    expect(bucket.find('k').bytes.equals(bytes)).toBe(true);
  });

  it('sends again what the service failed at', async () => {
    standIn.disturb = toFirst(2, 'PUT', ownFault);
    await store.replace('k', small(), NEW);
    expect(bucket.find('k').bytes.toString()).toBe('content');
  });

  it('gives up on a service that keeps failing; the object stays as it was', async () => {
    await store.replace('k', small(), NEW);
    const expected = await store.find('k');
    standIn.disturb = toFirst(Number.POSITIVE_INFINITY, 'PUT', ownFault);
    await expect(
      store.replace('k', inChunks(Buffer.from('new'), 1), { metadata: {}, expected }),
    ).rejects.toThrow('s3://lake: writing k failed (InternalError).');
    expect(bucket.find('k').bytes.toString()).toBe('content');
  });

  it('aborts an upload in parts that dies in the middle', async () => {
    let parts = 0;
    standIn.disturb = ({ query }) => {
      if (!query.has('partNumber')) return undefined;
      parts += 1;
      return parts > 1 ? 'cut before' : undefined;
    };
    await expect(store.replace('k', inChunks(someBytes(20 * MEGABYTE), MEGABYTE), NEW)).rejects.toMatchObject(
      { name: 'CfeLakeError' },
    );
    expect(bucket.uploads.size).toBe(0);
    expect(bucket.objects.size).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a range', () => store.open('k')],
    ['a list', () => Array.fromAsync(store.list('tabla'))],
    ['an error', () => store.open('missing')],
  ])('reads no more than it asked for of %s without end', async (_what, read) => {
    await store.replace('k', small(), NEW);
    standIn.endlessBytes = 0;
    standIn.disturb = toFirst(Number.POSITIVE_INFINITY, 'GET', 'endless');
    await expect(read()).rejects.toThrow(CfeLakeError);
    expect(standIn.endlessBytes).toBeLessThan(64 * MEGABYTE);
  });

  it('refuses a list whose next page is the same again, and again', async () => {
    const page =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>';
    standIn.disturb = () => ({ status: 200, body: `${page}</ListBucketResult>` });
    await expect(Array.fromAsync(store.list('tabla'))).rejects.toThrow('listing tabla failed');
    expect(standIn.requests).toHaveLength(2);
  });

  it('asks again for a range whose body broke off', async () => {
    const bytes = someBytes(MEGABYTE);
    await store.replace('k', inChunks(bytes, MEGABYTE), NEW);
    const object = await store.open('k');
    standIn.disturb = toFirst(1, 'GET', {
      status: 206,
      headers: { 'content-range': `bytes 0-99/${MEGABYTE}` },
      body: Buffer.from(bytes.subarray(0, 60)),
    });
    expect(Buffer.from(await object.slice(0, 100))).toEqual(Buffer.from(bytes.subarray(0, 100)));
  });

  it('asks again for what comes to a standstill in the middle', async () => {
    const impatient = new S3Client({
      ...clientSettings(standIn),
      requestHandler: awsConnections(SILENCE_MS),
    });
    onTestFinished(() => impatient.destroy());
    const stalls = stallsWithoutWaiting();
    const stored = new S3Store(impatient, { bucket: 'lake', prefix: '' });
    await stored.replace('d/k', small(), NEW);
    standIn.disturb = stalls(2);
    const object = await stored.open('d/k');
    expect(Buffer.from(await object.slice(0)).toString()).toBe('content');
    standIn.disturb = stalls(1);
    expect(await Array.fromAsync(stored.list('d'))).toEqual(['d/k']);
    expect(standIn.requests.map((request) => request.split(' ')[0]).join(' ')).toBe(
      'PUT GET GET GET GET GET',
    );
  });
});
