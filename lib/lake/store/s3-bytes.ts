import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { statusOf } from './s3-errors.ts';
import type { ObjectBytes } from './store.ts';

/** A Parquet footer fits in nearly always, and so does a whole small object: then one request is enough. */
const TAIL_BYTES = 512 * 1024;
/** The SDK asks again for an answer, but not for a body that breaks off. */
const BODY_ATTEMPTS = 3;

interface Place {
  Bucket: string;
  Key: string;
}

/**
 * The object's bytes, in ranges of one version of it: a range of another version is refused by S3 (status 412).
 * Its end is fetched at once and kept.
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

/** An object of no bytes has no range at all: S3 answers status 416 for its end. */
function orNothing(knownVersion: string | undefined): (error: unknown) => RangeAnswer {
  return (error) => {
    if (statusOf(error) === 416 && knownVersion === undefined) return {};
    throw error;
  };
}

/** From `bytes 0-99/1234`; undefined where the whole object came. */
function totalBytes({ ContentRange }: RangeAnswer): number | undefined {
  const total = ContentRange?.split('/')[1];
  return total === undefined ? undefined : Number(total);
}
