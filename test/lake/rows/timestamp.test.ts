import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysSinceEpoch, localTimestamp } from '../../../lib/lake/rows/fields.ts';
import { campaign } from '../../support/campaign.ts';

const secondOfCommonEra = fc.integer({
  min: Date.parse('0001-01-01T00:00:00Z') / 1000,
  max: Date.parse('9999-12-31T23:59:59Z') / 1000,
});
const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });

function written(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 19);
}

describe('a date-time', () => {
  it('with no fraction, or one of 1 to 6 digits, is read whole, in every year', () => {
    fc.assert(
      fc.property(secondOfCommonEra, fc.option(digits(6), { nil: '' }), (second, fraction) => {
        const timestamp = localTimestamp(written(second) + (fraction && `.${fraction}`));
        const micros = BigInt(second) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
        expect(BigInt(timestamp?.micros ?? 'none')).toBe(micros);
        expect(timestamp?.isWhole).toBe(true);
      }),
      { numRuns: campaign({ quick: 125, long: 2000 }) },
    );
  });

  it('with 7 to 9 digits has all past the sixth cut off, never rounded, and says so unless they are 0', () => {
    const past = fc.oneof(fc.constantFrom('0', '00', '000', '001', '01', '10'), digits(3));
    fc.assert(
      fc.property(secondOfCommonEra, fc.integer({ min: 0, max: 999_999 }), past, (second, micros, cut) => {
        const timestamp = localTimestamp(`${written(second)}.${String(micros).padStart(6, '0')}${cut}`);
        expect(BigInt(timestamp?.micros ?? 'none')).toBe(BigInt(second) * 1_000_000n + BigInt(micros));
        expect(timestamp?.isWhole).toBe(/^0+$/.test(cut));
      }),
      { numRuns: campaign({ quick: 125, long: 2000 }) },
    );
  });

  it('is a number where that is safe and a bigint elsewhere', () => {
    expect(localTimestamp('2026-11-19T10:20:30.123456')?.micros).toBe(1_795_083_630_123_456);
    expect(localTimestamp('9999-12-31T23:59:59.999999')?.micros).toBe(253_402_300_799_999_999n);
    expect(localTimestamp('0001-01-01T00:00:00.000001')?.micros).toBe(-62_135_596_799_999_999n);
  });

  it('may be a date alone, which is its first moment', () => {
    expect(localTimestamp('2026-11-19')).toEqual(localTimestamp('2026-11-19T00:00:00'));
    expect(localTimestamp('1970-01-01')).toEqual({ micros: 0, isWhole: true });
  });

  it.each([
    '2026-02-29T00:00:00',
    '2026-02-30T00:00:00',
    '2026-04-31T00:00:00',
    '1900-02-29T00:00:00',
    '2026-13-01T00:00:00',
    '2026-00-01T00:00:00',
    '2026-01-00T00:00:00',
    '2026-01-32T00:00:00',
    '0000-01-01T00:00:00',
    '2026-11-19T24:00:00',
    '2026-11-19T23:60:00',
    '2026-11-19T23:59:60',
    '2026-11-19T23:59',
    '2026-11-19T1:02:03',
    '2026-11-19 10:20:30',
    '2026-11-19t10:20:30',
    '2026-11-19T10:20:30Z',
    '2026-11-19T10:20:30-03:00',
    '2026-11-19T10:20:30.',
    '2026-11-19T10:20:30,5',
    '2026-11-19T10:20:30.1234567890',
    '2026-11-19T10:20:30.1234567x',
    '2026-11-19T10:20:30.12345678Z',
    ' 2026-11-19T10:20:30',
    '2026-11-19T10:20:30 ',
    '2026-11-19T10:20:30\n',
    '12026-11-19T10:20:30',
    '-2026-11-19T10:20:30',
    '19/11/2026',
    '',
  ])('is not %j', (text) => {
    expect(localTimestamp(text)).toBeUndefined();
  });

  it('knows 29 February of leap years only', () => {
    const years = [1600, 1700, 1900, 2000, 2023, 2024, 2100];
    expect(years.filter((year) => daysSinceEpoch(year, 2, 29) !== undefined)).toEqual([1600, 2000, 2024]);
  });
});
