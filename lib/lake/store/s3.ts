import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { awsConnections } from '../../system/aws-connections.ts';
import type { LakeUse } from '../../system/errors.ts';
import { assertNotEnding } from '../../system/under-way.ts';
import { isHidden, isWritten } from '../layout.ts';
import { boundAnswers } from './bounded-answers.ts';
import {
  isMissingKey,
  isUnmetCondition,
  openByRanges,
  requestError,
  statusOf,
  uploadObject,
} from './s3-requests.ts';
import {
  type LakeStore,
  type ListedObject,
  type ObjectBytes,
  ObjectChangedError,
  ObjectMissingError,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
} from './store.ts';

/** Region, credentials and endpoint come from the environment, as AWS defines. */
export function createS3Client(environment: NodeJS.ProcessEnv = process.env): S3Client {
  const client = new S3Client({
    followRegionRedirects: true,
    maxAttempts: 5,
    // Other S3 servers rarely have a host name for each bucket.
    forcePathStyle: (environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL) !== undefined,
    requestHandler: awsConnections(),
  });
  return boundAnswers(client);
}

/** A list of more pages takes long, or has no end. */
const MOST_SHORT_PAGES = 100;

/** Identifies one write, so that a writer recognises its own after a lost response. */
const WRITE_ID = 'cfe-lake.write-id';

export interface S3Place {
  bucket: string;
  /** Comes before the lake's keys; '', or without a slash at its ends. */
  prefix: string;
}

/**
 * A lake in a bucket. The version of an object is its ETag. A replacement is a conditional write (`If-Match`, or
 * `If-None-Match: *` for a new object), so that one of two writers is refused. Metadata names and values are printable
 * ASCII.
 */
export class S3Store implements LakeStore {
  readonly address: string;
  readonly foreignNames: Set<string>;
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  constructor(client: S3Client, { bucket, prefix }: S3Place, foreignNames = new Set<string>()) {
    this.client = client;
    this.foreignNames = foreignNames;
    this.bucket = bucket;
    this.prefix = prefix === '' ? '' : `${prefix}/`;
    this.address = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const head = await this.head(key);
    if (head === undefined) return undefined;
    const { ContentLength: byteCount = 0, ETag: version = '', LastModified, Metadata = {} } = head;
    const { [WRITE_ID]: _, ...metadata } = Metadata;
    return { key, byteCount, version, storedAtMs: LastModified?.getTime() ?? 0, metadata };
  }

  async open(key: string): Promise<ObjectBytes> {
    const named = (error: unknown): never => {
      if (isMissingKey(error)) throw new ObjectMissingError(key, this.address);
      if (statusOf(error) === 412) throw new ObjectChangedError(key, this.address);
      throw requestError(this.address, 'reading', `reading ${key}`, error);
    };
    const bytes = await openByRanges(this.client, this.place(key)).catch(named);
    const name = `${key} in ${this.address}`;
    return {
      ...bytes,
      name,
      slice: (start, end) => bytes.slice(start, end).catch(named),
    };
  }

  async replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { metadata, expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    const writeId = randomUUID();
    const condition = expected === undefined ? { IfNoneMatch: '*' } : { IfMatch: expected.version };
    const Metadata = { ...metadata, [WRITE_ID]: writeId };
    let hasSourceFailed = false;
    async function* watched(): AsyncGenerator<Uint8Array> {
      try {
        yield* bytes;
      } catch (error) {
        hasSourceFailed = true;
        throw error;
      }
    }
    try {
      return await uploadObject(this.client, { ...this.place(key), ...condition, Metadata }, watched());
    } catch (error) {
      if (hasSourceFailed) throw error;
      if (!isUnmetCondition(error)) throw requestError(this.address, 'writing', `writing ${key}`, error);
      // The SDK repeats a write whose response was lost. The repetition then finds the object of the first one.
      const written = await this.head(key);
      if (written?.Metadata?.[WRITE_ID] === writeId) return { byteCount: written.ContentLength ?? 0 };
      throw new StaleObjectError(key);
    }
  }

  async *list(folder: string): AsyncGenerator<string> {
    for await (const { key } of this.listFingerprints(folder)) yield key;
  }

  listTimes(folder: string): AsyncGenerator<ListedObject> {
    return this.listFingerprints(folder);
  }

  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    const pages = paginateListObjectsV2(
      { client: this.client },
      { Bucket: this.bucket, Prefix: `${this.prefix}${folder}/` },
    );
    let pageCount = 0;
    let before: string | undefined;
    try {
      for await (const { Contents = [], NextContinuationToken: next } of pages) {
        pageCount += 1;
        if (pageCount > MOST_SHORT_PAGES) assertNotEnding();
        if (next !== undefined && next === before) throw new Error('the list has no end');
        before = next;
        for (const { Key = '', ETag: fingerprint = '', Size: byteCount = 0, LastModified } of Contents) {
          const key = Key.slice(this.prefix.length);
          const storedAtMs = LastModified?.getTime() ?? 0;
          if (isWritten(key)) yield { key, byteCount, storedAtMs, version: fingerprint, fingerprint };
          else if (!isHidden(key)) this.foreignNames.add(key);
        }
      }
    } catch (error) {
      throw requestError(this.address, 'reading', `listing ${folder}`, error);
    }
  }

  async fingerprintOf({ version }: StoredObject): Promise<string> {
    return version;
  }

  async remove(key: string): Promise<void> {
    await this.client
      .send(new DeleteObjectCommand(this.place(key)))
      .catch(this.failed('removing', `removing ${key}`));
  }

  private async head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const failed = this.failed('reading', `looking up ${key}`);
    return await this.client
      .send(new HeadObjectCommand(this.place(key)))
      .catch((error: unknown) => (isMissingKey(error) ? undefined : failed(error)));
  }

  private failed(use: LakeUse, whatFailed: string): (error: unknown) => never {
    return (error) => {
      throw requestError(this.address, use, whatFailed, error);
    };
  }

  private place(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: `${this.prefix}${key}` };
  }
}
