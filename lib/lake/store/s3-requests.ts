import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { awsFaultOf, CfeLakeError, type LakeUse } from '../../system/errors.ts';
import type { ObjectBytes } from './store.ts';

/** S3 refused a request, or failed. `use`: what the request does, where `whatFailed` says it in other words. */
export function requestError(
  address: string,
  use: LakeUse,
  whatFailed: string,
  error: unknown,
): CfeLakeError {
  const { code, advice = TRY_AGAIN, exitCode } = awsFaultOf(codeOf(error), use);
  return new CfeLakeError(`${address}: ${whatFailed} failed (${code}).`, { advice, exitCode });
}

const TRY_AGAIN = 'No object was left half-written. Try again when S3 and the network work.';

/** Errors with status 403 that are not about permissions. */
const NOT_SIGNED_IN = ['ExpiredToken', 'InvalidAccessKeyId', 'SignatureDoesNotMatch'];

function codeOf(error: unknown): string {
  // The response to a HEAD has no body: only its status tells.
  if (statusOf(error) === 403 && !hasName(error, ...NOT_SIGNED_IN)) return 'AccessDenied';
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : error.name;
}

/** The status of S3's response; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Whether the key is missing, not the bucket. */
export function isMissingKey(error: unknown): boolean {
  return statusOf(error) === 404 && !hasName(error, 'NoSuchBucket');
}

/** Whether S3 refused to write because its condition was not met. */
export function isUnmetCondition(error: unknown): boolean {
  const status = statusOf(error);
  // 404: the object to replace is gone, or an attempt whose response was lost has completed the upload.
  return status === 412 || status === 409 || isMissingKey(error);
}

function hasName(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** Nearly always enough for a Parquet footer, or for a whole small object: one request then does. */
const TAIL_BYTES = 512 * 1024;
/** The SDK retries a request, but not a body that breaks off. */
const BODY_ATTEMPTS = 3;

interface Place {
  Bucket: string;
  Key: string;
}

/**
 * Opens an object for reading by ranges, all of one version: S3 refuses a range of another version (status 412). The end
 * of the object is fetched at once and kept.
 */
export async function openByRanges(
  client: S3Client,
  place: Place,
): Promise<Omit<ObjectBytes, 'name' | 'fingerprint'>> {
  const { bytes: tail, answer } = await fetchRange(client, { ...place, Range: `bytes=-${TAIL_BYTES}` });
  const byteLength = totalBytes(answer) ?? tail.byteLength;
  const tailStart = byteLength - tail.byteLength;
  return {
    byteLength,
    version: answer.ETag ?? '',
    slice: async (start, end = byteLength) => {
      const last = Math.min(end, byteLength);
      if (start >= last) return new ArrayBuffer(0);
      if (start >= tailStart) return tail.slice(start - tailStart, last - tailStart);
      const range = { ...place, IfMatch: answer.ETag, Range: `bytes=${start}-${last - 1}` };
      const { bytes } = await fetchRange(client, range, last - start);
      return bytes;
    },
    close: async () => {},
  };
}

interface Fetched {
  bytes: ArrayBuffer;
  answer: RangeAnswer;
}

async function fetchRange(
  client: S3Client,
  input: Place & { Range: string; IfMatch?: string },
  expectedBytes?: number,
): Promise<Fetched> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await client.send(new GetObjectCommand(input)).catch(orNothing(input.IfMatch));
    try {
      const body = (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
      const length = expectedBytes ?? answer.ContentLength;
      if (length !== undefined && body.byteLength !== length) throw new Error('the answer broke off');
      return { bytes: Uint8Array.from(body).buffer, answer };
    } catch (error) {
      if (attempt === BODY_ATTEMPTS) throw error;
    }
  }
}

type RangeAnswer = Pick<GetObjectCommandOutput, 'Body' | 'ContentLength' | 'ContentRange' | 'ETag'>;

/** An empty object has no ranges: S3 responds with status 416. */
function orNothing(knownVersion: string | undefined): (error: unknown) => RangeAnswer {
  return (error) => {
    if (statusOf(error) === 416 && knownVersion === undefined) return {};
    throw error;
  };
}

/** The total in `bytes 0-99/1234`; undefined if the whole object came. */
function totalBytes({ ContentRange }: RangeAnswer): number | undefined {
  const total = ContentRange?.split('/')[1];
  return total === undefined ? undefined : Number(total);
}

/** Size of a part, and of the largest object sent in one request. 10,000 parts are 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;

/** An object to write, with a condition that S3 checks in the same step. */
export interface Upload {
  Bucket: string;
  Key: string;
  Metadata: Record<string, string>;
  /** The ETag that the object must still have. */
  IfMatch?: string;
  /** `*`: no object may exist. */
  IfNoneMatch?: string;
}

const CHECKSUM = { ChecksumAlgorithm: 'CRC32' } as const;

/**
 * Writes the object in one atomic step: a single request, or parts that become the object on completion. A failed
 * upload is aborted, so that its parts are not kept and paid for.
 */
export async function uploadObject(
  client: S3Client,
  upload: Upload,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ byteCount: number }> {
  const parts = inParts(bytes, PART_BYTES);
  try {
    const first = await parts.next();
    const Body = first.done ? new Uint8Array() : first.value;
    const second = await parts.next();
    if (!second.done) return await uploadParts(client, upload, [Body, second.value], parts);
    await client.send(new PutObjectCommand({ ...upload, ...CHECKSUM, Body }));
    return { byteCount: Body.length };
  } finally {
    // The source of the bytes may have something to close.
    await parts.return();
  }
}

async function uploadParts(
  client: S3Client,
  { IfMatch, IfNoneMatch, Metadata, ...place }: Upload,
  firstParts: readonly Uint8Array[],
  furtherParts: AsyncIterable<Uint8Array>,
): Promise<{ byteCount: number }> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...place, ...CHECKSUM, Metadata }),
  );
  const target = { ...place, UploadId };
  try {
    const completed: CompletedPart[] = [];
    let byteCount = 0;
    const send = async (Body: Uint8Array): Promise<void> => {
      const PartNumber = completed.length + 1;
      const sent = await client.send(new UploadPartCommand({ ...target, ...CHECKSUM, PartNumber, Body }));
      completed.push({ PartNumber, ETag: sent.ETag, ChecksumCRC32: sent.ChecksumCRC32 });
      byteCount += Body.length;
    };
    for (const part of firstParts) await send(part);
    for await (const part of furtherParts) await send(part);
    await client.send(
      new CompleteMultipartUploadCommand({
        ...target,
        IfMatch,
        IfNoneMatch,
        MultipartUpload: { Parts: completed },
      }),
    );
    return { byteCount };
  } catch (error) {
    // If aborting fails, the bucket's lifecycle rule removes the parts. The first error is the one that matters.
    await client.send(new AbortMultipartUploadCommand(target)).catch(() => undefined);
    throw error;
  }
}

/**
 * The same bytes in parts of `partBytes`, the last one shorter. No bytes at all give one empty part. Holds one part and
 * one chunk of the source in memory.
 */
export async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let pieces: Uint8Array[] = [];
  let waitingBytes = 0;
  let partsGiven = 0;
  for await (const chunk of chunks) {
    let remainder = chunk;
    // Only if more follows, so that a last part of exactly this size is known to be the last.
    while (waitingBytes + remainder.length > partBytes) {
      pieces.push(remainder.subarray(0, partBytes - waitingBytes));
      remainder = remainder.subarray(partBytes - waitingBytes);
      yield Buffer.concat(pieces, partBytes);
      partsGiven += 1;
      pieces = [];
      waitingBytes = 0;
    }
    if (remainder.length > 0) pieces.push(remainder);
    waitingBytes += remainder.length;
  }
  if (waitingBytes > 0 || partsGiven === 0) yield Buffer.concat(pieces, waitingBytes);
}
