import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoffDelayMs,
  DEFAULT_RETRY_POLICY,
  isRetryableStatus,
  isThrottlingStatus,
  parseRetryAfterMs,
} from '../../lib/api/retry.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 9, 0, 0);

describe('which statuses are asked again', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 599])('%i is', (status) => {
    expect(isRetryableStatus(status)).toBe(true);
  });

  it.each([200, 301, 400, 401, 403, 404, 409, 416, 422])('%i is not', (status) => {
    expect(isRetryableStatus(status)).toBe(false);
  });

  it('only 429 and 503 ask for fewer requests', () => {
    const statuses = Array.from({ length: 500 }, (_, index) => 100 + index);
    expect(statuses.filter(isThrottlingStatus)).toEqual([429, 503]);
  });
});

describe('full jitter', () => {
  const policy = { ...DEFAULT_RETRY_POLICY, baseDelayMs: 200, maxDelayMs: 20_000 };

  it('doubles its bound with each attempt, up to the maximum', () => {
    const bounds = [1, 2, 3, 7, 8, 9, 2000].map((attempt) => backoffDelayMs(policy, attempt, () => 1));
    expect(bounds).toEqual([200, 400, 800, 12_800, 20_000, 20_000, 20_000]);
  });

  it('spreads over everything from zero to the bound', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), share, (attempt, random) => {
        const bound = backoffDelayMs(policy, attempt, () => 1);
        expect(backoffDelayMs(policy, attempt, () => random)).toBeCloseTo(random * bound, 6);
      }),
    );
  });
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
