import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Refusal } from './bucket.ts';
import { EventsStandIn } from './events-answers.ts';
import { S3StandIn, type StandInAnswer, type StandInRequest, xml } from './s3-answers.ts';
import { SecretsStandIn } from './secrets-answers.ts';
import { StepsStandIn } from './steps-answers.ts';

/**
 * A fault of a request: another answer, a connection that is cut before or after the request is handled, an answer of
 * which the second half never comes, or one that goes on without end.
 */
type Fault = StandInAnswer | 'cut before' | 'cut after' | 'stalls' | 'endless' | undefined;

const MORE = Buffer.alloc(64 * 1024, ' ');

export type Disturbance = (request: StandInRequest) => Fault | Promise<Fault>;

export interface AwsStandIn {
  url: string;
  s3: S3StandIn;
  secrets: SecretsStandIn;
  steps: StepsStandIn;
  events: EventsStandIn;
  /** `METHOD path?query` of every request. */
  requests: string[];
  /** Set by tests that need a fault. */
  disturb: Disturbance | undefined;
  /** How much of answers without end was sent. */
  endlessBytes: number;
  close(): Promise<void>;
}

/** S3, Secrets Manager, the start of executions and events over HTTP on loopback, in this process and in memory. */
export async function startAwsStandIn(): Promise<AwsStandIn> {
  const server = createServer(async (message, response) => {
    const request = await receive(message);
    standIn.requests.push(`${request.method} ${message.url}`);
    const disturbance = await standIn.disturb?.(request);
    if (disturbance === 'cut before') {
      response.socket?.destroy();
      return;
    }
    const given = typeof disturbance === 'object' ? disturbance : answerTo(request, standIn);
    if (disturbance === 'cut after') {
      response.socket?.destroy();
      return;
    }
    const body = Buffer.from(given.body ?? '');
    const isHead = request.method === 'HEAD';
    if (disturbance === 'endless') {
      response.writeHead(given.status, given.headers);
      response.write(body);
      const goOn = () => {
        while (!response.destroyed && response.write(MORE)) standIn.endlessBytes += MORE.length;
        if (!response.destroyed) response.once('drain', goOn);
      };
      goOn();
      return;
    }
    const length = isHead ? headLength(request, standIn) : body.length;
    response.writeHead(given.status, { ...given.headers, 'content-length': String(length) });
    if (disturbance === 'stalls') response.write(body.subarray(0, body.length / 2));
    else response.end(isHead ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const standIn: AwsStandIn = {
    url: `http://127.0.0.1:${port}`,
    s3: new S3StandIn(),
    secrets: new SecretsStandIn(),
    steps: new StepsStandIn(),
    events: new EventsStandIn(),
    requests: [],
    disturb: undefined,
    endlessBytes: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;
}

async function receive(message: IncomingMessage): Promise<StandInRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://stand-in');
  return {
    method: message.method ?? '',
    path: pathname,
    query: searchParams,
    headers: message.headers,
    body: Buffer.concat(chunks),
  };
}

function answerTo(request: StandInRequest, { s3, secrets, steps, events }: AwsStandIn): StandInAnswer {
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') {
    const [service, operation = ''] = target.split('.');
    const body = request.body.toString();
    if (service === 'AWSEvents') return events.answer(operation, body);
    return service === 'AWSStepFunctions' ? steps.answer(operation, body) : secrets.answer(operation, body);
  }
  try {
    return s3.answer(request);
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error;
    return {
      ...xml('Error', `<Code>${error.code}</Code><Message>${error.code}</Message>`),
      status: error.status,
    };
  }
}

function headLength({ path }: StandInRequest, { s3 }: AwsStandIn): number {
  const [bucket = '', ...key] = path.slice(1).split('/');
  return s3.buckets.get(bucket)?.objects.get(key.map(decodeURIComponent).join('/'))?.bytes.length ?? 0;
}
