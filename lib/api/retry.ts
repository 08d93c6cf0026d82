import { BodyError } from './body.ts';
import { LONGEST_WAIT_MS } from './breaker.ts';
import { TIME_LIMIT } from './connection-pool.ts';
import { FailedAnswerError } from './envelope.ts';
import {
  ApiError,
  FailureInBodyError,
  NoAnswerError,
  type RequestContext,
  UnexpectedBodyError,
} from './errors.ts';
import { NETWORK } from './phrases.ts';

export interface RetryPolicy {
  /** Tries in all for one answer, the first included. */
  maxTries: number;
  baseDelayMs: number;
  /** A `Retry-After` longer than this is not waited for: the request fails instead. */
  maxRetryAfterMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxTries: 6,
  baseDelayMs: 200,
  maxRetryAfterMs: LONGEST_WAIT_MS,
};

/** Why a status is worth a retry, if it is. The contract (§7) names none, so these are the usual ones. */
export function retryReason(status: number): Retry['reason'] | undefined {
  // With these, an overloaded server asks for fewer requests.
  if (status === 429 || status === 503) return 'throttled';
  return status === 408 || status === 425 || status >= 500 ? 'failed' : undefined;
}

/**
 * `Retry-After` in seconds or as an HTTP date (RFC 9110 §10.2.3), as milliseconds from now. `sentAt` is the answer's own
 * `Date`: the server's clock may be hours from this machine's.
 */
export function parseRetryAfterMs(
  header: string | undefined,
  nowMs: number,
  sentAt?: string,
): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  const sentAtMs = Date.parse(sentAt ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(sentAtMs) ? nowMs : sentAtMs));
}

/** If every second request fails for a moment, a list of fifty pages would otherwise hardly ever be read to its end. */
const CONTINUATION_ROUNDS = 3;

/** Half a minute is too long to wait six times for an answer that will hardly come. */
const FEWER_TIMEOUTS = 2;

/** How often a login, which is asked once a minute, is waited for; each wait is followed by one more try. */
const MOST_PAUSES = 2;

/** Counts the tries for one answer. A continuation gets several rounds of them. */
export function retryCount(policy: RetryPolicy, isContinuation: boolean, random: () => number) {
  const { maxTries, baseDelayMs, maxRetryAfterMs } = policy;
  const mostTries = isContinuation ? CONTINUATION_ROUNDS * maxTries : maxTries;
  let tries = 0;
  let timeouts = 0;
  let pauses = 0;
  return {
    mostTries,
    get tries(): number {
      return tries;
    },
    /**
     * How long to wait after this try, in milliseconds; undefined if it was the last one. `isSoonGivenUp`: where
     * narrower lists can be asked for, or the API has never answered, what took too long twice is not tried a third time.
     */
    delayAfter({ reason, retryAfterMs = 0, isPause }: Retry, isSoonGivenUp: boolean): number | undefined {
      if (isPause === true) {
        pauses += 1;
        return pauses > MOST_PAUSES || retryAfterMs > maxRetryAfterMs ? undefined : retryAfterMs;
      }
      tries += 1;
      if (reason === 'timedOut') timeouts += 1;
      const isTooSlow = isSoonGivenUp && timeouts >= FEWER_TIMEOUTS;
      if (tries >= mostTries || isTooSlow || retryAfterMs > maxRetryAfterMs) return undefined;
      // Full jitter: from zero to the exponential bound, so that the retries of many requests spread out.
      const delayMs = random() * baseDelayMs * 2 ** ((tries - 1) % maxTries);
      return Math.max(retryAfterMs, delayMs);
    },
  };
}

/** What became of sending a request once. */
export type SendOutcome<T> = { kind: 'answer'; answer: T } | { kind: 'unauthorized'; token: string } | Retry;

export interface Retry {
  kind: 'retry';
  error: (tries: number) => Error;
  /** Whether the API throttled, took too long or failed. */
  reason: 'throttled' | 'timedOut' | 'failed';
  retryAfterMs?: number;
  /** Whether nothing was asked, because it is too early to ask again. */
  isPause?: boolean;
}

/** How a try that threw ended: with a retry, or by throwing an ApiError that no retry can mend. */
export function explainFailure(error: unknown, context: RequestContext, isAnswered: boolean): Retry {
  if (error instanceof ApiError) throw error;
  if (error instanceof BodyError && !error.isWorthAgain)
    throw new UnexpectedBodyError(context, error.message, 1);
  if (isAnswered) {
    const fault = bodyFault(error);
    const Fault = error instanceof FailedAnswerError ? FailureInBodyError : UnexpectedBodyError;
    return {
      kind: 'retry',
      error: (tries) => new Fault(context, fault, tries),
      reason: 'failed',
    };
  }
  const { code, fault } = networkFault(error);
  // An answer beyond a bound is an answer.
  if (code === TOO_LONG_HEADERS) throw new UnexpectedBodyError(context, fault, 1);
  const isTimeout = code === TIME_LIMIT;
  return {
    kind: 'retry',
    error: (tries) => new NoAnswerError(context, fault, tries, { isTimeout }),
    reason: isTimeout ? 'timedOut' : 'failed',
  };
}

const TOO_LONG_HEADERS = 'HPE_HEADER_OVERFLOW';

function bodyFault(error: unknown): string {
  if (error instanceof BodyError) return error.message;
  // Its message quotes the body.
  if (error instanceof SyntaxError) return 'it is not JSON';
  return `this program failed at it (${error instanceof Error ? error.name : 'no error'})`;
}

const UNTRUSTED = NETWORK.untrusted()('en');

/** Why a connection failed, in words, by the code of the error. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: NETWORK.nothingListens()('en'),
  ENOTFOUND: NETWORK.noHost()('en'),
  EAI_AGAIN: NETWORK.noLookup()('en'),
  ECONNRESET: NETWORK.closed()('en'),
  EPIPE: NETWORK.closed()('en'),
  ETIMEDOUT: NETWORK.unreachable()('en'),
  EHOSTUNREACH: NETWORK.unreachable()('en'),
  ENETUNREACH: NETWORK.noNetwork()('en'),
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: NETWORK.expired()('en'),
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'the TLS handshake failed',
  EMFILE: 'this program has too many files and connections open',
  ENETDOWN: 'the network is down',
  ERR_PROXY_TUNNEL: 'the proxy (HTTPS_PROXY) makes no connection to the API',
  [TOO_LONG_HEADERS]: 'the headers of its answer are too large',
  ERR_INVALID_CHAR: 'it cannot be sent as it is; the token may hold a character that no header allows',
  ERR_POOL_DESTROYED: 'this program had closed its connections',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: use another port, or http:// for this machine',
};

/** Why there is no answer, by the error's code. Never its message, which may quote what was sent. */
export function networkFault(error: unknown): { code: string; fault: string } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return { code: '', fault: NETWORK.failed()('en') };
  if (code === TIME_LIMIT) return { code, fault: NETWORK.timeLimit()('en') };
  // Of Node's HTTP parser.
  const unknown = code.startsWith('HPE_') ? 'its answer is not valid HTTP' : NETWORK.failed()('en');
  return { code, fault: `${FAULTS[code] ?? unknown}, ${code}` };
}
