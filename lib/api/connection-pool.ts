import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Semaphore } from '../system/concurrency.ts';
import { BodyError } from './body.ts';

/** A connection takes longer only where the address is wrong or the host drops packets. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Less than the 5 seconds or more of servers, so that no request goes out on a connection that is being closed. */
const IDLE_TIMEOUT_MS = 4_000;
/** A page of 100 receipts is some 50 KB, and most details are less. */
const LARGE_BODY_BYTES = 1024 * 1024;
/** An unwanted body is read up to here, to keep the connection; past it the connection is cut. */
const MAX_UNREAD_BYTES = 128 * 1024;

/** A timer that is later still shows that the process was stopped: its answer may be there, and is not read yet. */
const STOPPED_MS = 1_000;

/** The code of the error of a request whose time has passed. */
export const TIME_LIMIT = 'ERR_TIME_LIMIT';

/** The error of a connection that this program itself ended, with a code like that of Node's errors. */
function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Connections to the API, one per request in flight, kept between requests. Must be closed or destroyed. */
export class ConnectionPool {
  private readonly http = new HttpAgent({ keepAlive: true, timeout: IDLE_TIMEOUT_MS });
  private readonly https: HttpsAgent;
  private readonly inFlight = new Set<ClientRequest>();
  private isDestroyed = false;

  constructor(environment: NodeJS.ProcessEnv = process.env) {
    // Node's own setting. Only of TLS, which passes through the proxy unseen: `http` would show it the token.
    const proxyEnv = environment.NODE_USE_ENV_PROXY === '1' ? environment : undefined;
    this.https = new HttpsAgent({ keepAlive: true, timeout: IDLE_TIMEOUT_MS, proxyEnv });
  }

  /** Sends a GET. No redirect is followed. Throws if it can't be sent as it is. */
  get(url: string, headers: Readonly<Record<string, string>>): ClientRequest {
    return this.send(url, { method: 'GET', headers });
  }

  /** The same of a POST with this body. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): ClientRequest {
    return this.send(url, { method: 'POST', headers }, body);
  }

  private send(url: string, options: RequestOptions, body?: string): ClientRequest {
    if (this.isDestroyed) throw destroyed();
    const isTls = url.startsWith('https:');
    const request = isTls
      ? httpsRequest(url, { ...options, agent: this.https })
      : httpRequest(url, { ...options, agent: this.http });
    this.inFlight.add(request);
    request.once('close', () => this.inFlight.delete(request));
    sendOnceConnected(request, isTls ? 'secureConnect' : 'connect', body);
    return request;
  }

  /** Resolves once all requests in flight have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.inFlight].map((request) => new Promise((end) => request.once('close', end))));
    await this.destroy();
  }

  /** Cuts all requests in flight. */
  async destroy(): Promise<void> {
    this.isDestroyed = true;
    for (const request of this.inFlight) request.destroy(destroyed());
    this.http.destroy();
    this.https.destroy();
  }
}

/** Sends after the TLS handshake: a request sent before it would fail with EPROTO, whatever is wrong with the TLS. */
function sendOnceConnected(
  request: ClientRequest,
  connected: 'connect' | 'secureConnect',
  body: string | undefined,
): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return request.end(body);
    const tooLong = connectionError('ETIMEDOUT', `no connection within ${CONNECT_TIMEOUT_MS} ms`);
    const timer = setTimeout(() => request.destroy(tooLong), CONNECT_TIMEOUT_MS);
    request.once('close', () => clearTimeout(timer));
    socket.once(connected, () => {
      clearTimeout(timer);
      request.end(body);
    });
  });
}

function destroyed(): Error {
  return connectionError('ERR_POOL_DESTROYED', 'the connection pool was destroyed');
}

export interface ExchangeOptions {
  /** The longest time from sending the request to the last byte of its answer. */
  timeoutMs: number;
  maxBodyBytes: number;
  signal?: AbortSignal;
  /** What is called once the request is on its way: the connection is there. */
  onSent?: () => void;
  onBegin?: () => void;
  /** Gets the body's chunks as they come, also of one that is cut or too large. */
  received?: Buffer[];
  /** Whether the body is wanted whatever the status, as far as it comes. */
  isRefusalRead?: boolean;
  /** A body that turns out large takes a permit before it is read on; it is held until `release`. */
  largeBodies?: Semaphore;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body in chunks; empty unless the status is a success, or its refusal is read. */
  body: readonly Buffer[];
  /** The caller ends with it, once the body is no longer needed. */
  release: () => void;
}

/**
 * Sends one request and receives its answer. Follows no redirect. Throws a BodyError without reading on if the body is too
 * large, the signal's reason, or an error with the code of what happened to the connection.
 */
export async function exchange(send: () => ClientRequest, options: ExchangeOptions): Promise<HttpAnswer> {
  const { timeoutMs, maxBodyBytes, signal, largeBodies, received: body = [] } = options;
  signal?.throwIfAborted();
  const sent = send();
  let response: IncomingMessage | undefined;
  const end = new AbortController();
  end.signal.addEventListener('abort', () => (response ?? sent).destroy());
  const onAbort = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const onTooLate = () => end.abort(connectionError(TIME_LIMIT, `${timeoutMs} ms passed`));
  let dueMs = performance.now() + timeoutMs;
  const timer = setTimeout(() => {
    if (performance.now() <= dueMs + STOPPED_MS) return onTooLate();
    dueMs = performance.now() + timeoutMs;
    timer.refresh();
  }, timeoutMs);
  sent.once('finish', () => options.onSent?.());
  let permits: Semaphore | undefined;
  const release = () => {
    permits?.release();
    permits = undefined;
  };
  try {
    response = await responseTo(sent, end.signal);
    options.onBegin?.();
    const isWanted = isSuccess(response.statusCode);
    const mostBytes = isWanted ? maxBodyBytes : MAX_UNREAD_BYTES;
    let byteCount = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      byteCount += chunk.length;
      if (isWanted || options.isRefusalRead === true) body.push(chunk);
      if (byteCount > mostBytes) throw new BodyError(`it is larger than ${mostBytes} bytes`, false);
      if (isWanted && byteCount > LARGE_BODY_BYTES && permits === undefined && largeBodies !== undefined) {
        // Nothing is read meanwhile.
        await largeBodies.acquire(end.signal);
        permits = largeBodies;
      }
    }
  } catch (error) {
    release();
    if (signal?.aborted === true) throw signal.reason;
    const reason = end.signal.aborted ? end.signal.reason : error;
    // If the body is not wanted, the status is enough.
    if (response === undefined || isSuccess(response.statusCode)) throw reason;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body, release };
}

export function isSuccess(status = 0): boolean {
  return status >= 200 && status < 300;
}

function responseTo(sent: ClientRequest, end: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Not only once the connection is closed: the caller frees its permit at once.
    end.addEventListener('abort', () => reject(end.reason), { once: true });
    // With neither answer nor error, as after a switch of protocols.
    const onClose = () => reject(connectionError('ECONNRESET', 'closed without an answer'));
    sent.once('close', onClose);
    sent.on('error', reject);
    sent.once('response', (response) => {
      sent.off('close', onClose);
      resolve(response);
    });
  });
}
