import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_STATES, type DayState, dayState } from '../../lib/coverage/day.ts';
import { CHANGING_DAYS } from '../../lib/time/days.ts';

const DAY = 20_000;

/** What decides a day's state. Days are numbers since 1970-01-01. */
interface DayFacts {
  today: number;
  hasReading: boolean;
  hasLastFailed: boolean;
  isStable: boolean;
  readOn: number | undefined;
}

/** The state of a day that was read the day after, long ago, but for these changes. */
function stateWith(changes: Partial<DayFacts>): DayState {
  const usual = { today: DAY + 200, hasReading: true, hasLastFailed: false, isStable: true, readOn: DAY + 1 };
  const { today, hasReading, hasLastFailed, isStable, readOn }: DayFacts = { ...usual, ...changes };
  const startedAtSeconds = readOn === undefined ? null : readOn * 86_400;
  const last = { state: hasLastFailed ? 'fallido' : 'exportado', startedAtSeconds, isStable };
  return dayState(DAY, today, hasReading ? last : undefined);
}

describe('dayState', () => {
  it.each([
    ['missing', { hasReading: false }],
    ['failed', { hasLastFailed: true, isStable: false }],
    ['early', { readOn: DAY, isStable: false }],
    ['unstable', { isStable: false }],
    ['aged', {}],
    ['open', { today: DAY + 2 }],
    ['exported', { readOn: DAY + 100 }],
  ] satisfies [string, Partial<DayFacts>][])('is %s', (state, changes) => {
    expect(stateWith(changes)).toBe(state);
  });

  it('stays open for 65 days after the issue date, then is aged', () => {
    expect(stateWith({ today: DAY + CHANGING_DAYS - 1 })).toBe('open');
    expect(stateWith({ today: DAY + CHANGING_DAYS })).toBe('aged');
  });

  it('is aged when the last reading came a day too early, exported from the 65th day on', () => {
    expect(stateWith({ readOn: DAY + CHANGING_DAYS - 1 })).toBe('aged');
    expect(stateWith({ readOn: DAY + CHANGING_DAYS })).toBe('exported');
  });

  it('is early if it was read ahead, or it is unknown when', () => {
    expect(stateWith({ today: DAY - 10, readOn: DAY - 12 })).toBe('early');
    expect(stateWith({ readOn: undefined })).toBe('early');
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
          const state = stateWith({
            today: DAY + today,
            readOn: DAY + read,
            hasReading,
            hasLastFailed,
            isStable,
          });
          expect(DAY_STATES).toContain(state);
          const isSure = hasReading && !hasLastFailed && isStable && read >= CHANGING_DAYS;
          expect(state === 'exported').toBe(isSure);
          expect(state === 'early').toBe(hasReading && !hasLastFailed && read <= 0);
          if (state === 'open') expect(today).toBeLessThan(CHANGING_DAYS);
          if (state === 'aged') expect(today).toBeGreaterThanOrEqual(CHANGING_DAYS);
        },
      ),
    );
  });
});
