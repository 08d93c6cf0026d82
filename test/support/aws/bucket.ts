import { createHash, randomUUID } from 'node:crypto';

export interface StandInObject {
  bytes: Buffer;
  etag: string;
  storedAt: Date;
  /** The `x-amz-meta-…` headers, without that prefix. */
  metadata: Readonly<Record<string, string>>;
}

/** The condition of a write: the current object's ETag, or `*` if there must be no object. */
export interface Condition {
  ifMatch?: string;
  ifNoneMatch?: string;
}

/** An error as S3 names it. */
export class S3Refusal extends Error {
  override name = 'S3Refusal';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

interface MultipartUpload {
  key: string;
  metadata: Readonly<Record<string, string>>;
  parts: Map<number, Buffer>;
}

const LEAST_PART_BYTES = 5 * 1024 * 1024;

/** The objects of a bucket in memory, with S3's rules for conditional writes and uploads in parts. */
export class StandInBucket {
  readonly objects = new Map<string, StandInObject>();
  readonly uploads = new Map<string, MultipartUpload>();
  private readonly now: () => number;

  constructor(now = () => Date.now()) {
    this.now = now;
  }

  find(key: string): StandInObject {
    const object = this.objects.get(key);
    if (object === undefined) throw new S3Refusal(404, 'NoSuchKey');
    return object;
  }

  put(
    key: string,
    bytes: Buffer,
    metadata: Readonly<Record<string, string>>,
    condition: Condition,
  ): StandInObject {
    return this.store(
      key,
      { bytes, metadata, etag: `"${md5(bytes)}"`, storedAt: new Date(this.now()) },
      condition,
    );
  }

  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  beginUpload(key: string, metadata: Readonly<Record<string, string>>): string {
    const uploadId = randomUUID();
    this.uploads.set(uploadId, { key, metadata, parts: new Map() });
    return uploadId;
  }

  putPart(uploadId: string, partNumber: number, bytes: Buffer): string {
    this.upload(uploadId).parts.set(partNumber, bytes);
    return `"${md5(bytes)}"`;
  }

  completeUpload(
    uploadId: string,
    named: readonly { partNumber: number; etag: string }[],
    condition: Condition,
  ): StandInObject {
    const { key, metadata, parts } = this.upload(uploadId);
    const bodies = named.map(({ partNumber, etag }) => {
      const part = parts.get(partNumber);
      if (part === undefined || etag !== `"${md5(part)}"`) throw new S3Refusal(400, 'InvalidPart');
      return part;
    });
    if (bodies.length === 0) throw new S3Refusal(400, 'MalformedXML');
    if (named.some(({ partNumber }, index) => partNumber <= (named[index - 1]?.partNumber ?? 0))) {
      throw new S3Refusal(400, 'InvalidPartOrder');
    }
    if (bodies.slice(0, -1).some((part) => part.length < LEAST_PART_BYTES)) {
      throw new S3Refusal(400, 'EntityTooSmall');
    }
    const digests = Buffer.concat(bodies.map((part) => Buffer.from(md5(part), 'hex')));
    const etag = `"${md5(digests)}-${bodies.length}"`;
    const stored = this.store(
      key,
      { bytes: Buffer.concat(bodies), metadata, etag, storedAt: new Date(this.now()) },
      condition,
    );
    this.uploads.delete(uploadId);
    return stored;
  }

  abortUpload(uploadId: string): void {
    this.upload(uploadId);
    this.uploads.delete(uploadId);
  }

  private store(key: string, object: StandInObject, { ifMatch, ifNoneMatch }: Condition): StandInObject {
    const standing = this.objects.get(key);
    if (ifNoneMatch !== undefined && standing !== undefined) throw new S3Refusal(412, 'PreconditionFailed');
    if (ifMatch !== undefined && standing === undefined) throw new S3Refusal(404, 'NoSuchKey');
    if (ifMatch !== undefined && standing?.etag !== ifMatch) throw new S3Refusal(412, 'PreconditionFailed');
    this.objects.set(key, object);
    return object;
  }

  private upload(uploadId: string): MultipartUpload {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined) throw new S3Refusal(404, 'NoSuchUpload');
    return upload;
  }
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}
