import { Semaphore } from '../concurrency/semaphore.ts';
import { parseExactJson } from '../json/exact-json.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { CompanyAccess } from './access.ts';
import { BodyShapeError, bodyText, holdsToken } from './body.ts';
import {
  HttpStatusError,
  RedirectRefusedError,
  type RequestContext,
  TokenInAnswerError,
  UnauthorizedError,
} from './errors.ts';
import { type ConnectionPool, exchange, type HttpAnswer } from './exchange.ts';
import type { Governor, Outcome, Release } from './governor.ts';
import {
  type ApiReach,
  type Attempt,
  backoffDelayMs,
  DEFAULT_RETRY_POLICY,
  explainFailure,
  isRetryableStatus,
  isThrottlingStatus,
  parseRetryAfterMs,
  type RetryPolicy,
} from './retry.ts';

export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
/** A detail of 700 lines is some 1 MB, with some 20,000 values. */
export const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
export const DEFAULT_MAX_BODY_VALUES = 1_000_000;

/** Four times the receipts of the largest companies' busiest days; as many are some 500 MB in memory. */
export const DEFAULT_MAX_ROWS_PER_LIST = 1_000_000;

/** Bodies of more than a megabyte, of the whole process, are received and read one at a time. */
const LARGE_BODIES = new Semaphore(1);

/** A list of fifty pages would hardly ever be read to its end where every second request fails for a moment. */
const CONTINUATION_ROUNDS = 3;

export interface ApiClientOptions {
  address: URL;
  /** The connection pool; shared by all companies of a process. */
  pool: Pick<ConnectionPool, 'get'>;
  access: CompanyAccess;
  governor: Governor;
  requestTimeoutMs?: number;
  retryPolicy?: RetryPolicy;
  clock?: Clock;
  random?: () => number;
  /** A list that has rows past so many is taken to be endless. */
  maxRowsPerList?: number;
  /** What bodies of more than a megabyte take; by default one for the whole process. */
  largeBodies?: Semaphore;
  /** Told of each answer, good or bad, how long it took to begin. */
  onAnswer?: (latencyMs: number) => void;
  /** Gives an API up that answers nothing at all; shared by all companies. Absent: each request is asked as often as it may be. */
  reach?: ApiReach;
}

/** Counts what was sent, for the audit. */
export interface RequestTally {
  requests: number;
  retries: number;
}

export interface ApiRequest<T> {
  path: string;
  query?: URLSearchParams;
  context: RequestContext;
  tally: RequestTally;
  /** Turns the parsed body into the answer; throws a BodyShapeError when it is not one. */
  decode: (body: unknown) => T;
  /** Statuses that are an answer of their own, such as a page past the end. */
  answerForStatus?: (status: number) => T | undefined;
  maxBodyBytes?: number;
  /** Members and elements that its JSON may have. */
  maxBodyValues?: number;
  /** Whether it goes on with what the API has begun to answer: then it is asked for more often before it is given up. */
  isContinuation?: boolean;
  signal?: AbortSignal;
  /** A permit that the caller holds already, for the first attempt. */
  permit?: Release;
  /** Called when the answer is here but not read yet: its permit is free. */
  onReceived?: () => void;
}

/** Sends the requests of one company: both headers (contract §5), time-outs, retries, the governor's pace. */
export class ApiClient {
  private readonly options: ApiClientOptions;
  private readonly clock: Clock;
  private readonly retryPolicy: RetryPolicy;
  private readonly basePath: string;

  constructor(options: ApiClientOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.retryPolicy = options.retryPolicy ?? DEFAULT_RETRY_POLICY;
    this.basePath = options.address.pathname.replace(/\/+$/, '');
  }

  get rut(): string {
    return this.options.access.rut;
  }

  get maxRowsPerList(): number {
    return this.options.maxRowsPerList ?? DEFAULT_MAX_ROWS_PER_LIST;
  }

  get governor(): Governor {
    return this.options.governor;
  }

  /** One answer, asked for as often as the policy allows. Throws a subclass of ApiError. */
  async get<T>(request: ApiRequest<T>): Promise<T> {
    const { context, tally, signal } = request;
    let permit = request.permit;
    let token = await this.tokenInUse(permit);
    let hasRenewedToken = false;
    let failures = 0;
    let throttles = 0;
    for (;;) {
      permit ??= await this.options.governor.acquire(signal);
      this.throwIfDown(context, permit);
      const attempt = await this.attempt(request, token, permit);
      permit = undefined;
      if (attempt.kind === 'answer') return attempt.answer;
      if (attempt.kind === 'unauthorized') {
        const renewed = hasRenewedToken ? undefined : await this.options.access.renewedToken(token);
        if (renewed === undefined) throw new UnauthorizedError(context, attempt.status);
        hasRenewedToken = true;
        token = renewed;
      } else {
        if (attempt.reason === 'throttled') throttles += 1;
        else failures += 1;
        const attempts = failures + throttles;
        const { maxAttempts, maxThrottledAttempts, maxRetryAfterMs } = this.retryPolicy;
        const retryAfterMs = attempt.retryAfterMs ?? 0;
        const isContinuation = request.isContinuation === true;
        const rounds = isContinuation ? CONTINUATION_ROUNDS : 1;
        const isGivenUp = failures >= rounds * maxAttempts || throttles >= rounds * maxThrottledAttempts;
        if (isGivenUp || retryAfterMs > maxRetryAfterMs || this.options.reach?.isDown === true) {
          const error = attempt.error(attempts);
          this.options.reach?.noteFailure(error);
          throw error;
        }
        // Each round of a continuation begins with short waits again.
        const inRound = isContinuation ? ((attempts - 1) % maxAttempts) + 1 : attempts;
        const backoffMs = backoffDelayMs(this.retryPolicy, inRound, this.random);
        await this.clock.sleep(Math.max(retryAfterMs, backoffMs), signal);
      }
      tally.retries += 1;
    }
  }

  private async tokenInUse(permit: Release | undefined): Promise<string> {
    try {
      return await this.options.access.tokenInUse();
    } catch (error) {
      permit?.({ kind: 'failed' });
      throw error;
    }
  }

  private throwIfDown(context: RequestContext, permit: Release): void {
    try {
      this.options.reach?.throwIfDown(context);
    } catch (error) {
      permit({ kind: 'failed' });
      throw error;
    }
  }

  private get random(): () => number {
    return this.options.random ?? Math.random;
  }

  private async attempt<T>(request: ApiRequest<T>, token: string, permit: Release): Promise<Attempt<T>> {
    let outcome: Outcome = { kind: 'failed' };
    try {
      const attempt = await this.send(request, token, permit);
      if (attempt.kind !== 'retry') outcome = { kind: 'answered' };
      else if (attempt.reason !== 'failed')
        outcome = { kind: 'throttled', retryAfterMs: this.pauseMs(attempt.retryAfterMs) };
      return attempt;
    } finally {
      permit(outcome);
    }
  }

  /** A `Retry-After` too long to be waited for fails its own request; it must not hold the others either. */
  private pauseMs(retryAfterMs = 0): number | undefined {
    return retryAfterMs > this.retryPolicy.maxRetryAfterMs ? undefined : retryAfterMs;
  }

  private async send<T>(request: ApiRequest<T>, token: string, permit: Release): Promise<Attempt<T>> {
    const { context, signal, tally } = request;
    await this.options.governor.waitForPace(signal);
    let answer: HttpAnswer | undefined;
    try {
      signal?.throwIfAborted();
      tally.requests += 1;
      const sentAtMs = this.clock.monotonicMs();
      answer = await exchange(this.options.pool, {
        origin: this.options.address.origin,
        path: this.pathWithQuery(request),
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          'x-emisor': context.rut,
        },
        timeoutMs: this.options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
        maxBodyBytes: request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
        signal,
        largeBodies: this.options.largeBodies ?? LARGE_BODIES,
        onBegin: () => {
          this.options.reach?.noteAnswer();
          this.options.onAnswer?.(this.clock.monotonicMs() - sentAtMs);
        },
      });
      if (answer.status === 200) {
        // Received is no longer in flight: another request goes out before this answer is worked on.
        permit({ kind: 'answered' });
        request.onReceived?.();
        await new Promise(setImmediate);
        return { kind: 'answer', answer: decoded(request, answer, token) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      return explainFailure(error, context, answer !== undefined);
    } finally {
      answer?.release();
    }
    return this.withoutBody(request, token, answer.status, firstValue(answer.headers['retry-after']));
  }

  private withoutBody<T>(
    request: ApiRequest<T>,
    token: string,
    status: number,
    retryAfter: string | undefined,
  ): Attempt<T> {
    const { context } = request;
    const answer = request.answerForStatus?.(status);
    if (answer !== undefined) return { kind: 'answer', answer };
    if (status === 401) return { kind: 'unauthorized', token, status };
    if (status >= 300 && status < 400) throw new RedirectRefusedError(context, status);
    if (!isRetryableStatus(status)) throw new HttpStatusError(context, status, 1);
    return {
      kind: 'retry',
      error: (attempts) => new HttpStatusError(context, status, attempts),
      reason: isThrottlingStatus(status) ? 'throttled' : 'failed',
      retryAfterMs: parseRetryAfterMs(retryAfter, this.clock.now()),
    };
  }

  private pathWithQuery<T>(request: ApiRequest<T>): string {
    const query = request.query?.toString() ?? '';
    return `${this.basePath}${request.path}${query === '' ? '' : `?${query}`}`;
  }
}

/** Throws what explainFailure explains. */
function decoded<T>(request: ApiRequest<T>, { body, headers }: HttpAnswer, token: string): T {
  const { context, maxBodyValues = DEFAULT_MAX_BODY_VALUES, decode } = request;
  const text = bodyText(body, maxBodyValues);
  // A RUT as a token is no secret, and stands in every receipt.
  if (token !== context.rut && holdsToken(text, token)) throw new TokenInAnswerError(context);
  return decode(parseBody(text, firstValue(headers['content-type'])));
}

/** A gateway's or a login page's answer is told from one that was cut; nothing of it is quoted. */
function parseBody(text: string, contentType: string | undefined): unknown {
  if (contentType?.startsWith('text/html') === true && /^\s*</.test(text)) {
    throw new BodyShapeError('it is a web page, not JSON');
  }
  return parseExactJson(text);
}

function firstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
