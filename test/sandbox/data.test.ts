import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../lib/time/days.ts';
import { isValidRut } from '../../lib/units/rut.ts';
import { DAYS, parseLocal } from '../../sandbox/generator/calendar.ts';
import { rateOf } from '../../sandbox/generator/currencies.ts';
import { firstIdOf, placeOf } from '../../sandbox/generator/numbering.ts';
import { issuedList, receivedList, type SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { hasPaymentForm, PURCHASES, RETAIL, TYPE_PERIOD, WHOLESALE } from '../../sandbox/generator/types.ts';
import { campaign } from '../support/campaign.ts';
import { day, LATER, listOf, MANY, receiptsOf } from './generated.ts';
import { DAY } from './support.ts';

const issued = receiptsOf(listOf(issuedList));
const received = receiptsOf(listOf(receivedList));

describe('the data', () => {
  it('is the same for the same seed, and different for another one', () => {
    expect(receiptsOf(listOf(issuedList))).toEqual(issued);
    expect(receiptsOf(listOf(receivedList, 0, { seed: 2 })).map((r) => r.total)).not.toEqual(
      received.map((r) => r.total),
    );
  });

  it('makes a receipt by itself as it makes it among others', () => {
    const apart = fc.integer({ min: 0, max: MANY - 1 });
    fc.assert(
      fc.property(apart, (index) => {
        expect(listOf(issuedList).receipt(day, index, LATER)).toEqual(issued[index]);
        expect(listOf(receivedList).receipt(day, index, LATER)).toEqual(received[index]);
      }),
      { numRuns: campaign({ quick: 20, long: 200 }) },
    );
  });

  it('has exactly as many receipts a day as a number asks for', () => {
    expect(issued).toHaveLength(MANY);
    expect(received).toHaveLength(MANY);
  });

  it('has ascending ids that no other company, direction or day has', () => {
    const lists = [0, 1].flatMap((position) => [
      listOf(issuedList, position, { receiptsPerDay: 50 }),
      listOf(receivedList, position, { receiptsPerDay: 50 }),
    ]);
    const ids = lists.flatMap((list) =>
      [0, 1].flatMap((more) => receiptsOf(list, day + more).map(({ id }) => id)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const own = issued.map(({ id }) => id);
    expect(own).toEqual(own.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it('has ids that encode the receipt’s place, and no other number does', () => {
    const anyPlace = fc.record({
      companyPosition: fc.nat(8191),
      isIssued: fc.boolean(),
      day: fc.nat(DAYS - 1),
      index: fc.nat(2 ** 24 - 1),
    });
    const edges = { companyPosition: 8191, isIssued: true, day: DAYS - 1, index: 2 ** 24 - 1 };
    fc.assert(
      fc.property(anyPlace, (place) => {
        const id = firstIdOf(place) + BigInt(place.index);
        expect(placeOf(id)).toEqual(place);
        expect(id < 2n ** 53n || id >= 2n ** 62n).toBe(true);
      }),
      { examples: [[edges], [{ ...edges, companyPosition: 8190 }]] },
    );
    for (const id of [0n, 1n, 12345n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n])
      expect(placeOf(id)).toBeUndefined();
  });

  it('has ids beyond 2^53 for every second company', () => {
    const isLong = (position: number): boolean =>
      listOf(issuedList, position).receipt(day, 0, LATER).id > 2n ** 53n;
    expect([0, 1, 2, 3].map(isLong)).toEqual([false, true, false, true]);
  });

  it('uses every type of the table, with shares that add up', () => {
    for (const shares of [RETAIL, WHOLESALE, PURCHASES])
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBe(TYPE_PERIOD);
    const types = new Set(issued.map((r) => r.tipo_comprobante));
    for (const { code, share } of RETAIL) expect(types.has(code)).toBe(share > 0);
  });

  it('has no payment form on 124, 181 and 182, no currency and no totals on 181', () => {
    for (const receipt of [...issued, ...received]) {
      const isForm = [124, 181, 182, 281, 282].includes(receipt.tipo_comprobante);
      expect(hasPaymentForm(receipt.tipo_comprobante)).toBe(!isForm);
      expect(receipt.forma_pago === null).toBe(isForm);
      const isRemito = receipt.tipo_comprobante % 100 === 81;
      expect(receipt.moneda === null).toBe(isRemito);
      if (isRemito) expect([receipt.total, receipt.total_pagar]).toEqual([null, null]);
    }
  });

  it('has negative totals on 124 only, amounts of at most 17 digits, and some of each kind', () => {
    const all = [0, 1].flatMap((position) => [
      ...receiptsOf(listOf(issuedList, position, { receiptsPerDay: 20_000 })),
      ...receiptsOf(listOf(receivedList, position, { receiptsPerDay: 20_000 })),
    ]);
    const isLong = (cents: bigint | null): boolean =>
      cents !== null && (cents > 10n ** 16n || cents < -(10n ** 16n));
    const isTooLong = (cents: bigint | null): boolean =>
      cents !== null && (cents >= 10n ** 17n || cents <= -(10n ** 17n));
    expect(all.filter((r) => isTooLong(r.total) || isTooLong(r.total_pagar))).toEqual([]);
    expect(all.filter((r) => (r.total ?? 0n) < 0n && r.tipo_comprobante !== 124)).toEqual([]);
    expect(all.filter((r) => isLong(r.total)).length / all.length).toBeGreaterThan(1 / 15_000);
    expect(all.some((r) => isLong(r.total_pagar) && (r.total_pagar ?? 0n) < 0n)).toBe(true);
    expect(all.some((r) => isLong(r.total) && (r.total ?? 0n) < 0n)).toBe(true);
    expect(all.some((r) => r.total === 0n && (r.total_pagar ?? 0n) > 0n)).toBe(true);
    expect(all.some((r) => r.receptor === null)).toBe(true);
  });

  it('has totals like a country’s where amounts of 17 digits are not asked for', () => {
    const all = [issuedList, receivedList].flatMap((make) =>
      receiptsOf(listOf(make, 0, { hasLongAmounts: false })),
    );
    // 200,000 pesos: above the largest possible sale with its VAT and withholdings.
    const isLarge = (cents: bigint | null, currency: string | null): boolean =>
      Math.abs(Number(cents)) * ((rateOf(currency) ?? 1000) / 1000) >= 20_000_000;
    expect(all.filter((r) => isLarge(r.total, r.moneda) || isLarge(r.total_pagar, r.moneda))).toEqual([]);
  });

  it('is mostly in pesos, some in dollars and, of one company in four, in a third currency', () => {
    const listsOf = (position: number) =>
      [issuedList, receivedList].flatMap((make) =>
        receiptsOf(listOf(make, position, { hasLongAmounts: false, receiptsPerDay: 1000 })),
      );
    const all = [0, 1, 2, 3].map(listsOf);
    const currencies = all.map((own) => new Set(own.flatMap((r) => r.moneda ?? [])));
    expect(currencies.map((own) => [...own].sort().join())).toEqual([
      'EUR,USD,UYU',
      ...['USD,UYU', 'USD,UYU', 'USD,UYU'],
    ]);
    const priced = all.flat().filter((r) => r.moneda !== null);
    const share = priced.filter((r) => r.moneda === 'UYU').length / priced.length;
    expect([share > 0.8, share < 0.95]).toEqual([true, true]);
    // Some 35 dollars, without its VAT.
    const sales = priced.filter((r) => r.moneda !== 'UYU' && r.tipo_comprobante % 10 === 1 && r.total !== 0n);
    expect(Math.min(...sales.map((r) => Number(r.total)))).toBeGreaterThan(3000);
  });

  it('has more on a Friday than on a Sunday, and not the same number every day', () => {
    const list = listOf(issuedList, 1, { receiptsPerDay: undefined });
    // DAY is a Thursday.
    const week = [0, 1, 2, 3, 4, 5, 6].map((more) => list.appeared(day + more, LATER));
    expect(week[1]).toBe(Math.max(...week));
    expect(week[3]).toBe(Math.min(...week));
    expect(new Set(week).size).toBeGreaterThan(4);
  });

  it('has few rejections, and credit notes of at most what they correct, in its currency', () => {
    expect(issued.filter((r) => r.estado_dgi === 'BE').length).toBeLessThanOrEqual(issued.length / 200);
    expect(received.filter((r) => r.estado === 'BE').length).toBeLessThanOrEqual(received.length / 200);
    for (const list of [issued, received]) {
      const keyOf = (type: number, serie: string, numero: number, party: string | undefined) =>
        [type, serie, numero, party].join();
      const partyOf = (r: SandboxReceipt) => (r.direction === 'emitidos' ? r.receptor : r.emisor)?.document;
      const sales = new Map(
        list.map((r) => [keyOf(r.tipo_comprobante, r.serie, r.numero, partyOf(r)), r] as const),
      );
      const notes = list.filter((r) => r.tipo_comprobante % 10 === 2 && r.corrected !== undefined);
      const corrected = notes.map(({ corrected }) => JSON.stringify(corrected));
      expect(notes.length).toBeGreaterThan(5);
      // Of several notes of a sale, each may take all of it back.
      expect(new Set(corrected).size).toBe(notes.length);
      for (const note of notes) {
        const { type = 0, serie = '', numero = 0, day } = note.corrected ?? {};
        const sale = sales.get(keyOf(type, serie, numero, partyOf(note)));
        // The day's first notes correct sales of the days before.
        if (sale === undefined) expect(day).not.toBe(DAY);
        else expect(note.total ?? 0n).toBeLessThanOrEqual(sale.total ?? 0n);
        expect(note.total ?? 0n).toBeGreaterThan(0n);
        if (sale !== undefined) expect([note.moneda, day]).toEqual([sale.moneda, sale.day]);
      }
    }
  });

  it('signs with 0 to 7 fractional digits', () => {
    const digits = new Set(issued.map((r) => r.fecha_firma.split('.')[1]?.length ?? 0));
    expect(digits).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
    for (const { fecha_firma } of issued)
      expect(fecha_firma).toMatch(/^2026-11-19T\d\d:\d\d:\d\d(\.\d{1,7})?$/);
    expect(issued.at(-1)?.fecha_firma.slice(0, 19)).toBe('2026-11-19T23:59:59');
  });

  it('says the day alone', () => {
    const rules = () => ({ issueTimes: false, lateArrivals: true, statusFlips: true });
    for (const make of [issuedList, receivedList])
      for (const { fecha_emision } of receiptsOf(listOf(make, 0, { rules, receiptsPerDay: 100 })))
        expect(fecha_emision).toBe(`${DAY}T00:00:00`);
  });

  it('says when tickets were sold, some of them in the evening, and of others the day alone, if there are times', () => {
    for (const receipts of [issued, received])
      for (const hour of ['07', '14', '21', '23'])
        expect(receipts.some((r) => r.fecha_emision.slice(11, 13) === hour)).toBe(true);
    for (const { fecha_emision, fecha_firma, tipo_comprobante } of [...issued, ...received]) {
      expect(fecha_emision).toMatch(/^2026-11-19T\d\d:\d\d:\d\d$/);
      if (fecha_emision.endsWith('T00:00:00')) continue;
      expect([101, 102, 103, 131, 132, 133]).toContain((tipo_comprobante % 100) + 100);
      expect(fecha_emision).toBe(fecha_firma.slice(0, 19));
    }
  });

  it('names parties with valid RUTs', () => {
    const parties = [...issued, ...received].flatMap(({ emisor, receptor }) => [emisor, receptor ?? emisor]);
    const ofCompanies = parties.filter(({ documentType }) => documentType === 2);
    expect(ofCompanies.filter(({ document }) => !isValidRut(document))).toEqual([]);
  });

  it('repeats a supplier invoice now and then: same issuer, type and total, another number', () => {
    const repeated = received.filter((receipt, i) => {
      const before = received[i - 1];
      return (
        before?.emisor === receipt.emisor &&
        before.total === receipt.total &&
        before.tipo_comprobante === receipt.tipo_comprobante &&
        before.numero !== receipt.numero
      );
    });
    expect(repeated.length).toBeGreaterThan(0);
  });
});

describe('arrival', () => {
  const list = listOf(receivedList);
  const counts = Array.from({ length: 20 }, (_, i) => {
    const now = parseLocal(`${addDays(DAY, i - 7)}T00:00:00`) ?? 0;
    return list.appeared(day, now);
  });

  it('of received receipts begins before their day and ends days after it, and nothing goes away', () => {
    expect(counts[0]).toBe(0);
    expect(counts.at(-1)).toBe(MANY);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    const [dayStart, dayEnd] = [counts[7] ?? 0, counts[8] ?? 0];
    expect(dayStart).toBeGreaterThan(0);
    expect(dayEnd / MANY).toBeGreaterThan(0.9);
    expect(dayEnd).toBeLessThan(MANY);
    expect(counts[12]).toBeLessThan(MANY);
  });

  it('is over at the end of the day when late arrivals are off', () => {
    const rules = () => ({ issueTimes: true, lateArrivals: false, statusFlips: true });
    const punctual = listOf(receivedList, 0, { rules });
    expect(punctual.appeared(day, parseLocal(`${DAY}T00:00:00`) ?? 0)).toBe(0);
    expect(punctual.appeared(day, parseLocal(`${addDays(DAY, 1)}T00:00:00`) ?? 0)).toBe(MANY);
  });

  it('of issued receipts is the moment of their signature', () => {
    const noon = parseLocal(`${DAY}T12:00:00`) ?? 0;
    const signed = issued.filter((r) => r.fecha_firma <= `${DAY}T12:00:00`).length;
    expect(listOf(issuedList).appeared(day, noon)).toBe(signed);
  });

  it('never comes before the signature', () => {
    for (const text of [`${addDays(DAY, -2)}T10:00:00`, `${DAY}T15:00:00`, `${addDays(DAY, 4)}T08:00:00`])
      for (const { fecha_firma } of receiptsOf(list, day, parseLocal(text)))
        expect(fecha_firma.slice(0, 19) <= text).toBe(true);
  });
});
