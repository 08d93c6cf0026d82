import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, dayRanges, daysBetween, isDay } from '../../lib/time/days.ts';

it('stands for exactly those days, in as few ranges as possible', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 })), (offsets) => {
      const days = offsets.map((offset) => addDays('2026-01-15', offset));
      const ranges = dayRanges(days).map((range) => {
        const [from = '', to = from] = range.split('..');
        return isDay(from) && isDay(to) ? daysBetween(from, to) : [];
      });
      expect(ranges.flat()).toEqual([...new Set(days)].sort());
      for (const [index, range] of ranges.entries()) {
        const last = range.at(-1);
        expect(last && addDays(last, 1)).not.toBe(ranges[index + 1]?.[0]);
      }
    }),
  );
});
