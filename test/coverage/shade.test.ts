import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { busyDay, SHADES, shadeOf } from '../../lib/coverage/day.ts';

describe('shadeOf', () => {
  it('grows with the number of receipts, from 0 for none to the darkest for a busy day', () => {
    expect([0, 1, 20, 45, 46, 70, 90, 91, 100, 5000].map((count) => shadeOf(count, 100))).toEqual([
      0, 1, 1, 2, 3, 3, 4, 5, 5, 5,
    ]);
  });

  it('is never 0 for a day with receipts, and never more than there are shades', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1 }), (count, busy) => {
        const shade = shadeOf(count, busy);
        expect(shade === 0).toBe(count === 0);
        expect(shade).toBeLessThanOrEqual(SHADES);
      }),
    );
  });
});

describe('busyDay', () => {
  it('is not raised by one busy day, nor lowered by days without receipts', () => {
    const days = [...Array.from({ length: 19 }, () => 10), 100_000, 0, 0, null];
    expect(busyDay(days)).toBe(10);
  });

  it('is 1 for a calendar without receipts', () => {
    expect([busyDay([]), busyDay([0, null])]).toEqual([1, 1]);
  });
});
