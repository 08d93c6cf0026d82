import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { Semaphore } from '../concurrency/semaphore.ts';
import { CfeLakeError } from '../errors.ts';
import { BodyTooLargeError } from './body.ts';

/**
 * Connections to the API, one for every request in flight, kept between requests; to be closed or destroyed. Of
 * undici no more than that is loaded: the rest would take twice as long as all of the exporter.
 */
export function openConnectionPool(): Dispatcher {
  return new Agent({ connections: null, allowH2: false });
}

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
  /** Which answers have their body kept; by default those of status 200: others say enough. */
  hasBodyWanted?: (status: number) => boolean;
  /** Called when the answer begins. */
  onBegin?: () => void;
  /** A body that turns out large takes one of these before it is read on; it is held until `release`. */
  largeBodies?: Semaphore;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** In pieces; none where it was not wanted. */
  body: readonly Buffer[];
  /** To be called when the body is not needed any more. */
  release: () => void;
}

/** Undici's own: the handler's is one for the whole answer, and two more cost more than that. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** A page of 100 receipts is some 50 KB, and most details are less. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** Of a body that nobody reads; past this the connection is given up rather than read to its end. */
const MAX_UNREAD_BYTES = 128 * 1024;

/**
 * Sends one GET and takes its answer. Throws TimeLimitError, BodyTooLargeError without reading on, the signal's
 * reason, or whatever undici says of the connection. No redirect is followed.
 *
 * By undici's `dispatch`: its `request` makes a stream, an async iterator and several listeners of every answer,
 * which takes as long as all else that is done for a request.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<HttpAnswer> {
  const { origin, path, headers } = request;
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler(request, resolve, reject);
    try {
      dispatcher.dispatch({ origin, path, method: 'GET', headers: { ...headers }, ...NO_TIMEOUTS }, handler);
    } catch (error) {
      handler.giveUp(error);
    }
  });
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  private readonly request: ExchangeRequest;
  private readonly resolve: (answer: HttpAnswer) => void;
  private readonly reject: (reason: unknown) => void;
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private isBodyWanted = true;
  private headers: IncomingHttpHeaders = {};
  private readonly body: Buffer[] = [];
  private byteCount = 0;
  private isOver = false;
  private largePermit: 'none' | 'waited for' | 'held' = 'none';

  constructor(
    request: ExchangeRequest,
    resolve: (answer: HttpAnswer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
    const { timeoutMs, signal } = request;
    this.timer = setTimeout(() => this.giveUp(new TimeLimitError(`${timeoutMs} ms passed`)), timeoutMs);
    signal?.addEventListener('abort', this.onAbort, { once: true });
    if (signal?.aborted) this.onAbort();
  }

  /** Ends the exchange; what is under way is cut. */
  giveUp(reason: unknown): void {
    if (this.isOver) return;
    this.fail(reason);
    this.controller?.abort(new Error('given up'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // The rest of an answer that begins by saying that one will come.
    if (status < 200 || this.isOver) return;
    this.status = status;
    this.headers = headers;
    this.isBodyWanted = this.request.hasBodyWanted?.(status) ?? status === 200;
    this.request.onBegin?.();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    this.byteCount += chunk.length;
    if (this.isBodyWanted) {
      const { maxBodyBytes } = this.request;
      if (this.byteCount > maxBodyBytes) {
        this.giveUp(new BodyTooLargeError(`it is larger than ${maxBodyBytes} bytes`));
        return;
      }
      this.body.push(chunk);
      const { largeBodies } = this.request;
      if (largeBodies && this.byteCount > LARGE_BODY_BYTES && this.largePermit === 'none')
        this.waitForPermit(largeBodies);
    } else if (this.byteCount > MAX_UNREAD_BYTES) this.giveUp(new BodyTooLargeError('nobody reads so much'));
  }

  onResponseEnd(): void {
    const { status, headers, body } = this;
    // Undici takes its connection up again in an immediate of its own, made right after this; a request that is sent
    // before would open another connection.
    const answer = { status, headers, body, release: this.release };
    if (this.end()) queueMicrotask(() => setImmediate(() => this.resolve(answer)));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  private fail(reason: unknown): void {
    if (!this.end()) return;
    const { status, headers, body, request } = this;
    // Where the body is not wanted, it is enough that the status came.
    const isAnswered = !this.isBodyWanted && request.signal?.aborted !== true;
    this.release();
    if (isAnswered) this.resolve({ status, headers, body, release: this.release });
    else this.reject(reason);
  }

  /** Reads no further until there is a permit. */
  private waitForPermit(largeBodies: Semaphore): void {
    if (largeBodies.tryAcquire()) {
      this.largePermit = 'held';
      return;
    }
    this.largePermit = 'waited for';
    this.controller?.pause();
    const onFree = (): void => {
      if (this.isOver) return;
      if (largeBodies.tryAcquire()) {
        this.largePermit = 'held';
        // Not within another answer's callback: undici has one parser for all connections.
        setImmediate(() => this.controller?.resume());
      } else largeBodies.whenFree(onFree);
    };
    largeBodies.whenFree(onFree);
  }

  private readonly release = (): void => {
    if (this.largePermit === 'held') this.request.largeBodies?.release();
    this.largePermit = 'none';
  };

  /** Leaves no timer and no listener behind. Whether it was not over yet. */
  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearTimeout(this.timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    return true;
  }

  private readonly onAbort = (): void => this.giveUp(this.request.signal?.reason);
}
