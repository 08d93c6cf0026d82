import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3Store } from '../../../lib/lake/store/s3.ts';
import { PART_BYTES } from '../../../lib/lake/store/s3-requests.ts';
import { inChunks, someBytes } from '../../support/lake/bytes.ts';

const client = new S3Client({});
const s3 = mockClient(client);
const store = new S3Store(client, { bucket: 'lake', prefix: 'p' });
const NEW = { metadata: { hash: 'ab' }, expected: undefined };
const FOUND = { key: 'k', byteCount: 1, version: '"e1"', storedAtMs: 0, metadata: {} };

beforeEach(() => void s3.reset());

function refusal(name: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({
    name,
    $fault: 'client',
    $metadata: { httpStatusCode },
    message: 'as S3 says',
  });
}

const small = () => inChunks(Buffer.from('content'), 3);
const large = () => inChunks(someBytes(2 * PART_BYTES + 1), PART_BYTES);

describe('a small object', () => {
  it('is one request, with its condition, its metadata and a checksum', async () => {
    s3.on(PutObjectCommand).resolves({});
    await store.replace('k', small(), { metadata: { hash: 'ab' }, expected: FOUND });
    await store.replace('k', small(), NEW);
    expect(s3.calls()).toHaveLength(2);
    const [first, second] = s3.commandCalls(PutObjectCommand).map(({ args }) => args[0].input);
    expect(first).toMatchObject({ Bucket: 'lake', Key: 'p/k', IfMatch: '"e1"', ChecksumAlgorithm: 'CRC32' });
    expect(first?.Metadata).toMatchObject({ hash: 'ab' });
    expect(first?.IfNoneMatch).toBeUndefined();
    expect(second).toMatchObject({ IfNoneMatch: '*' });
    expect(second?.IfMatch).toBeUndefined();
  });

  it.each([
    ['PreconditionFailed', 412],
    ['ConditionalRequestConflict', 409],
    ['NoSuchKey', 404],
  ])('is stale after %s', async (name, status) => {
    s3.on(PutObjectCommand).rejects(refusal(name, status));
    s3.on(HeadObjectCommand).resolves({ Metadata: { 'cfe-lake.write-id': 'somebody else' } });
    const replacing = store.replace('k', small(), { metadata: {}, expected: FOUND });
    await expect(replacing).rejects.toThrow('k was replaced by another run meanwhile.');
  });
});

describe('an object in parts', () => {
  beforeEach(() => {
    s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'u' });
    s3.on(UploadPartCommand).callsFake(({ PartNumber }) => ({ ETag: `"${PartNumber}"`, ChecksumCRC32: 'c' }));
    s3.on(CompleteMultipartUploadCommand).resolves({});
    s3.on(AbortMultipartUploadCommand).resolves({});
  });

  it('is aborted, and stale, when another was written meanwhile', async () => {
    s3.on(CompleteMultipartUploadCommand).rejects(refusal('PreconditionFailed', 412));
    s3.on(HeadObjectCommand).resolves({ Metadata: {} });
    await expect(store.replace('k', large(), NEW)).rejects.toMatchObject({ name: 'StaleObjectError' });
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(1);
  });

  it('fails with the first error when aborting fails too', async () => {
    s3.on(UploadPartCommand).rejects(refusal('AccessDenied', 403));
    s3.on(AbortMultipartUploadCommand).rejects(refusal('InternalError', 500));
    await expect(store.replace('k', large(), NEW)).rejects.toThrow(
      /writing k failed \(AccessDenied\)\. Allow s3:/,
    );
  });
});

describe('what S3 refuses', () => {
  it.each([
    ['NoSuchBucket', 404, /failed \(NoSuchBucket\)\. There is no such bucket/],
    ['PermanentRedirect', 301, /another region: set AWS_REGION/],
    ['ExpiredToken', 403, /failed \(ExpiredToken\)\. Sign in to AWS first/],
    ['SignatureDoesNotMatch', 403, /failed \(SignatureDoesNotMatch\)\. Sign in to AWS first/],
    ['InternalError', 500, /failed \(InternalError\)\. No object was left half-written\. Try again/],
    ['SlowDown', 503, /\(SlowDown\)\. S3 asks for fewer requests: export fewer companies at a time\.$/],
  ])('%s says what to do, whatever was asked', async (name, status, message) => {
    s3.rejects(refusal(name, status));
    const list = async () => {
      for await (const _ of store.list('f'));
    };
    for (const asked of [
      store.find('k'),
      store.open('k'),
      store.replace('k', small(), NEW),
      store.remove('k'),
      list(),
    ]) {
      await expect(asked).rejects.toThrow(message);
    }
  });

  it('asks for no more than what was done needs', async () => {
    s3.rejects(refusal('AccessDenied', 403));
    const list = async () => {
      for await (const _ of store.list('f'));
    };
    const refused = async (asked: Promise<unknown>) => {
      const message = await asked.then(() => '', String);
      return [...new Set(message.match(/(?:s3|kms):\w+/g))].sort();
    };
    const reading = ['kms:Decrypt', 's3:GetObject', 's3:ListBucket'];
    expect(await refused(store.find('k'))).toEqual(reading);
    expect(await refused(store.open('k'))).toEqual(reading);
    expect(await refused(list())).toEqual(reading);
    const writing = ['kms:GenerateDataKey', 's3:AbortMultipartUpload', 's3:PutObject'];
    expect(await refused(store.replace('k', small(), NEW))).toEqual([...reading, ...writing].sort());
    expect(await refused(store.remove('k'))).toEqual(['s3:DeleteObject']);
  });

  it('recognises a refused HEAD by its status: it has no body', async () => {
    s3.on(HeadObjectCommand).rejects(refusal('403', 403));
    await expect(store.find('k')).rejects.toThrow('s3://lake/p: looking up k failed (AccessDenied).');
  });

  it('says to sign in when there are no credentials', async () => {
    const error = new Error('Could not load credentials from any providers');
    error.name = 'CredentialsProviderError';
    s3.on(HeadObjectCommand).rejects(error);
    await expect(store.find('k')).rejects.toThrow(/\(CredentialsProviderError\)\. Sign in to AWS first/);
  });

  it('states the reason of an error that is not S3’s', async () => {
    s3.on(HeadObjectCommand).rejects(new Error('Region is missing'));
    await expect(store.find('k')).rejects.toThrow('looking up k failed (Region is missing).');
  });
});
