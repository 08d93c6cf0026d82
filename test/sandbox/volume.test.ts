import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAYS, dayNumber, dayText, weekday } from '../../sandbox/generator/calendar.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { type ReceiptsPerDay, volumeOf } from '../../sandbox/generator/volume.ts';
import { campaign } from '../support/campaign.ts';
import { DAY } from './support.ts';

const day = dayNumber(DAY) ?? 0;
const companies = sandboxCompanies(40).map(({ rut }, position) => ({ rut, position }));

const KINDS: readonly (readonly [string, ReceiptsPerDay | undefined])[] = [
  ['realistic', undefined],
  ['constant', 123],
  ['of a function', (_rut, direction, text) => (direction === 'emitidos' ? Number(text.slice(-2)) : 7)],
];

describe.each(KINDS)('the %s volume', (_name, receiptsPerDay) => {
  it('counts before a day what all earlier days have', () => {
    const anyCompany = fc.constantFrom(...companies.slice(0, 8));
    fc.assert(
      fc.property(
        anyCompany,
        fc.integer({ min: 1, max: 6000 }),
        fc.integer({ min: 1, max: 200 }),
        (company, from, days) => {
          const volume = volumeOf(receiptsPerDay, company, 'emitidos');
          let sum = 0;
          for (let d = from; d < from + days; d++) {
            expect(volume.count(d)).toBeGreaterThanOrEqual(0);
            sum += volume.count(d);
          }
          expect(volume.before(from + days) - volume.before(from)).toBe(sum);
        },
      ),
      { numRuns: campaign({ quick: 15, long: 150 }) },
    );
  });

  it('is 0 outside the days that ids can encode', () => {
    const volume = volumeOf(receiptsPerDay, { rut: '219999830019', position: 0 }, 'emitidos');
    expect([volume.count(-1), volume.count(DAYS)]).toEqual([0, 0]);
    expect(volume.count(DAYS - 1)).toBeGreaterThan(0);
  });
});

describe('the realistic volume', () => {
  const countOn = (d: number, companyCount: number): number =>
    companies
      .slice(0, companyCount)
      .flatMap((company) =>
        (['emitidos', 'recibidos'] as const).map((direction) =>
          volumeOf(undefined, company, direction).count(d),
        ),
      )
      .reduce((sum, count) => sum + count, 0);

  it('gives four companies one to two thousand receipts on any day', () => {
    for (let d = day; d < day + 400; d++) {
      expect(countOn(d, 4)).toBeGreaterThanOrEqual(1000);
      expect(countOn(d, 4)).toBeLessThanOrEqual(2000);
    }
  });

  it('gives the first company several pages and the fourth nothing', () => {
    for (let d = day; d < day + 7; d++) {
      const counts = companies
        .slice(0, 4)
        .map((company) => volumeOf(undefined, company, 'emitidos').count(d));
      expect(counts[0]).toBeGreaterThan(500);
      expect(counts[3]).toBe(0);
    }
  });

  it('is lighter on Sundays', () => {
    const ofWeekday = (wanted: number): number =>
      Array.from({ length: 70 }, (_, i) => day + i)
        .filter((d) => weekday(d) === wanted)
        .reduce((sum, d) => sum + countOn(d, 1), 0);
    expect(new Date(`${dayText(day)}T00:00:00Z`).getUTCDay()).toBe(weekday(day));
    expect(ofWeekday(0)).toBeLessThan(ofWeekday(3) * 0.85);
  });

  it('leaves most of many companies idle', () => {
    const idle = companies.filter((company) => volumeOf(undefined, company, 'emitidos').count(day) === 0);
    expect(idle.length).toBeGreaterThan(companies.length / 2);
  });
});

it('refuses volumes that ids cannot encode', () => {
  for (const perDay of [-1, 1.5, 2 ** 24, Number.NaN])
    expect(() => volumeOf(perDay, { rut: '219999830019', position: 0 }, 'emitidos')).toThrow(RangeError);
});
