import { assertCertificatesChecked } from '../certificates.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Breaker } from './breaker.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { InsecureAddressError } from './errors.ts';
import { RateLimiter } from './governor.ts';
import type { RetryPolicy } from './retry.ts';

/**
 * Checks the API's base address: https, or http on this machine, and nothing but a host and a path. `name` is what the
 * error calls it. The error never repeats the text, which may be a token in the wrong place. Throws
 * InsecureAddressError.
 */
export function parseApiAddress(text: string, name = 'API address'): URL {
  const refused = (reason: string) => new InsecureAddressError(name, reason);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) throw refused('it has no https:// before it');
  if (!URL.canParse(text)) throw refused('it is not an address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refused('it must not hold a user name or a password');
  if (/[?#]/.test(text)) throw refused('it must have no ? and no #');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw refused('it would send tokens unencrypted');
  }
  return url;
}

/** The address's path, without a trailing slash. */
export function basePath({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** The address in normal form. */
export function addressText(address: URL): string {
  return address.origin + basePath(address);
}

/** Throws UncheckedCertificateError if Node was told not to check the certificate of this address. */
export function assertCertificateChecked({ protocol }: URL, environment?: NodeJS.ProcessEnv): void {
  if (protocol === 'https:') assertCertificatesChecked(environment);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The API as one process uses it: its address and a connection pool. */
export interface ApiSession {
  address: URL;
  pool: ConnectionPool;
  requestTimeoutMs?: number;
  retryPolicy?: RetryPolicy;
  /** A list with more rows than this is taken to be endless. */
  maxRowsPerList?: number;
  /** Awaited before each request is sent. It may abort the request's signal. */
  beforeRequest?: () => Promise<void>;
  /** Called for each answer, with the time that it took to begin. */
  onAnswer?: (latencyMs: number) => void;
  /** Waits for an API that is down, and gives it up. Absent: every request uses all its attempts, and fails alone. */
  breaker?: Breaker;
  /** For all companies together. */
  limiter?: RateLimiter;
  clock: Clock;
}

interface SessionOptions extends Omit<ApiSession, 'clock' | 'limiter'> {
  clock?: Clock;
  /** How many requests of all companies may be sent in a second. Absent: any number. */
  maxRequestsPerSecond?: number;
}

export function openApiSession({ maxRequestsPerSecond, ...options }: SessionOptions): ApiSession {
  return paced({ clock: systemClock, ...options }, maxRequestsPerSecond);
}

/** The same session, whose requests, from now on, are sent at most so many a second; absent: any number. */
export function paced(session: ApiSession, maxRequestsPerSecond: number | undefined): ApiSession {
  if (maxRequestsPerSecond === undefined) return session;
  return { ...session, limiter: new RateLimiter(maxRequestsPerSecond, session.clock) };
}

/** Where a company's token comes from, so that it can be read again when the API refuses it. CompanyAccess keeps it. */
export interface TokenSource {
  /** The token to begin with. */
  current(): Promise<string>;
  /** Reads the source anew, after the token was refused. */
  renew(): Promise<string>;
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
  /** By refused token: the one renewal that all requests refused with it share. */
  readonly #renewals = new Map<string, Promise<void>>();

  constructor(rut: string, source: TokenSource) {
    this.rut = rut;
    this.source = source;
  }

  tokenInUse(): Promise<string> {
    this.#token ??= this.source.current().catch((error: unknown) => {
      // The next request tries the source again.
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  /** The token to try after `refused` was refused; undefined if the source has no other. */
  async renewedToken(refused: string): Promise<string | undefined> {
    let renewal = this.#renewals.get(refused);
    if (renewal === undefined) {
      renewal = this.renewAfter(refused);
      this.#renewals.set(refused, renewal);
    }
    await renewal;
    const inUse = await this.tokenInUse();
    return inUse === refused ? undefined : inUse;
  }

  private async renewAfter(refused: string): Promise<void> {
    try {
      this.#token = Promise.resolve(await this.source.renew());
    } catch (error) {
      this.#renewals.delete(refused);
      throw error;
    }
  }
}
