import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The server's answer to one request, or its fault. */
export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /**
   * reset: the connection is cut before the answer. truncate: it is cut in the middle of the body. hang: no answer.
   * hangInBody: the headers and half of the body, then nothing.
   */
  fault?: 'reset' | 'truncate' | 'hang' | 'hangInBody';
}

export interface ReceivedRequest {
  method: string;
  /** The path as sent, not decoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Of a POST. */
  body: string;
}

export type Responder = (request: ReceivedRequest, index: number) => Answer | Promise<Answer>;

/** A server on loopback that keeps the requests it received. */
export interface HttpServer {
  address: URL;
  requests: ReceivedRequest[];
  /** Connections accepted since the start. */
  socketCount(): number;
  /** The most requests in flight at one moment. */
  maxInFlight(): number;
}

/** Starts a server that is closed when the running test ends. */
export async function startHttpServer(respond: Responder): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  let socketCount = 0;
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer(async (message, response) => {
    const url = new URL(message.url ?? '/', 'http://server');
    const { method = '', headers } = message;
    const body = method === 'POST' ? await text(message) : '';
    const request = { method, path: url.pathname, query: url.searchParams, headers, body };
    const index = requests.push(request) - 1;
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    give(response, await respond(request, index));
  });
  server.on('connection', (socket: Socket) => {
    socketCount += 1;
    // A client that gives up resets its connection.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    address: new URL(`http://127.0.0.1:${port}/`),
    requests,
    socketCount: () => socketCount,
    maxInFlight: () => maxInFlight,
  };
}

/** Returns these answers in turn; further requests get a 418. */
export function inTurn(...answers: readonly Answer[]): Responder {
  return (_request, index) => answers[index] ?? { status: 418, body: 'the script has ended' };
}

export function json(value: unknown): Answer {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function give(response: ServerResponse, { status = 200, headers = {}, body = '', fault }: Answer): void {
  if (fault === 'hang') return;
  if (fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  if (fault === undefined) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (fault === 'truncate') response.socket?.destroy();
  });
}
