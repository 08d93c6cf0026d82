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
  /** Whether the body of an answer with this status is kept; default: only of status 200. */
  hasBodyWanted?: (status: number) => boolean;
  /** Called when the request is on its way: the connection is there. */
  onSent?: () => void;
  onBegin?: () => void;
  /** A body that turns out large takes a permit before it is read on; it is held until `release`. */
  largeBodies?: Semaphore;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** In chunks; empty if it was not wanted. */
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
  const exchange = new Exchange(request);
  try {
    exchange.send(pool);
  } catch (error) {
    exchange.giveUp(error);
  }
  return exchange.ended.promise;
}

class Exchange {
  readonly ended = Promise.withResolvers<HttpAnswer>();
  private readonly request: ExchangeRequest;
  private readonly timer: NodeJS.Timeout;
  private sent: ClientRequest | undefined;
  private status = 0;
  private isBodyWanted = true;
  private headers: IncomingHttpHeaders = {};
  private readonly body: Buffer[] = [];
  private byteCount = 0;
  private isOver = false;
  private largePermit: 'none' | 'waited for' | 'held' = 'none';

  constructor(request: ExchangeRequest) {
    this.request = request;
    const { timeoutMs, signal } = request;
    this.timer = setTimeout(() => this.giveUp(new TimeLimitError(`${timeoutMs} ms passed`)), timeoutMs);
    signal?.addEventListener('abort', this.onAbort, { once: true });
    if (signal?.aborted) this.onAbort();
  }

  send(pool: Pick<ConnectionPool, 'get'>): void {
    if (this.isOver) return;
    const { origin, path, headers } = this.request;
    this.sent = pool.get(origin, path, headers);
    this.sent.on('finish', () => this.request.onSent?.());
    this.sent.on('response', (response) => this.take(response));
    this.sent.on('error', (error) => this.fail(error));
    this.sent.on('close', () => {
      // With neither answer nor error, as after a switch of protocols.
      if (!this.isOver) this.fail(new ConnectionError('ECONNRESET', 'closed without an answer'));
    });
  }

  /** Ends the exchange and cuts the connection. */
  giveUp(reason: unknown): void {
    if (this.isOver) return;
    this.fail(reason);
    this.sent?.destroy();
  }

  private take(response: IncomingMessage): void {
    if (this.isOver) return;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.isBodyWanted = this.request.hasBodyWanted?.(this.status) ?? this.status === 200;
    this.request.onBegin?.();
    response.on('data', (chunk: Buffer) => this.add(chunk, response));
    response.on('end', () => this.complete());
    response.on('error', (error) => this.fail(error));
  }

  private add(chunk: Buffer, response: IncomingMessage): void {
    if (this.isOver) return;
    this.byteCount += chunk.length;
    if (!this.isBodyWanted) {
      if (this.byteCount > MAX_UNREAD_BYTES) this.giveUp(new BodyTooLargeError('nobody reads so much'));
      return;
    }
    const { maxBodyBytes, largeBodies } = this.request;
    if (this.byteCount > maxBodyBytes) {
      this.giveUp(new BodyTooLargeError(`it is larger than ${maxBodyBytes} bytes`));
      return;
    }
    this.body.push(chunk);
    if (largeBodies && this.byteCount > LARGE_BODY_BYTES && this.largePermit === 'none') {
      this.waitForPermit(largeBodies, response);
    }
  }

  private complete(): void {
    const { status, headers, body, release } = this;
    // By the next tick Node has freed the connection; a request sent before then would open another one.
    if (this.end()) process.nextTick(() => this.ended.resolve({ status, headers, body, release }));
  }

  private fail(reason: unknown): void {
    if (!this.end()) return;
    const { status, headers, body, request, release } = this;
    // If the body is not wanted, the status is enough.
    const isAnswered = !this.isBodyWanted && request.signal?.aborted !== true;
    release();
    if (isAnswered) this.ended.resolve({ status, headers, body, release });
    else this.ended.reject(reason);
  }

  private waitForPermit(largeBodies: Semaphore, response: IncomingMessage): void {
    if (largeBodies.tryAcquire()) {
      this.largePermit = 'held';
      return;
    }
    this.largePermit = 'waited for';
    response.pause();
    void largeBodies.acquire().then(() => {
      if (this.isOver) {
        largeBodies.release();
        return;
      }
      this.largePermit = 'held';
      response.resume();
    });
  }

  private readonly release = (): void => {
    if (this.largePermit === 'held') this.request.largeBodies?.release();
    this.largePermit = 'none';
  };

  /** Removes the timer and the listener. Returns whether the exchange was still going on. */
  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearTimeout(this.timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    return true;
  }

  private readonly onAbort = (): void => this.giveUp(this.request.signal?.reason);
}
