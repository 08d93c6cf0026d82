import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DayState } from '../../lib/coverage/day.ts';
import { dayText, MEANINGS, STATES } from '../../lib/coverage/words.ts';
import {
  amountText,
  countText,
  longMonth,
  momentText,
  shortDay,
  shortMonth,
  weekDay,
} from '../../lib/text/spanish.ts';

describe('dayText', () => {
  it.each([
    ['exported', 37, '37 comprobantes, con lectura final'],
    ['open', 1, '1 comprobante, se sigue releyendo'],
    ['aged', 0, 'sin comprobantes, sin lectura final'],
    ['unstable', 12_345, '12.345 comprobantes, con lista inestable'],
    ['failed', null, 'con error'],
    ['failed', 37, 'con error, 37 comprobantes de una lectura anterior'],
    ['early', 3, '3 comprobantes, leído antes de terminar'],
    ['missing', null, 'sin leer'],
  ] satisfies [DayState, number | null, string][])('says %s with %s receipts', (state, receipts, said) => {
    expect(dayText('2026-11-19', state, receipts)).toBe(`jueves 19/11/2026: ${said}`);
  });

  it('has a name and a meaning for every state that no other state has', () => {
    expect(new Set([...Object.values(STATES), ...Object.values(MEANINGS)]).size).toBe(14);
  });
});

describe('amounts and counts', () => {
  it.each([
    ['-0.05', '-0,05'],
    ['999.90', '999,90'],
    ['-123456.00', '-123.456,00'],
    ['99999999999999999999.99', '99.999.999.999.999.999.999,99'],
  ])('groups %s as %s', (decimal, text) => {
    expect(amountText(decimal)).toBe(text);
  });

  it.each(['', 'NaN', '1.2.3', 'A-1234567'])('leaves %j, which is no decimal, as it is', (text) => {
    expect(amountText(text)).toBe(text);
  });

  it('groups 100,000 digits at once', () => {
    const groups = 33_333;
    expect(amountText(`1${'000'.repeat(groups)}`)).toBe(`1${'.000'.repeat(groups)}`);
  });

  it('loses no digit', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(), (cents, count) => {
        const decimal = `${cents}.07`;
        expect(amountText(decimal).replaceAll('.', '').replace(',', '.')).toBe(decimal);
        expect(countText(count).replaceAll('.', '')).toBe(String(count));
      }),
    );
  });
});

it('days, months and moments are written as in Uruguay', () => {
  const said = [shortDay, weekDay, shortMonth, longMonth].map((write) => write('2026-09-05'));
  expect(said).toEqual(['05/09/2026', 'sábado 05/09/2026', 'set 2026', 'setiembre de 2026']);
  expect(momentText('2026-11-19 10:20:30.5')).toBe('19/11/2026 10:20');
  expect(momentText('2026-11-19')).toBe('19/11/2026');
});
