import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  dayNumber,
  dayOf,
  daysAfter,
  dayText,
  localText,
  parseLocal,
  sandboxClock,
} from '../../sandbox/generator/calendar.ts';

afterEach(() => vi.useRealTimers());

describe('the clock', () => {
  it('is that of Montevideo, whatever the zone of the machine', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 1, 30, 45) });
    const clock = sandboxClock();
    expect(localText(clock.now())).toBe('2026-11-19T22:30:00');
    vi.setSystemTime(Date.UTC(2026, 10, 20, 3, 0, 59));
    expect(localText(clock.now())).toBe('2026-11-20T00:00:00');
  });

  it('stands still at a given moment, until it is set', () => {
    const clock = sandboxClock('2026-11-20T03:10:59');
    expect(localText(clock.now())).toBe('2026-11-20T03:10:00');
    clock.set('2027-01-01T00:00:00');
    expect(localText(clock.now())).toBe('2027-01-01T00:00:00');
  });

  it('follows a function', () => {
    let now = '2026-11-20T03:00:00';
    const clock = sandboxClock(() => now);
    expect(localText(clock.now())).toBe(now);
    now = '2026-11-21T04:00:00';
    expect(localText(clock.now())).toBe(now);
  });

  it('refuses a text that is no local date-time', () => {
    for (const text of ['2026-11-20', '2026-11-20T03:00:00Z', '2026-11-20T25:00:00', '2026-02-30T00:00:00'])
      expect(() => sandboxClock(text)).toThrow(RangeError);
  });
});

describe('the calendar', () => {
  it('numbers days from 2012-01-01, both ways', () => {
    expect(dayNumber('2012-01-01')).toBe(0);
    for (const day of ['2011-12-31', '2012-02-29', '2026-11-19', '2101-09-17']) {
      const number = dayNumber(day) ?? Number.NaN;
      expect(dayText(number)).toBe(day);
      expect(dayOf(parseLocal(`${day}T23:59:59`) ?? 0)).toBe(number);
    }
  });

  it('knows which days exist', () => {
    for (const day of ['2026-02-29', '2026-13-01', '2026-1-1', '', '20261119', '2026-11-19 '])
      expect(dayNumber(day)).toBeUndefined();
  });

  it('counts across months', () => {
    expect(daysAfter('2026-11-19', 30)).toBe('2026-12-19');
    expect(daysAfter('2028-03-01', -1)).toBe('2028-02-29');
  });
});
