import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../lib/time/days.ts';
import { DAYS, parseLocal } from '../../sandbox/generator/calendar.ts';
import { firstIdOf, placeOf } from '../../sandbox/generator/numbering.ts';
import { issuedList, receivedList } from '../../sandbox/generator/receipts.ts';
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

  it('has ascending ids that no other company, direction or day has', () => {
    const lists = [0, 1].flatMap((position) => [
      listOf(issuedList, position, { receiptsPerDay: 50 }),
      listOf(receivedList, position, { receiptsPerDay: 50 }),
    ]);
    const ids = lists.flatMap((list) =>
      [0, 1].flatMap((more) => receiptsOf(list, day + more).map(({ id }) => id)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const issuedIds = issued.map(({ id }) => id);
    expect(issuedIds).toEqual(issuedIds.toSorted((a, b) => (a < b ? -1 : 1)));
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

  it('has negative totals on 124 only, and amounts of at most 17 digits', () => {
    const all = [...issued, ...received];
    const isTooLong = (cents: bigint | null): boolean =>
      cents !== null && (cents >= 10n ** 17n || cents <= -(10n ** 17n));
    expect(all.filter((r) => isTooLong(r.total) || isTooLong(r.total_pagar))).toEqual([]);
    expect(all.filter((r) => (r.total ?? 0n) < 0n && r.tipo_comprobante !== 124)).toEqual([]);
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
