import { assertCertificatesChecked } from '../system/certificates.ts';
import { CfeLakeError } from '../system/errors.ts';
import type { Said } from '../text/language.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Secret } from './body.ts';
import type { Breaker } from './breaker.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { RequestClock } from './request-clock.ts';
import { DEFAULT_RETRY_POLICY, type Retry, type RetryPolicy } from './retry.ts';

/** Throws WrongInputError if Node was told not to check the certificate of this address. */
export function assertCertificateChecked({ protocol }: URL, environment?: NodeJS.ProcessEnv): void {
  if (protocol === 'https:') assertCertificatesChecked(environment);
}

export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;

/** A busy day of the country's largest chain. A unit of so many receipts fits into 512 MB of memory. */
export const DEFAULT_MAX_ROWS_PER_LIST = 250_000;

/** A list of so many rows, of a kilobyte each, twice what they have. */
const MAX_BYTES_OF_DEFAULT_ROWS = 256 * 2 ** 20;

/** The API as one process uses it: its address and a connection pool. */
export interface ApiSession {
  address: URL;
  pool: Pick<ConnectionPool, 'get'>;
  requestTimeoutMs: number;
  retryPolicy: RetryPolicy;
  /** A list with more rows than this is taken to be endless. */
  maxRowsPerList: number;
  /** The most bytes of its pages, as they came: a row may be of any length. */
  maxBytesPerList: number;
  /** What notes how long each answer took to begin. */
  onAnswer?: (latencyMs: number) => void;
  /** Waits for an API that is down, and gives it up. Without it every request uses all its tries, and fails alone. */
  breaker?: Breaker;
  /** Spaces the requests of all companies; without it, any number may go out in a second. */
  requestClock?: RequestClock;
  clock: Clock;
  /** A number from 0 to 1, which spreads retries out. */
  random: () => number;
}

interface SessionOptions extends Partial<Omit<ApiSession, 'requestClock'>> {
  address: URL;
  pool: ApiSession['pool'];
  /** The most requests of all companies in a second. */
  maxRequestsPerSecond?: number;
}

export function openApiSession({ maxRequestsPerSecond, ...options }: SessionOptions): ApiSession {
  const {
    clock = systemClock,
    random = Math.random,
    requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS,
    retryPolicy = DEFAULT_RETRY_POLICY,
    maxRowsPerList = DEFAULT_MAX_ROWS_PER_LIST,
    maxBytesPerList = MAX_BYTES_OF_DEFAULT_ROWS * Math.max(1, maxRowsPerList / DEFAULT_MAX_ROWS_PER_LIST),
  } = options;
  const limits = { requestTimeoutMs, maxRowsPerList, maxBytesPerList };
  const session = { ...options, ...limits, clock, random, retryPolicy };
  return paced(session, maxRequestsPerSecond);
}

/** The same session, whose requests, from now on, are sent at most so many a second; absent: any number. */
export function paced(session: ApiSession, maxRequestsPerSecond: number | undefined): ApiSession {
  if (maxRequestsPerSecond === undefined) return session;
  return { ...session, requestClock: new RequestClock(maxRequestsPerSecond, session.clock) };
}

/** A source has no token to give now. Holds no token; its message is a whole sentence, without the company. */
export class NoTokenError extends CfeLakeError {
  override name = 'NoTokenError';
  /**
   * If asking again may help: why, how long to wait, whether it was asked now, whether something listens at its address,
   * whether nothing could be sent to it, and whether what it gave could not be stored, which is no fault of its address.
   */
  readonly retry:
    | (Omit<Retry, 'kind' | 'error'> & { isReached?: boolean; isUnsent?: boolean; isUnstored?: boolean })
    | undefined;
  constructor(whatHappened: Said, advice: Said, retry?: NoTokenError['retry']) {
    super(whatHappened, { advice });
    this.retry = retry;
  }
}

/** Where a company's token comes from, so that it can be read again when the API refuses it. CompanyAccess keeps it. */
export interface TokenSource {
  /** The token to begin with. Throws NoTokenError, or what else keeps the source from being read. */
  current(): Promise<string>;
  /** Reads the source anew, after this token was refused. */
  renew(refused: string): Promise<string>;
  /** Whether it renews its tokens before they end: `current` is then asked before each request. */
  readonly isRenewing?: boolean;
  /** What a token is asked for with, and tokens of before. */
  secrets?(): readonly Secret[];
  /** The company's name in the source; known once a token was read, undefined if the source has none. */
  readonly companyName?: string | undefined;
}

/**
 * One company's token. Requests that are refused at the same time share one renewal; a renewal that gave the same
 * token is not repeated.
 */
export class CompanyAccess {
  readonly rut: string;
  private readonly source: TokenSource;
  #token: Promise<string> | undefined;
  /** The one renewal that all requests share which were refused with the same token. */
  readonly #renewals = new Map<string, Promise<void>>();
  #refused: string | undefined;

  constructor(rut: string, source: TokenSource) {
    this.rut = rut;
    this.source = source;
  }

  /** What no answer to a request with this token may hold. */
  secretsBeside(token: string): readonly Secret[] {
    const before = this.#refused === undefined ? [] : [{ text: this.#refused }];
    return [{ text: token }, ...before, ...(this.source.secrets?.() ?? [])];
  }

  tokenInUse(): Promise<string> {
    if (this.source.isRenewing === true) return this.source.current();
    this.#token ??= this.source.current().catch((error: unknown) => {
      // The next request tries the source again.
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  /** The token to try after `refused` was refused; undefined if the source has no other. */
  async renewedToken(refused: string): Promise<string | undefined> {
    this.#refused = refused;
    if (this.source.isRenewing === true) {
      const renewed = await this.source.renew(refused);
      return renewed === refused ? undefined : renewed;
    }
    let renewal = this.#renewals.get(refused);
    if (renewal === undefined) {
      const token = this.source.renew(refused);
      renewal = token.then(
        () => {
          this.#token = token;
        },
        (error: unknown) => {
          this.#renewals.delete(refused);
          throw error;
        },
      );
      this.#renewals.set(refused, renewal);
    }
    await renewal;
    const inUse = await this.tokenInUse();
    return inUse === refused ? undefined : inUse;
  }
}
