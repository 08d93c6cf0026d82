import { pipeline, Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import * as v from 'valibot';

/** What an answer may hold that is no range of an object: a thousand keys of a list, or an error. */
const MOST_BYTES = 8 * 1024 * 1024;

const AnswerSchema = v.object({ body: v.instance(Readable) });
const RequestSchema = v.object({ headers: v.object({ range: v.string() }) });

/** A server that sends more than it was asked for, without end even, takes no more memory than that. */
export function boundAnswers(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next) => async (sent) => {
      const answered = await next(sent);
      const { response } = answered;
      if (v.is(AnswerSchema, response))
        response.body = bounded(response.body, MOST_BYTES + rangeBytes(sent.request));
      return answered;
    },
    // Between the connection and what reads its answers.
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  );
  return client;
}

/** The bytes of `bytes=0-99`, or of `bytes=-100`. */
function rangeBytes(request: unknown): number {
  if (!v.is(RequestSchema, request)) return 0;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d+)$/.exec(request.headers.range) ?? [];
  return Number(last) - Number(first) + 1;
}

function bounded(body: Readable, mostBytes: number): Readable {
  let leftBytes = mostBytes;
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      leftBytes -= chunk.length;
      if (leftBytes < 0) done(new Error('the answer has more than was asked for'));
      else done(null, chunk);
    },
  });
  // Whoever reads it gets the error.
  return pipeline(body, counted, () => undefined);
}
