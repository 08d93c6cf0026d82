/** When to ask again, and how long to wait before. */
export interface RetryPolicy {
  /** Requests in all for one answer, the first included. */
  maxAttempts: number;
  /** The same for answers that ask for patience (429, 503): the governor slows down meanwhile. */
  maxThrottledAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
  /** A `Retry-After` longer than this is not waited for: the request fails instead. */
  maxRetryAfterMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 6,
  maxThrottledAttempts: 12,
  baseDelayMs: 200,
  maxDelayMs: 20_000,
  maxRetryAfterMs: 120_000,
};

/** Statuses that may pass when asked again; the contract (§7) names none, so the common ones. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Statuses by which an overloaded server asks for fewer requests. */
export function isThrottlingStatus(status: number): boolean {
  return status === 429 || status === 503;
}

/** Full jitter: anything from nothing to the exponential bound, so that retries of many do not meet. */
export function backoffDelayMs(policy: RetryPolicy, attempt: number, random: () => number): number {
  return random() * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110 §10.2.3), as milliseconds from now. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
