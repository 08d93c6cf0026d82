import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DayState } from '../../lib/coverage/day.ts';
import { amountText, countText, dayText, ENGLISH, SPANISH } from '../../lib/coverage/texts.ts';

describe('dayText', () => {
  it.each([
    ['exported', 37, '37 receipts, settled', '37 comprobantes, con lectura final'],
    ['open', 1, '1 receipt, still re-read', '1 comprobante, todavía en lectura'],
    ['aged', 0, 'no receipts, aged', 'sin comprobantes, sin lectura final'],
    ['unstable', 12_345, '12,345 receipts, unstable', '12.345 comprobantes, con lista inestable'],
    ['failed', null, 'failed', 'con falla'],
    [
      'failed',
      37,
      'failed, 37 receipts from an earlier reading',
      'con falla, 37 comprobantes de una lectura anterior',
    ],
    ['missing', null, 'missing', 'sin exportar'],
  ] satisfies [DayState, number | null, string, string][])(
    'says %s with %s receipts',
    (state, receipts, english, spanish) => {
      expect(dayText('2026-11-19', state, receipts, ENGLISH)).toBe(`2026-11-19 (Thu): ${english}`);
      expect(dayText('2026-11-19', state, receipts, SPANISH)).toBe(`jueves 19/11/2026: ${spanish}`);
    },
  );
});

describe('amounts and counts', () => {
  it.each([
    ['-0.05', '-0.05'],
    ['999.90', '999.90'],
    ['-123456.00', '-123,456.00'],
    ['99999999999999999999.99', '99,999,999,999,999,999,999.99'],
  ])('groups %s as %s', (decimal, text) => {
    expect(amountText(decimal, ENGLISH)).toBe(text);
  });

  it('are written as in Uruguay in Spanish', () => {
    expect(amountText('-99999999999999999999.90', SPANISH)).toBe('-99.999.999.999.999.999.999,90');
    expect(amountText('999', SPANISH)).toBe('999');
    expect(countText(12_345, SPANISH)).toBe('12.345');
  });

  it('loses no digit', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(), (cents, count) => {
        const decimal = `${cents}.07`;
        expect(amountText(decimal, ENGLISH).replaceAll(',', '')).toBe(decimal);
        expect(countText(count, ENGLISH).replaceAll(',', '')).toBe(String(count));
      }),
    );
  });
});

/** The texts of a catalogue that take no parameters, by name. */
function plainTexts(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]): [string, string][] => {
      if (typeof value === 'string') return [[`${path}${name}`, value]];
      return typeof value === 'object' ? [...plainTexts(value, `${path}${name}.`)] : [];
    }),
  );
}

describe('the two languages', () => {
  it('share the words of no text', () => {
    const spanish = plainTexts(SPANISH);
    const same = [...plainTexts(ENGLISH)].filter(([name, text]) => spanish.get(name) === text);
    expect(same).toEqual([]);
    expect(spanish.size).toBeGreaterThan(30);
  });

  it('have a name and a meaning for every state that no other state has', () => {
    for (const { states, meanings } of [ENGLISH, SPANISH]) {
      const said = [...Object.values(states), ...Object.values(meanings)];
      expect(new Set(said).size).toBe(12);
    }
  });

  it('write days as they are written there', () => {
    const { shortDay, weekDay, shortMonth, longMonth } = SPANISH;
    const said = [shortDay, weekDay, shortMonth, longMonth].map((write) => write('2026-09-05'));
    expect(said).toEqual(['05/09/2026', 'sábado 05/09/2026', 'set 2026', 'setiembre de 2026']);
  });
});
