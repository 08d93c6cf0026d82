import { describe, expect, it } from 'vitest';
import { issuedList, receivedList } from '../../sandbox/generator/receipts.ts';
import { day, LATER, listOf, receiptsOf } from './generated.ts';

describe('numbering', () => {
  const days = Array.from({ length: 10 }, (_, i) => day + i);

  const uneven = (_rut: string, _direction: string, text: string) => Number(text.slice(-2)) * 70;
  it.each([
    [0, 700],
    [1, 700],
    [1, uneven],
  ])(
    'leaves no gap in any series that company %i issues, over days of %s receipts',
    (position, receiptsPerDay) => {
      const list = listOf(issuedList, position, { receiptsPerDay });
      const seen = Map.groupBy(
        days.flatMap((d) => receiptsOf(list, d)),
        ({ tipo_comprobante, serie }) => `${tipo_comprobante} ${serie}`,
      );
      expect(seen.size).toBeGreaterThan(20);
      for (const receipts of seen.values()) {
        const numbers = receipts.map(({ numero }) => numero);
        expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
      }
    },
  );

  it('skips one number in ten when asked to', () => {
    const list = listOf(issuedList, 0, { receiptsPerDay: 700, numberingGaps: 10 });
    const { serie } = list.receipt(day, 0, LATER);
    const tickets = days
      .flatMap((d) => receiptsOf(list, d))
      .filter((r) => r.tipo_comprobante === 101 && r.serie === serie)
      .map((r) => r.numero);
    const gaps = tickets.filter((numero, i) => i > 0 && numero !== (tickets[i - 1] ?? 0) + 1);
    expect(gaps.length / tickets.length).toBeCloseTo(0.1, 2);
  });

  it('begins a new series after 9,999,999', () => {
    const list = listOf(issuedList, 1, { receiptsPerDay: 1_000_000 });
    const invoices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].map((more) => {
      const index = Array.from({ length: 50 }, (_, i) => i).find(
        (i) => list.receipt(day + more, i, LATER).tipo_comprobante === 111,
      );
      return list.receipt(day + more, index ?? 0, LATER);
    });
    for (const { numero, serie } of invoices) {
      expect(numero).toBeGreaterThanOrEqual(1);
      expect(numero).toBeLessThanOrEqual(9_999_999);
      expect(serie).toMatch(/^([A-Z]|[A-Z]{2}|[1-9][A-Z])$/);
    }
    expect(new Set(invoices.map(({ serie }) => serie)).size).toBe(2);
  });

  it('never gives two received receipts the same natural key', () => {
    const all = [0, 1, 2].flatMap((position) =>
      [day, day + 1].flatMap((d) => receiptsOf(listOf(receivedList, position), d)),
    );
    const keys = all.map((r) => `${r.emisor.document} ${r.tipo_comprobante} ${r.serie} ${r.numero}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
