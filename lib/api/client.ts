import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from '../system/concurrency.ts';
import { addressText } from '../text/api-address.ts';
import { DAY_MS, uruguayDay } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { type ApiSession, CompanyAccess, NoTokenError, type TokenSource } from './access.ts';
import { AdaptiveLimiter, type Outcome, type Rank, type Release } from './adaptive-limiter.ts';
import { bodyText, holdsSecret, inflated, parseBody, type Secret } from './body.ts';
import { isAnswer, type Trial } from './breaker.ts';
import { exchange, type HttpAnswer } from './connection-pool.ts';
import {
  ApiError,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnauthorizedError,
} from './errors.ts';
import { ENDPOINTS, toQuery, withPaging } from './filters.ts';
import {
  explainFailure,
  parseRetryAfterMs,
  type Retry,
  retryCount,
  retryReason,
  type SendOutcome,
} from './retry.ts';

/** A detail of 700 lines is some 1 MB, with some 20,000 values. */
const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_BODY_VALUES = 250_000;

/** Bodies over a megabyte are received and read one at a time in the whole process. */
const LARGE_BODIES = new Semaphore(1);

/** A request that keeps failing has so many rounds of tries: it may be what brings the API down. */
const MOST_ROUNDS = 4;

/** What was sent, for the audit, and the pages of lists that came. */
export interface RequestCounts {
  requests: number;
  retries: number;
  pages: number;
}

export function addCounts(to: RequestCounts, counts: Readonly<RequestCounts>): void {
  to.requests += counts.requests;
  to.retries += counts.retries;
  to.pages += counts.pages;
}

export interface ApiRequest<T> {
  path: string;
  query?: URLSearchParams;
  context: RequestContext;
  /** Turns the parsed body into the answer. Throws a BodyError if it has another shape. */
  decode: (body: unknown, byteCount: number) => T;
  /** The answer for an error status, such as 404 for a page past the end; undefined if it stays an error. */
  answerForStatus?: (status: number) => T | undefined;
  maxBodyBytes?: number;
  /** The most members and elements that its JSON may have. */
  maxBodyValues?: number;
  signal?: AbortSignal;
  /** Whether it continues a list that the API has begun to answer. It then gets more tries. */
  isContinuation?: boolean;
  /** Whether the caller asks for narrower lists if this one takes too long. */
  isDivisible?: boolean;
  /** The limiter's rank of its list. What has none comes before all lists. */
  rank?: Rank;
}

/** Sends one company's requests, with both headers (contract §5), timeouts and retries, as its limiter allows. */
export class ApiClient {
  readonly limiter: AdaptiveLimiter;
  /** What was counted since takeCounts was called last. */
  counts: RequestCounts = { requests: 0, retries: 0, pages: 0 };
  private readonly session: ApiSession;
  private readonly access: CompanyAccess;
  private readonly baseUrl: string;

  constructor(session: ApiSession, access: CompanyAccess, limiter: AdaptiveLimiter) {
    this.session = session;
    this.access = access;
    this.limiter = limiter;
    this.baseUrl = addressText(session.address);
  }

  get rut(): string {
    return this.access.rut;
  }

  get maxRowsPerList(): number {
    return this.session.maxRowsPerList;
  }

  get maxBytesPerList(): number {
    return this.session.maxBytesPerList;
  }

  /** What no unit of the company was counted with yet: of lists that are read at once, the unit that ends takes it all. */
  takeCounts(): RequestCounts {
    const { counts } = this;
    this.counts = { requests: 0, retries: 0, pages: 0 };
    return counts;
  }

  /** Sends a request, with retries as the policy allows. Throws a subclass of ApiError. */
  async get<T>(request: ApiRequest<T>): Promise<T> {
    const { context, signal, rank, isContinuation, isDivisible = false } = request;
    const { clock, breaker, retryPolicy, random } = this.session;
    const newRound = () => retryCount(retryPolicy, isContinuation === true, random);
    let round = newRound();
    let rounds = 1;
    let hasRenewedToken = false;
    for (;;) {
      const permit = await this.limiter.acquire(signal, rank);
      if (breaker?.isOpen === true) {
        permit('failed');
        await breaker.hold(context, signal);
        round = newRound();
        continue;
      }
      let outcome: Outcome = 'failed';
      let failure: Retry | undefined;
      let delayMs: number | undefined;
      try {
        const sendOutcome = await this.trySending(request, permit);
        if (sendOutcome.kind !== 'retry') outcome = 'answered';
        if (sendOutcome.kind === 'answer') return sendOutcome.answer;
        failure =
          sendOutcome.kind === 'retry'
            ? sendOutcome
            : await this.renewed(sendOutcome.token, hasRenewedToken, context);
        if (failure !== undefined) {
          // While a login pauses, nothing of the API's is known.
          outcome = failure.reason === 'failed' || failure.isPause === true ? 'failed' : 'throttled';
          delayMs = round.delayAfter(failure, isDivisible || breaker?.isReached === false);
        }
      } finally {
        permit(outcome, delayMs);
      }
      if (failure === undefined) hasRenewedToken = true;
      else if (delayMs === undefined) {
        const error = failure.error(Math.max(1, round.tries));
        const isWorthAgain = await breaker?.isWorthAgain(error, this, signal);
        if (isWorthAgain !== true || rounds === MOST_ROUNDS) throw error;
        rounds += 1;
        round = newRound();
      } else {
        if (outcome === 'throttled' || failure.isPause === true)
          breaker?.notePause(failure.error(round.tries), delayMs, round.tries, round.mostTries);
        if (outcome === 'failed') await clock.sleep(delayMs, signal);
      }
      if (failure?.isPause !== true) this.counts.retries += 1;
    }
  }

  /**
   * Asks for one receipt of yesterday, once, whether or not requests are held back. Rejects with what went wrong.
   * `maxRetryAfterMs`: how long a login that pauses is waited for.
   */
  async askOnce(direction: Direction, signal: AbortSignal, maxRetryAfterMs?: number): Promise<void> {
    const { clock, retryPolicy } = this.session;
    const day = uruguayDay(clock.now() - DAY_MS);
    const filters = toQuery(direction, { FechaDesde: day, FechaHasta: day });
    const trialOptions = { breaker: undefined, onAnswer: () => this.noteReached() };
    const trialPolicy = {
      ...retryPolicy,
      maxTries: 1,
      maxRetryAfterMs: maxRetryAfterMs ?? retryPolicy.maxRetryAfterMs,
    };
    const session = { ...this.session, ...trialOptions, retryPolicy: trialPolicy };
    // Permits of its own: those of the client may be paused.
    await new ApiClient(session, this.access, new AdaptiveLimiter(1, clock)).get({
      path: ENDPOINTS[direction].listPath,
      query: withPaging(direction, filters, { pageNumber: 1, pageSize: 1 }),
      context: { rut: this.rut, direction, day },
      decode: () => undefined,
      signal,
    });
  }

  /** Sees that another token is used after this one was refused. Throws an UnauthorizedError if there is none. */
  private async renewed(refused: string, isSecond: boolean, context: RequestContext) {
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
    const ofCompany = () => new ApiError(context, fault, { advice, isSameForAnyDay: true, cause: error });
    if (retry === undefined) throw ofCompany();
    // A login that is down is waited for as the API is.
    if (retry.isReached === true) this.noteReached();
    const failure: Retry = {
      kind: 'retry',
      // What could not be stored says nothing of the API.
      error: (tries) =>
        retry.isUnstored === true
          ? ofCompany()
          : new NoAnswerError(context, fault, tries, { ...retry, cause: error }),
      ...retry,
    };
    // Nobody waits a minute for an address that is wrong.
    const isReached = retry.isReached === true || this.session.breaker?.isReached === true;
    return retry.isPause === true && !isReached
      ? { ...failure, retryAfterMs: Number.POSITIVE_INFINITY }
      : failure;
  }

  private noteReached(): void {
    if (this.session.breaker !== undefined) this.session.breaker.isReached = true;
  }

  private async trySending<T>(request: ApiRequest<T>, permit: Release): Promise<SendOutcome<T>> {
    const endTurn = await this.session.requestClock?.take(this.limiter, request.signal);
    try {
      const found = await this.access
        .tokenInUse()
        .catch((error) => this.withoutToken(error, request.context));
      return typeof found === 'string' ? await this.send(request, found, permit, endTurn) : found;
    } finally {
      endTurn?.();
    }
  }

  private async send<T>(
    request: ApiRequest<T>,
    token: string,
    permit: Release,
    endTurn?: () => void,
  ): Promise<SendOutcome<T>> {
    const { context, signal } = request;
    const { breaker, clock } = this.session;
    const query = request.query?.toString() ?? '';
    let answer: HttpAnswer | undefined;
    let isSent = false;
    try {
      signal?.throwIfAborted();
      const sentAtMs = clock.monotonicMs();
      const url = `${this.baseUrl}${request.path}${query === '' ? '' : `?${query}`}`;
      const headers = { accept: 'application/json', authorization: `Bearer ${token}`, 'x-emisor': this.rut };
      answer = await exchange(() => this.session.pool.get(url, headers), {
        timeoutMs: this.session.requestTimeoutMs,
        maxBodyBytes: request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
        signal,
        largeBodies: LARGE_BODIES,
        onSent: () => {
          isSent = true;
          this.counts.requests += 1;
          endTurn?.();
        },
        onBegin: () => {
          this.noteReached();
          this.session.onAnswer?.(clock.monotonicMs() - sentAtMs);
        },
      });
      if (answer.status < 500 && answer.status !== 429) breaker?.noteAnswer();
      if (answer.status === 200) {
        // The answer is no longer in flight: the next request goes out before it is parsed.
        permit('answered');
        await nextTurn();
        return { kind: 'answer', answer: decoded(request, answer, this.access.secretsBeside(token)) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      // A request that could not even be sent counts too.
      if (!isSent) this.counts.requests += 1;
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
  ): SendOutcome<T> {
    const answer = answerForStatus?.(status);
    if (answer !== undefined) return { kind: 'answer', answer };
    if (status === 401) return { kind: 'unauthorized', token };
    if (status >= 300 && status < 400) {
      // The headers carry the token.
      const whatHappened = `the API answered with a redirect (status ${status}), which is never followed`;
      const advice = 'Give the final address of the API.';
      throw new ApiError(context, whatHappened, { advice, isSameForAnyDay: true });
    }
    const reason = retryReason(status);
    if (reason === undefined) throw new HttpStatusError(context, status, 1);
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], this.session.clock.now(), headers.date);
    return {
      kind: 'retry',
      error: (tries) => new HttpStatusError(context, status, tries, retryAfterMs),
      reason,
      retryAfterMs,
    };
  }
}

/** Throws what explainFailure explains. */
function decoded<T>(request: ApiRequest<T>, { body, headers }: HttpAnswer, secrets: readonly Secret[]): T {
  const { context, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, maxBodyValues = DEFAULT_MAX_BODY_VALUES } = request;
  const bytes = inflated(body, headers['content-encoding'], maxBodyBytes);
  const text = bodyText(bytes, maxBodyValues);
  if (secrets.some((secret) => holdsSecret(text, secret))) {
    const whatHappened =
      "the API's answer holds the token that was sent with the request, or another secret of its login, so nothing of it was kept";
    throw new ApiError(context, whatHappened, {
      advice:
        'Report it to the provider of the API, and renew the token and the password: they may be in other answers and logs.',
    });
  }
  return request.decode(parseBody(text, headers['content-type']), bytes.length);
}

/** A client for one company, with at most `maxInFlight` requests in flight, each with a permit of `shared` too. */
export function companyClient(
  session: ApiSession,
  rut: string,
  tokens: TokenSource,
  maxInFlight: number,
  shared?: Semaphore,
): ApiClient {
  const limiter = new AdaptiveLimiter(maxInFlight, session.clock, shared);
  return new ApiClient(session, new CompanyAccess(rut, tokens), limiter);
}

/** Of a company without a token the API was not asked, and nothing is known of it. */
function hasNoToken(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof NoTokenError;
}

/** Some companies may fail alone, as those whose contract ended; so many are asked at once whether the API answers. */
const COMPANIES_A_TRIAL = 5;

/**
 * Asks some of these companies that have a token, others each time, in one direction and then the other; one that answered,
 * alone and again. Where none of them is answered, the company whose request failed is asked: it may be the only one that
 * would be.
 */
export function trialOf(
  session: ApiSession,
  companies: readonly { rut: string; tokens: TokenSource }[],
): Trial {
  let tries = 0;
  let answeredRut: string | undefined;
  return async (failed, signal) => {
    const others = companies.filter(({ rut }) => rut !== failed.rut);
    const candidates = others.length > 0 ? others : companies;
    const answered = candidates.filter(({ rut }) => rut === answeredRut);
    const start = (tries * COMPANIES_A_TRIAL) % candidates.length;
    // Who needs no login is asked first.
    const inTurn = [...candidates.slice(start), ...candidates.slice(0, start)].sort(
      (a, b) => Number(a.tokens.isRenewing === true) - Number(b.tokens.isRenewing === true),
    );
    const queue = answered.length > 0 ? answered : inTurn;
    const direction = DIRECTIONS[tries % DIRECTIONS.length] ?? 'recibidos';
    tries += 1;
    answeredRut = undefined;
    const over = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let fault: unknown;
    let askingCount = 0;
    /** Goes through those left until one with a token was asked. */
    const ask = async (): Promise<void> => {
      for (let company = queue.shift(); company !== undefined; company = queue.shift()) {
        const hasToken = await company.tokens.current().then(
          () => true,
          () => false,
        );
        if (over.signal.aborted) return;
        if (!hasToken) continue;
        const client = companyClient(session, company.rut, company.tokens, 1);
        askingCount += 1;
        const trial = client.askOnce(direction, AbortSignal.any([signal, over.signal]), 0);
        const error: unknown = await trial.catch((reason: unknown) => reason);
        askingCount -= 1;
        if (hasNoToken(error)) continue;
        if (error === undefined || isAnswer(error)) return resolve(company.rut);
        fault = error;
        // Those that wait for their login are not waited for.
        if (askingCount === 0) reject(fault);
        return;
      }
    };
    void Promise.all(Array.from({ length: COMPANIES_A_TRIAL }, ask)).then(() => reject(fault), reject);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      answeredRut = await promise;
    } catch {
      signal.throwIfAborted();
      await failed.askOnce(direction, signal, fault === undefined ? undefined : 0).catch((own: unknown) => {
        throw hasNoToken(own) ? (fault ?? own) : own;
      });
    } finally {
      over.abort();
    }
  };
}
