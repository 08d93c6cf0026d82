import type { IncomingHttpHeaders } from 'node:http';
import { basePath } from '../api/access.ts';
import { bodyText, inflated } from '../api/body.ts';
import type { ConnectionPool } from '../api/connection-pool.ts';
import { type Direction, ENDPOINTS } from '../api/directions.ts';
import { exchange, TimeLimitError } from '../api/exchange.ts';
import { isThrottlingStatus, parseRetryAfterMs } from '../api/retry.ts';
import { CfeLakeError } from '../errors.ts';
import { parseExactJson } from '../exact-json.ts';
import type { Clock } from '../time/clock.ts';
import type { DayRange } from '../time/days.ts';
import { type ProbeAnswer, pageIn, type RetryAfter } from './answer.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Retries of a throttled request. Without them, throttling would leave all later questions open. */
const MAX_THROTTLED_RETRIES = 2;
const DEFAULT_WAIT_MS = 1000;
const MAX_WAIT_MS = 10_000;

export class RequestLimitError extends CfeLakeError {
  override name = 'RequestLimitError';
}

export interface ProbeClientOptions {
  address: URL;
  pool: ConnectionPool;
  rut: string;
  token: string;
  requestTimeoutMs: number;
  maxRequests: number;
  clock: Clock;
  signal?: AbortSignal;
}

export interface ProbeRequest {
  /** Relative to the base address. */
  path: string;
  /** Sent unchanged, even if no list accepts it. */
  query?: readonly (readonly [name: string, value: string])[];
  without?: 'authorization' | 'x-emisor';
}

/**
 * Sends single requests, even wrong ones, and counts them. The exporter's client would refuse some and retry others,
 * which would hide what the probe wants to observe. Redirects are not followed.
 */
export class ProbeClient {
  readonly byStatus: Record<number, number> = {};
  /** The Retry-After of throttled responses. */
  readonly retryAfters: (RetryAfter | undefined)[] = [];
  /** Latencies of requests sent one at a time. */
  readonly latenciesMs: number[] = [];
  sent = 0;
  private readonly options: ProbeClientOptions;
  private readonly basePath: string;

  constructor(options: ProbeClientOptions) {
    this.options = options;
    this.basePath = basePath(options.address);
  }

  get rut(): string {
    return this.options.rut;
  }

  get left(): number {
    return this.options.maxRequests - this.sent;
  }

  /** Waits on the given clock. */
  pause(ms: number): Promise<void> {
    return this.options.clock.sleep(ms, this.options.signal);
  }

  /** Sends a request; retries if throttled. Throws RequestLimitError. */
  async ask(request: ProbeRequest): Promise<ProbeAnswer> {
    for (let retries = 0; ; retries += 1) {
      const answer = await this.askOnce(request);
      if (answer.status === 200) this.latenciesMs.push(answer.latencyMs);
      if (!isThrottlingStatus(answer.status) || retries === MAX_THROTTLED_RETRIES) return answer;
      const waitMs = Math.min(answer.retryAfter?.waitMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
      await this.pause(waitMs);
    }
  }

  /** Sends a request once. Throws RequestLimitError. */
  async askOnce(request: ProbeRequest): Promise<ProbeAnswer> {
    if (this.left <= 0) throw new RequestLimitError(`${this.sent} requests were sent`);
    this.sent += 1;
    const answer = await this.send(request);
    this.byStatus[answer.status] = (this.byStatus[answer.status] ?? 0) + 1;
    if (isThrottlingStatus(answer.status)) this.retryAfters.push(answer.retryAfter);
    return answer;
  }

  private async send({ path, query = [], without }: ProbeRequest): Promise<ProbeAnswer> {
    const { address, pool, rut, token, requestTimeoutMs, clock, signal } = this.options;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (without !== 'authorization') headers.authorization = `Bearer ${token}`;
    if (without !== 'x-emisor') headers['x-emisor'] = rut;
    const search = new URLSearchParams();
    for (const [name, value] of query) search.append(name, value);
    const startMs = clock.monotonicMs();
    try {
      const answer = await exchange(pool, {
        origin: address.origin,
        path: `${this.basePath}${path}${search.size === 0 ? '' : `?${search}`}`,
        headers,
        timeoutMs: requestTimeoutMs,
        maxBodyBytes: MAX_BODY_BYTES,
        hasBodyWanted: () => true,
        signal,
      });
      const { status } = answer;
      const latencyMs = clock.monotonicMs() - startMs;
      const retryAfter = retryAfterIn(answer.headers, clock.now());
      const text = bodyText(inflated(answer.body, answer.headers['content-encoding'], MAX_BODY_BYTES));
      const { body, bodyKind } = parsed(text);
      return { status, latencyMs, retryAfter, body, bodyKind, page: pageIn(status, body) };
    } catch (error) {
      signal?.throwIfAborted();
      const latencyMs = clock.monotonicMs() - startMs;
      return { status: 0, failure: failureOf(error), latencyMs, bodyKind: 'none' };
    }
  }
}

function parsed(text: string): Pick<ProbeAnswer, 'body' | 'bodyKind'> {
  if (text.trim() === '') return { bodyKind: 'none' };
  try {
    return { body: parseExactJson(text), bodyKind: 'json' };
  } catch {
    return { bodyKind: 'other' };
  }
}

function retryAfterIn(headers: IncomingHttpHeaders, nowMs: number): RetryAfter | undefined {
  const text = headers['retry-after'];
  const waitMs = parseRetryAfterMs(text, nowMs, headers.date);
  if (text === undefined || waitMs === undefined) return undefined;
  return { form: /^\s*\d/.test(text) ? 'seconds' : 'date', waitMs };
}

/** Codes only: a message may quote what was sent. */
function failureOf(error: unknown): string {
  if (error instanceof TimeLimitError) return 'the time limit passed';
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

/** A page of a list. The size is sent unchanged, even past the maximum; absent: the API's default. */
export function listRequest(
  direction: Direction,
  { from, to }: DayRange,
  asked: { pageNumber?: number; pageSize?: number; filters?: ProbeRequest['query'] },
): ProbeRequest {
  const { pageNumber = 1, pageSize, filters = [] } = asked;
  const { listPath, paging } = ENDPOINTS[direction];
  const size = pageSize === undefined ? [] : [[paging.pageSize, String(pageSize)] as const];
  return {
    path: listPath,
    query: [
      ['FechaDesde', from],
      ['FechaHasta', to],
      ...filters,
      [paging.pageNumber, String(pageNumber)],
      ...size,
    ],
  };
}
