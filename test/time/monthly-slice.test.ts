import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  type Day,
  dayFromNumber,
  dayNumber,
  daysBetween,
  MIN_AGES,
  monthlySlice,
  monthOf,
  widthDays,
} from '../../lib/time/days.ts';

const anyDay = fc.integer({ min: dayNumber('2012-01-01'), max: dayNumber('2050-12-31') }).map(dayFromNumber);
const anyAges = fc
  .record({ youngest: fc.integer({ min: 2, max: 367 }), count: fc.integer({ min: MIN_AGES, max: 3660 }) })
  .map(({ youngest, count }) => ({ youngest, oldest: youngest + count - 1 }));

const ageOn = (night: Day, day: Day) => dayNumber(night) - dayNumber(day);

describe('the nights of a month', () => {
  it('read each day once that had one of the ages on its first, and as many each night, give or take one', () => {
    fc.assert(
      fc.property(anyDay, anyAges, (day, ages) => {
        const { from: first, to: last } = monthOf(day);
        const slices = daysBetween(first, last).map((night) => monthlySlice(night, ages));
        const asked = slices.flatMap(({ from, to }) => daysBetween(from, to));
        const wanted = daysBetween(addDays(first, -ages.oldest), addDays(first, -ages.youngest));
        expect(asked.toSorted()).toEqual(wanted);
        const widths = slices.map(widthDays);
        expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(1);
        expect(Math.min(...widths)).toBeGreaterThan(0);
      }),
    );
  });

  it('of 400 days, read a day within 40 days after the weekly run left it, then every 36 days or sooner', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const nights = daysBetween(day, addDays(day, 440));
        const ages = nights
          .filter((night) => {
            const { from, to } = monthlySlice(night, { youngest: 66, oldest: 400 });
            return from <= day && day <= to;
          })
          .map((night) => ageOn(night, day));
        const [first = Number.NaN] = ages;
        expect(first).toBeGreaterThan(65);
        expect(first).toBeLessThanOrEqual(100);
        const gaps = ages.slice(1).map((age, index) => age - (ages[index] ?? Number.NaN));
        expect(Math.max(...gaps)).toBeLessThanOrEqual(36);
        expect(ages.at(-1)).toBeGreaterThan(400 - 36);
      }),
    );
  });
});
