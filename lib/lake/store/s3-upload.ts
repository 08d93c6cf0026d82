import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { inParts } from './parts.ts';

/** Size of a part, and of the largest object that is sent in one request. 10,000 parts are 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;

/** An object to write, under a condition that S3 checks in the same step. */
export interface Upload {
  Bucket: string;
  Key: string;
  Metadata: Record<string, string>;
  /** The ETag that the object must still have. */
  IfMatch?: string;
  /** `*`: there must be no object. */
  IfNoneMatch?: string;
}

const CHECKSUM = { ChecksumAlgorithm: 'CRC32' } as const;

/**
 * Writes the object in one atomic step: a single request, or parts that become the object when they are
 * completed. An upload that fails is aborted, so that its parts are not kept (and paid for).
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
    // Whoever makes the bytes may have something to close.
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
    // The bucket's lifecycle rule takes what can't be aborted now; the first error is the one that matters.
    await client.send(new AbortMultipartUploadCommand(target)).catch(() => undefined);
    throw error;
  }
}
