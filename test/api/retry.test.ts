import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY, parseRetryAfterMs, retryCount, retryReason } from '../../lib/api/retry.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 9, 0, 0);

it('of all statuses, those of a passing fault are asked again, and two ask for fewer requests', () => {
  const statuses = Array.from({ length: 401 }, (_, index) => 100 + index);
  const asked = statuses.filter((status) => retryReason(status) !== undefined);
  expect(asked).toEqual([408, 425, 429, 500]);
  expect([502, 503, 504, 599].map(retryReason)).toEqual(['failed', 'throttled', 'failed', 'failed']);
  expect(retryReason(429)).toBe('throttled');
});

it('full jitter doubles its bound with each attempt, and a continuation begins anew after each round', () => {
  const bounds = [200, 400, 800, 1600, 3200];
  const rounds = [...bounds, 6400, ...bounds, 6400, ...bounds];
  for (const share of [0, 0.25, 1]) {
    for (const [isContinuation, expected] of [[false, bounds] as const, [true, rounds] as const]) {
      const retries = retryCount(DEFAULT_RETRY_POLICY, isContinuation, () => share);
      const failed = { kind: 'retry', error: () => new Error('no'), reason: 'failed' } as const;
      const delays = expected.map(() => retries.delayAfter(failed, false));
      expect(delays).toEqual(expected.map((bound) => share * bound));
      expect(retries.delayAfter(failed, false)).toBeUndefined();
    }
  }
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7000],
    ['  7 ', 7000],
    ['1.5', 1500],
    ['86400', 86_400_000],
    ['Fri, 20 Nov 2026 09:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 08:59:00 GMT', 0],
    ['Friday, 20-Nov-26 09:00:30 GMT', 30_000],
  ])('%j is a wait of %i ms', (header, expected) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBe(expected);
  });

  it('as a date is a wait from the answer’s own date', () => {
    const header = 'Fri, 20 Nov 2026 12:00:30 GMT';
    expect(parseRetryAfterMs(header, NOW_MS, 'Fri, 20 Nov 2026 12:00:00 GMT')).toBe(30_000);
    expect(parseRetryAfterMs(header, NOW_MS, 'today')).toBe(3 * 3_600_000 + 30_000);
  });

  it.each([undefined, '', 'soon', 'NaN', '1e3'])('%j says nothing', (header) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBeUndefined();
  });

  it('is never a negative wait', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(parseRetryAfterMs(header, NOW_MS) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
