import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Semaphore } from '../concurrency.ts';
import { CfeLakeError } from '../errors.ts';
import { BodyTooLargeError } from './body.ts';
import { ConnectionError, type ConnectionPool } from './connection-pool.ts';

/** The time that a request may take has passed. */
export class TimeLimitError extends CfeLakeError {
  override name = 'TimeLimitError';
}

export interface ExchangeRequest {
  origin: string;
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** From sending the request to the last byte of its answer. */
  timeoutMs: number;
  maxBodyBytes: number;
  signal?: AbortSignal;
  /** Called when the request is on its way: the connection is there. */
  onSent?: () => void;
  onBegin?: () => void;
  /** A body that turns out large takes a permit before it is read on; it is held until `release`. */
  largeBodies?: Semaphore;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** In chunks; empty unless the status is 200. */
  body: readonly Buffer[];
  /** Must be called once the body is no longer needed. */
  release: () => void;
}

/** A page of 100 receipts is some 50 KB, and most details are less. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** An unwanted body is read up to here, to keep the connection; past it the connection is cut. */
const MAX_UNREAD_BYTES = 128 * 1024;

/**
 * Sends one GET and receives its answer. Follows no redirect. Throws TimeLimitError, BodyTooLargeError without reading
 * on, the signal's reason, or Node's error of the connection.
 */
export function exchange(pool: Pick<ConnectionPool, 'get'>, request: ExchangeRequest): Promise<HttpAnswer> {
  const { origin, path, timeoutMs, maxBodyBytes, signal, largeBodies } = request;
  const ended = Promise.withResolvers<HttpAnswer>();
  const body: Buffer[] = [];
  let sent: ClientRequest | undefined;
  let status = 0;
  let isBodyWanted = true;
  let headers: IncomingHttpHeaders = {};
  let byteCount = 0;
  let isOver = false;
  let largePermit: 'none' | 'waited for' | 'held' = 'none';
  const timer = setTimeout(() => giveUp(new TimeLimitError(`${timeoutMs} ms passed`)), timeoutMs);
  const onAbort = (): void => giveUp(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    if (!isOver) send();
  } catch (error) {
    giveUp(error);
  }
  return ended.promise;

  function send(): void {
    sent = pool.get(origin, path, request.headers);
    sent.on('finish', () => request.onSent?.());
    sent.on('response', take);
    sent.on('error', fail);
    sent.on('close', () => {
      // With neither answer nor error, as after a switch of protocols.
      if (!isOver) fail(new ConnectionError('ECONNRESET', 'closed without an answer'));
    });
  }

  /** Ends the exchange and cuts the connection. */
  function giveUp(reason: unknown): void {
    if (isOver) return;
    fail(reason);
    sent?.destroy();
  }

  function take(response: IncomingMessage): void {
    if (isOver) return;
    status = response.statusCode ?? 0;
    headers = response.headers;
    isBodyWanted = status === 200;
    request.onBegin?.();
    response.on('data', (chunk: Buffer) => add(chunk, response));
    response.on('end', complete);
    response.on('error', fail);
  }

  function add(chunk: Buffer, response: IncomingMessage): void {
    if (isOver) return;
    byteCount += chunk.length;
    if (!isBodyWanted) {
      if (byteCount > MAX_UNREAD_BYTES) giveUp(new BodyTooLargeError('its unwanted body is too long'));
      return;
    }
    if (byteCount > maxBodyBytes) {
      giveUp(new BodyTooLargeError(`it is larger than ${maxBodyBytes} bytes`));
      return;
    }
    body.push(chunk);
    if (largeBodies && byteCount > LARGE_BODY_BYTES && largePermit === 'none') {
      waitForPermit(largeBodies, response);
    }
  }

  function complete(): void {
    // By the next tick Node has freed the connection; a request sent before then would open another one.
    if (end()) process.nextTick(() => ended.resolve({ status, headers, body, release }));
  }

  function fail(reason: unknown): void {
    if (!end()) return;
    // If the body is not wanted, the status is enough.
    const isAnswered = !isBodyWanted && signal?.aborted !== true;
    release();
    if (isAnswered) ended.resolve({ status, headers, body, release });
    else ended.reject(reason);
  }

  /** Pauses reading meanwhile. */
  function waitForPermit(permits: Semaphore, response: IncomingMessage): void {
    if (permits.tryAcquire()) {
      largePermit = 'held';
      return;
    }
    largePermit = 'waited for';
    response.pause();
    void permits.acquire().then(() => {
      if (isOver) {
        permits.release();
        return;
      }
      largePermit = 'held';
      response.resume();
    });
  }

  function release(): void {
    if (largePermit === 'held') largeBodies?.release();
    largePermit = 'none';
  }

  /** Removes the timer and the listener. Returns whether the exchange was still going on. */
  function end(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    return true;
  }
}
