import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { S3Refusal, StandInBucket, type StandInObject } from './bucket.ts';

export interface StandInRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface StandInAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

const MAX_KEYS = 1000;

/** Answers S3's REST requests (path style) from buckets in memory. Throws S3Refusal. */
export class S3StandIn {
  readonly buckets = new Map<string, StandInBucket>();

  answer(request: StandInRequest): StandInAnswer {
    const [bucketName = '', ...rest] = request.path.slice(1).split('/');
    const key = rest.map(decodeURIComponent).join('/');
    if (key === '' && request.method === 'PUT') {
      this.buckets.set(bucketName, new StandInBucket());
      return { status: 200 };
    }
    const bucket = this.buckets.get(bucketName);
    if (bucket === undefined) throw new S3Refusal(404, 'NoSuchBucket');
    return key === '' ? list(bucket, bucketName, request) : objectAnswer(bucket, key, request);
  }
}

function objectAnswer(bucket: StandInBucket, key: string, request: StandInRequest): StandInAnswer {
  const uploadId = request.query.get('uploadId');
  switch (request.method) {
    case 'HEAD':
      return { ...read(bucket.find(key), {}), body: '' };
    case 'GET':
      return read(bucket.find(key), request.headers);
    case 'PUT':
      return uploadId === null ? put(bucket, key, request) : putPart(bucket, uploadId, request);
    case 'POST':
      return uploadId === null ? begin(bucket, key, request) : complete(bucket, uploadId, request);
    case 'DELETE':
      if (uploadId === null) bucket.objects.delete(key);
      else bucket.abortUpload(uploadId);
      return { status: 204 };
    default:
      throw new S3Refusal(405, 'MethodNotAllowed');
  }
}

function put(bucket: StandInBucket, key: string, { headers, body }: StandInRequest): StandInAnswer {
  checkBody(headers, body);
  const { etag } = bucket.put(key, body, metadataOf(headers), conditionOf(headers));
  return { status: 200, headers: { etag } };
}

function putPart(bucket: StandInBucket, uploadId: string, request: StandInRequest): StandInAnswer {
  const checksum = checkBody(request.headers, request.body);
  const etag = bucket.putPart(uploadId, Number(request.query.get('partNumber')), request.body);
  return { status: 200, headers: { etag, 'x-amz-checksum-crc32': checksum } };
}

function begin(bucket: StandInBucket, key: string, { headers }: StandInRequest): StandInAnswer {
  const uploadId = bucket.beginUpload(key, metadataOf(headers));
  return xml('InitiateMultipartUploadResult', `<UploadId>${uploadId}</UploadId>`);
}

function complete(bucket: StandInBucket, uploadId: string, { headers, body }: StandInRequest): StandInAnswer {
  const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    partNumber: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
  }));
  const { etag } = bucket.completeUpload(uploadId, named, conditionOf(headers));
  return xml('CompleteMultipartUploadResult', `<ETag>${etag.replaceAll('"', '&quot;')}</ETag>`);
}

function read(object: StandInObject, headers: IncomingHttpHeaders): StandInAnswer {
  if (headers['if-match'] !== undefined && headers['if-match'] !== object.etag) {
    throw new S3Refusal(412, 'PreconditionFailed');
  }
  const metadata = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
  const common = {
    etag: object.etag,
    'last-modified': object.storedAt.toUTCString(),
    ...Object.fromEntries(metadata),
  };
  const total = object.bytes.length;
  const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (range === null) return { status: 200, headers: common, body: object.bytes };
  const [, first = '', last = ''] = range;
  const start = first === '' ? Math.max(0, total - Number(last)) : Number(first);
  const end = first === '' || last === '' ? total : Math.min(total, Number(last) + 1);
  if (start >= end) throw new S3Refusal(416, 'InvalidRange');
  return {
    status: 206,
    headers: { ...common, 'content-range': `bytes ${start}-${end - 1}/${total}` },
    body: object.bytes.subarray(start, end),
  };
}

function list(bucket: StandInBucket, name: string, { query }: StandInRequest): StandInAnswer {
  if (query.has('uploads')) {
    const uploads = [...bucket.uploads].map(
      ([uploadId, { key }]) => `<Upload>${tag('Key', key)}${tag('UploadId', uploadId)}</Upload>`,
    );
    return xml('ListMultipartUploadsResult', uploads.join(''));
  }
  const after = query.get('continuation-token') ?? '';
  const maxKeys = Number(query.get('max-keys') ?? MAX_KEYS);
  const keys = bucket.keys(query.get('prefix') ?? '').filter((key) => key > after);
  const page = keys.slice(0, maxKeys);
  const isTruncated = page.length < keys.length;
  const contents = page.map((key) => {
    const { etag, bytes, storedAt } = bucket.find(key);
    // As S3: whole seconds.
    const modified = `${storedAt.toISOString().slice(0, 19)}.000Z`;
    return `<Contents>${tag('Key', key)}${tag('LastModified', modified)}${tag('ETag', etag)}${tag('Size', String(bytes.length))}</Contents>`;
  });
  return xml(
    'ListBucketResult',
    `${tag('Name', name)}${tag('IsTruncated', String(isTruncated))}` +
      `${isTruncated ? tag('NextContinuationToken', page.at(-1) ?? '') : ''}${contents.join('')}`,
  );
}

/** The body's CRC-32 in base64. Throws if the request states a different one, or none. */
function checkBody(headers: IncomingHttpHeaders, body: Buffer): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  const actual = checksum.toString('base64');
  if (headers['x-amz-checksum-crc32'] !== actual) throw new S3Refusal(400, 'BadDigest');
  return actual;
}

function metadataOf(headers: IncomingHttpHeaders): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice('x-amz-meta-'.length), String(value)]));
}

function conditionOf(headers: IncomingHttpHeaders): { ifMatch?: string; ifNoneMatch?: string } {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

export function xml(element: string, content: string): StandInAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><${element}>${content}</${element}>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function tag(name: string, text: string): string {
  return `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;
}
