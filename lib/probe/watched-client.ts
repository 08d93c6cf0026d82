import { type ApiSession, CompanyAccess } from '../api/access.ts';
import { AdaptiveLimiter } from '../api/adaptive-limiter.ts';
import { ApiClient } from '../api/client.ts';
import type { RunCompany } from '../export/export-tools.ts';
import { anySignal } from '../system/concurrency.ts';
import { CfeLakeError } from '../system/errors.ts';

export class RequestLimitError extends CfeLakeError {
  override name = 'RequestLimitError';
}

/** A long day leaves these for the questions after it. */
const LEAST_LEFT = 5;

export interface WatchOptions extends RunCompany {
  session: ApiSession;
  maxRequests: number;
  signal?: AbortSignal;
}

/**
 * The exporter's client with one request in flight, whose requests are counted, timed until their answer begins, and
 * ended at a limit.
 */
export function watchedClient({ session, rut, tokens, maxRequests, signal }: WatchOptions) {
  const { clock, pool } = session;
  const limit = new AbortController();
  const watch = { sent: 0, answers: [] as { status: number; hasRetryAfter: boolean; ms: number }[] };
  const get: typeof pool.get = (...request) => {
    if (watch.sent >= maxRequests)
      limit.abort(new RequestLimitError(`that takes over ${maxRequests} requests`));
    limit.signal.throwIfAborted();
    watch.sent += 1;
    const sentAtMs = clock.monotonicMs();
    return pool.get(...request).once('response', ({ statusCode: status = 0, headers }) => {
      const hasRetryAfter = headers['retry-after'] !== undefined;
      watch.answers.push({ status, hasRetryAfter, ms: clock.monotonicMs() - sentAtMs });
    });
  };
  // A few questions are not worth a long wait.
  const retryPolicy = {
    ...session.retryPolicy,
    maxTries: 3,
    maxRetryAfterMs: 10_000,
  };
  const client = new ApiClient(
    { ...session, pool: { get }, breaker: undefined, retryPolicy },
    new CompanyAccess(rut, tokens),
    new AdaptiveLimiter(1, clock),
  );
  const isTimeUp = () => watch.sent > maxRequests - LEAST_LEFT;
  return { client, clock, isTimeUp, signal: anySignal(signal, limit.signal) ?? limit.signal, watch };
}

export type Watched = ReturnType<typeof watchedClient>;
