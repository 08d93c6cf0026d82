import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, dayRanges, daysBetween, isDay } from '../../lib/time/days.ts';

it('joins days that follow each other, even across the end of a month and a leap day', () => {
  expect(dayRanges([])).toEqual([]);
  expect(dayRanges(['2026-11-07', '2026-11-03', '2026-11-01', '2026-11-02', '2026-11-02'])).toEqual([
    '2026-11-01..2026-11-03',
    '2026-11-07',
  ]);
  expect(dayRanges(['2028-03-01', '2028-02-29', '2028-02-28'])).toEqual(['2028-02-28..2028-03-01']);
});

it('stands for exactly those days, in as few ranges as possible', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 60 })), (offsets) => {
      const days = offsets.map((offset) => addDays('2026-01-15', offset));
      const ranges = dayRanges(days).map((range) => {
        const [from = '', to = from] = range.split('..');
        return isDay(from) && isDay(to) ? daysBetween(from, to) : [];
      });
      expect(ranges.flat()).toEqual([...days].sort());
      for (const [index, range] of ranges.entries()) {
        const last = range.at(-1);
        expect(last && addDays(last, 1)).not.toBe(ranges[index + 1]?.[0]);
      }
    }),
  );
});
