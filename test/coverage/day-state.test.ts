import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_STATES, type DayFacts, dayState } from '../../lib/coverage/day.ts';
import { CHANGING_DAYS } from '../../lib/time/days.ts';

const DAY = 20_000;

/** A day that was read without trouble the day after, long ago. */
function facts(changes: Partial<DayFacts>): DayFacts {
  return {
    day: DAY,
    today: DAY + 200,
    hasReading: true,
    hasLastFailed: false,
    isStable: true,
    readOn: DAY + 1,
    ...changes,
  };
}

describe('dayState', () => {
  it.each([
    ['missing', { hasReading: false }],
    ['failed', { hasLastFailed: true, isStable: false }],
    ['unstable', { isStable: false }],
    ['aged', {}],
    ['open', { today: DAY + 2 }],
    ['exported', { readOn: DAY + 100 }],
  ] satisfies [string, Partial<DayFacts>][])('is %s', (state, changes) => {
    expect(dayState(facts(changes))).toBe(state);
  });

  it('stays open for 65 days after the issue date, then is aged', () => {
    expect(dayState(facts({ today: DAY + CHANGING_DAYS - 1 }))).toBe('open');
    expect(dayState(facts({ today: DAY + CHANGING_DAYS }))).toBe('aged');
  });

  it('is aged when the last reading came a day too early, exported from the 65th day on', () => {
    expect(dayState(facts({ readOn: DAY + CHANGING_DAYS - 1 }))).toBe('aged');
    expect(dayState(facts({ readOn: DAY + CHANGING_DAYS }))).toBe('exported');
  });

  it('is aged if it is unknown when an old day was read', () => {
    expect(dayState(facts({ readOn: undefined }))).toBe('aged');
  });

  it('is open for a day still to come that was read ahead', () => {
    expect(dayState(facts({ today: DAY - 10, readOn: DAY - 12 }))).toBe('open');
  });

  it('never calls a day exported that may have changed after it was read', () => {
    const offset = fc.integer({ min: -60, max: 500 });
    fc.assert(
      fc.property(
        offset,
        offset,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (today, read, hasReading, hasLastFailed, isStable) => {
          fc.pre(read <= today);
          const given = facts({
            today: DAY + today,
            readOn: DAY + read,
            hasReading,
            hasLastFailed,
            isStable,
          });
          const state = dayState(given);
          expect(DAY_STATES).toContain(state);
          const isSure = hasReading && !hasLastFailed && isStable && read >= CHANGING_DAYS;
          expect(state === 'exported').toBe(isSure);
          if (state === 'open') expect(today).toBeLessThan(CHANGING_DAYS);
          if (state === 'aged') expect(today).toBeGreaterThanOrEqual(CHANGING_DAYS);
        },
      ),
    );
  });
});
