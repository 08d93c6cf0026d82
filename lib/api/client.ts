import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from '../system/concurrency.ts';
import { addressText } from '../text/api-address.ts';
import { DAY_MS, uruguayDay } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { type ApiSession, CompanyAccess, NoTokenError, type TokenSource } from './access.ts';
import { bodyText, holdsToken, inflated, parseBody } from './body.ts';
import type { Trial } from './breaker.ts';
import { exchange, type HttpAnswer } from './connection-pool.ts';
import {
  ApiError,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnauthorizedError,
} from './errors.ts';
import { ENDPOINTS, toQuery, withPaging } from './filters.ts';
import { Governor, type Outcome, type Release } from './governor.ts';
import {
  type Attempt,
  explainFailure,
  parseRetryAfterMs,
  type Retry,
  retryCount,
  retryReason,
} from './retry.ts';

/** A detail of 700 lines is some 1 MB, with some 20,000 values. */
const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_BODY_VALUES = 250_000;

/** Bodies over a megabyte are received and read one at a time in the whole process. */
const LARGE_BODIES = new Semaphore(1);

/** A request that keeps failing is sent again after so many outages: it may be what brings the API down. */
const MOST_OUTAGES = 3;

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
  /** Turns the parsed body into the answer. Throws a BodyError if it has another shape. */
  decode: (body: unknown) => T;
  /** The answer for an error status, such as 404 for a page past the end; undefined if it stays an error. */
  answerForStatus?: (status: number) => T | undefined;
  maxBodyBytes?: number;
  /** The most members and elements that its JSON may have. */
  maxBodyValues?: number;
  signal?: AbortSignal;
  /** Whether it continues a list that the API has begun to answer. It then gets more attempts. */
  isContinuation?: boolean;
  /** Whether the caller asks for narrower lists if this one takes too long. */
  isDivisible?: boolean;
  /** Rank of its list, from the governor. Absent: before all lists. */
  rank?: number;
  /** A permit that the caller already holds, for the first attempt. */
  permit?: Release;
}

/** Sends one company's requests, with both headers (contract §5), timeouts and retries, at the governor's pace. */
export class ApiClient {
  readonly governor: Governor;
  private readonly session: ApiSession;
  private readonly access: CompanyAccess;
  private readonly baseUrl: string;

  constructor(session: ApiSession, access: CompanyAccess, governor: Governor) {
    this.session = session;
    this.access = access;
    this.governor = governor;
    this.baseUrl = addressText(session.address);
  }

  get rut(): string {
    return this.access.rut;
  }

  get maxRowsPerList(): number {
    return this.session.maxRowsPerList;
  }

  /** Sends a request, with retries as the policy allows. Throws a subclass of ApiError. */
  async get<T>(request: ApiRequest<T>): Promise<T> {
    const send = () => this.sendUntilAnswered(request);
    return await (this.session.breaker?.watch(send) ?? send());
  }

  /** Asks for one receipt of yesterday, once, whether or not requests are held back. Rejects with what went wrong. */
  async askOnce(direction: Direction, signal: AbortSignal): Promise<void> {
    const { clock, breaker, limiter, retryPolicy } = this.session;
    const day = uruguayDay(clock.now() - DAY_MS);
    const filters = toQuery(direction, { FechaDesde: day, FechaHasta: day });
    const session = {
      ...this.session,
      breaker: undefined,
      onAnswer: () => breaker?.noteReached(),
      retryPolicy: { ...retryPolicy, maxAttempts: 1, maxThrottledAttempts: 1 },
    };
    // Permits of its own: those of the client are held back. But it takes its turn.
    const client = new ApiClient(session, this.access, new Governor(1, clock, undefined, limiter));
    await client.get({
      path: ENDPOINTS[direction].listPath,
      query: withPaging(direction, filters, { pageNumber: 1, pageSize: 1 }),
      context: { rut: this.rut, direction, day },
      tally: { requests: 0, retries: 0 },
      decode: () => undefined,
      signal,
    });
  }

  private async sendUntilAnswered<T>(request: ApiRequest<T>): Promise<T> {
    const { context, tally, signal, isDivisible = false } = request;
    const { clock, breaker, retryPolicy, random } = this.session;
    const newCount = () => retryCount(retryPolicy, request.isContinuation === true, random);
    let retries = newCount();
    let permit = request.permit;
    let hasRenewedToken = false;
    let outages = 0;
    for (;;) {
      if (breaker?.isOpen === true) {
        permit?.({ kind: 'failed' });
        permit = undefined;
        await breaker.hold(context, signal);
        retries = newCount();
      }
      if (permit === undefined) {
        permit = await this.governor.acquire(signal, request.rank);
        // It may have opened meanwhile.
        if (breaker?.isOpen === true) continue;
      }
      const attempt = await this.attempt(request, permit);
      permit = undefined;
      if (attempt.kind === 'answer') return attempt.answer;
      const failure =
        attempt.kind === 'retry' ? attempt : await this.renewed(attempt.token, hasRenewedToken, context);
      if (failure === undefined) hasRenewedToken = true;
      else {
        const isSoonGivenUp = isDivisible || breaker?.isReached === false;
        const delayMs = retries.delayAfter(failure, isSoonGivenUp);
        if (delayMs === undefined) {
          const error = failure.error(retries.attempts);
          const isWorthAgain = await breaker?.isWorthAgain(error, this, signal);
          if (isWorthAgain !== true || outages === MOST_OUTAGES) throw error;
          outages += 1;
          retries = newCount();
        } else await clock.sleep(delayMs, signal);
      }
      tally.retries += 1;
    }
  }

  /** Sees that another token is used after this one was refused. Throws an UnauthorizedError if there is none. */
  private async renewed(
    refused: string,
    isSecond: boolean,
    context: RequestContext,
  ): Promise<Retry | undefined> {
    try {
      const token = isSecond ? undefined : await this.access.renewedToken(refused);
      if (token === undefined) throw new UnauthorizedError(context);
      return undefined;
    } catch (error) {
      return this.withoutToken(error, context);
    }
  }

  /** What keeps a request from having a token: worth another try, or an ApiError that is thrown. */
  private withoutToken(error: unknown, context: RequestContext): Retry {
    if (!(error instanceof NoTokenError)) throw error;
    const { retry, advice } = error;
    const fault = error.whatHappened.replace(/\.$/, '');
    if (retry === undefined) throw new ApiError(context, fault, { advice, isOfNoDay: true });
    // A login that is down is waited for as the API is.
    if (retry.isAnswered === true) this.session.breaker?.noteReached();
    return { kind: 'retry', error: (attempts) => new NoAnswerError(context, fault, attempts), ...retry };
  }

  private async attempt<T>(request: ApiRequest<T>, permit: Release): Promise<Attempt<T>> {
    let outcome: Outcome = { kind: 'failed' };
    try {
      const found = await this.access
        .tokenInUse()
        .catch((error) => this.withoutToken(error, request.context));
      const attempt = typeof found === 'string' ? await this.send(request, found, permit) : found;
      if (attempt.kind !== 'retry') outcome = { kind: 'answered' };
      else if (attempt.reason !== 'failed') {
        const { retryAfterMs = 0 } = attempt;
        // One that is too long fails its own request, and must not hold up the others.
        const isObeyed = retryAfterMs <= this.session.retryPolicy.maxRetryAfterMs;
        outcome = { kind: 'throttled', retryAfterMs: isObeyed ? retryAfterMs : 0 };
      }
      return attempt;
    } finally {
      permit(outcome);
    }
  }

  private async send<T>(request: ApiRequest<T>, token: string, permit: Release): Promise<Attempt<T>> {
    const { context, signal, tally } = request;
    const { breaker, clock } = this.session;
    const query = request.query?.toString() ?? '';
    let answer: HttpAnswer | undefined;
    let isSent = false;
    try {
      signal?.throwIfAborted();
      const sentAtMs = clock.monotonicMs();
      answer = await exchange(this.session.pool, {
        url: `${this.baseUrl}${request.path}${query === '' ? '' : `?${query}`}`,
        headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'x-emisor': this.rut },
        timeoutMs: this.session.requestTimeoutMs,
        maxBodyBytes: request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
        signal,
        largeBodies: LARGE_BODIES,
        onSent: () => {
          isSent = true;
          tally.requests += 1;
          permit({ kind: 'sent' });
        },
        onBegin: () => {
          breaker?.noteReached();
          this.session.onAnswer?.(clock.monotonicMs() - sentAtMs);
        },
      });
      if (answer.status < 500) breaker?.noteAnswer();
      if (answer.status === 200) {
        // The answer is no longer in flight: the next request goes out before it is parsed.
        permit({ kind: 'answered' });
        await nextTurn();
        return { kind: 'answer', answer: decoded(request, answer, token) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      // A request that could not even be sent counts too.
      if (!isSent) tally.requests += 1;
      return explainFailure(error, context, answer !== undefined);
    } finally {
      answer?.release();
    }
    return this.withoutBody(request, token, answer.status, answer.headers);
  }

  private withoutBody<T>(
    { context, answerForStatus }: ApiRequest<T>,
    token: string,
    status: number,
    headers: HttpAnswer['headers'],
  ): Attempt<T> {
    const answer = answerForStatus?.(status);
    if (answer !== undefined) return { kind: 'answer', answer };
    if (status === 401) return { kind: 'unauthorized', token };
    if (status >= 300 && status < 400) {
      // The headers carry the token.
      const whatHappened = `the API answered with a redirect (status ${status}), which is never followed`;
      const advice = 'Give the final address of the API.';
      throw new ApiError(context, whatHappened, { advice, isOfNoDay: true });
    }
    const reason = retryReason(status);
    if (reason === undefined) throw new HttpStatusError(context, status, 1);
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], this.session.clock.now(), headers.date);
    return {
      kind: 'retry',
      error: (attempts) => new HttpStatusError(context, status, attempts, retryAfterMs),
      reason,
      retryAfterMs,
    };
  }
}

/** Throws what explainFailure explains. */
function decoded<T>(request: ApiRequest<T>, { body, headers }: HttpAnswer, token: string): T {
  const { context, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, maxBodyValues = DEFAULT_MAX_BODY_VALUES } = request;
  const text = bodyText(inflated(body, headers['content-encoding'], maxBodyBytes), maxBodyValues);
  // A RUT used as a token is no secret, and every receipt contains it.
  if (token !== context.rut && holdsToken(text, token)) {
    const whatHappened =
      "the API's answer holds the token that was sent with the request, so nothing of it was kept";
    throw new ApiError(context, whatHappened, {
      advice:
        'Report it to the provider of the API, and renew the token: it may be in other answers and logs.',
    });
  }
  return request.decode(parseBody(text, headers['content-type']));
}

/** A client for one company, with at most `maxInFlight` requests in flight, each with a permit of `shared` too. */
export function companyClient(
  session: ApiSession,
  rut: string,
  tokens: TokenSource,
  maxInFlight: number,
  shared?: Semaphore,
): ApiClient {
  const governor = new Governor(maxInFlight, session.clock, shared, session.limiter);
  return new ApiClient(session, new CompanyAccess(rut, tokens), governor);
}

/** Asks these companies in turn, one request a trial, in one direction and then the other. */
export function trialOf(
  session: ApiSession,
  companies: readonly { rut: string; tokens: TokenSource }[],
): Trial {
  let tries = 0;
  return async (failed, signal) => {
    const others = companies.filter(({ rut }) => rut !== failed.rut);
    const asked = others.length > 0 ? others : companies;
    const company = asked[tries % asked.length];
    const direction = DIRECTIONS[tries % DIRECTIONS.length] ?? 'recibidos';
    tries += 1;
    if (company === undefined) return;
    await companyClient(session, company.rut, company.tokens, 1).askOnce(direction, signal);
  };
}
