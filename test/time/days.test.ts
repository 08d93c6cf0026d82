import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { addDays, dayNumber, daysBetween, isDay, uruguayDateTime, uruguayDay } from '../../lib/time/days.ts';

describe('isDay', () => {
  it.each(['2026-11-19', '2024-02-29', '2000-02-29', '1999-12-31'])('%s is one', (text) => {
    expect(isDay(text)).toBe(true);
  });

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-01-00',
    '2026-1-1',
    '20261119',
    '2026-11-19T00:00:00',
    ' 2026-11-19',
    '19/11/2026',
    '',
  ])('%j is none', (text) => {
    expect(isDay(text)).toBe(false);
  });
});

const anyDay = fc
  .integer({ min: dayNumber('1900-01-01'), max: dayNumber('2100-12-31') })
  .map((number) => addDays('1970-01-01', number));

describe('days in a row', () => {
  it('come one after the other, all of them, over any month and year', () => {
    fc.assert(
      fc.property(anyDay, fc.nat(800), (from, count) => {
        const days = daysBetween(from, addDays(from, count));
        expect(days).toHaveLength(count + 1);
        expect(days.every(isDay)).toBe(true);
        expect(days.map((day) => dayNumber(day) - dayNumber(from))).toEqual(days.map((_, index) => index));
      }),
      { numRuns: 50 },
    );
  });

  it('are none when the last comes before the first', () => {
    expect(daysBetween('2026-11-19', '2026-11-18')).toEqual([]);
    expect(daysBetween('2026-11-19', '2026-11-19')).toEqual(['2026-11-19']);
  });

  it('are counted from 1970', () => {
    expect([dayNumber('1970-01-01'), dayNumber('1969-12-31'), dayNumber('2026-11-19')]).toEqual([
      0, -1, 20776,
    ]);
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  });
});

describe("Uruguay's clock", () => {
  const zoneBefore = process.env.TZ;
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;
  });

  const MOMENTS: readonly [utc: string, local: string][] = [
    ['2026-11-20T02:59:59Z', '2026-11-19T23:59:59'],
    ['2026-11-20T03:00:00Z', '2026-11-20T00:00:00'],
    ['2026-01-01T02:30:00Z', '2025-12-31T23:30:00'],
    ['2024-03-01T02:00:00Z', '2024-02-29T23:00:00'],
    // The last summer with daylight saving time was that of 2014 to 2015.
    ['2015-01-10T02:30:00Z', '2015-01-10T00:30:00'],
    ['2016-01-10T02:30:00Z', '2016-01-09T23:30:00'],
  ];

  it.each(['UTC', 'America/Montevideo', 'Asia/Tokyo', 'Pacific/Auckland', 'Pacific/Honolulu'])(
    'is the same on a machine whose zone is %s',
    (zone) => {
      process.env.TZ = zone;
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
      for (const [utc, local] of MOMENTS) {
        expect(uruguayDateTime(Date.parse(utc))).toBe(local);
        expect(uruguayDay(Date.parse(utc))).toBe(local.slice(0, 10));
      }
      // Yesterday, as an export without dates takes it.
      expect(addDays(uruguayDay(Date.parse('2026-03-01T02:59:59Z')), -1)).toBe('2026-02-27');
      expect(addDays(uruguayDay(Date.parse('2026-03-01T03:00:00Z')), -1)).toBe('2026-02-28');
    },
  );
});
