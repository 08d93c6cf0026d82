import { expect, it } from 'vitest';
import type { AskedDays } from '../../../lib/export/reading/service-facts.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { DAY, RUT } from '../../support/export/unit-world.ts';

const [FIRST, MIDDLE, NEXT] = ['2026-11-17', '2026-11-18', '2026-11-20'] as const;
const [DAYS, ALONE] = [{ from: FIRST, to: DAY } as const, { from: DAY, to: DAY } as const];
const WITH_NEXT = { ...ALONE, includesNextDay: true };
const OF_ANOTHER = { receptor: { nro_doc: '211003420017' } };

const NEITHER = { isAmbiguous: false, hasEveningBefore: false, undated: [] };

const TIMES = { hasTimes: true };
const AMBIGUOUS = { isAmbiguous: true };
const AGAIN = { id: 1, fecha_emision: DAY };

it.each([
  ['days, the newest first', DAYS, [DAY, `${MIDDLE}T21:00:00`, FIRST], [FIRST, MIDDLE, DAY], TIMES],
  ['dates alone', DAYS, [FIRST, `${DAY}T00:00:00`], [FIRST, DAY], { hasTimes: false }],
  ['the evening before', DAYS, ['2026-11-16T21:00:00'], [], { hasEveningBefore: true }],
  ['the afternoon before', DAYS, ['2026-11-16T20:59:59'], [], AMBIGUOUS],
  ['a day after them', DAYS, [`${NEXT}T21:00:00`], [], AMBIGUOUS],
  ['no day', DAYS, ['2026-02-30', DAY], [DAY], { undated: [1], rowCount: 2 }],
  ['no day, of one alone', ALONE, ['2026-02-30'], [DAY], { undated: [1] }],
  ['no day, of one with the next', WITH_NEXT, ['2026-02-30'], [], { undated: [1] }],
  ['the day after one', WITH_NEXT, [DAY, NEXT], [DAY, NEXT], {}],
  ['an id twice on a day', DAYS, [DAY, AGAIN], [DAY], {}],
  ['an id on two days', DAYS, [FIRST, FIRST, AGAIN], [FIRST, DAY], AMBIGUOUS],
  ['one on the day after, too', WITH_NEXT, [NEXT, AGAIN], [DAY, NEXT], AMBIGUOUS],
  ['midnight in UTC of a day asked for', DAYS, [`${FIRST}T00:00:00Z`], [], AMBIGUOUS],
  ['a time in UTC', DAYS, [`${DAY}T02:59:00Z`], [MIDDLE], TIMES],
  ['a time in UTC of the day after one', WITH_NEXT, ['2026-11-21T02:59:00Z'], [NEXT], {}],
  ['the evening before, with its zone', ALONE, [`${MIDDLE}T21:00:00-03:00`], [], { hasEveningBefore: true }],
] satisfies [string, AskedDays, (string | object)[], string[], object][])(
  'a list deals its rows to the days that they say: %s',
  (_what, asked, dates, daysWithRows, marks) => {
    expect(attemptOf(asked, dates)).toMatchObject({ ...NEITHER, daysWithRows, ...marks });
  },
);

it('says of each day how many rows it has, when they were issued, and why it fails', () => {
  const foreign = { ...OF_ANOTHER, fecha_emision: FIRST };
  const list = attemptOf(DAYS, [DAY, `${DAY}T20:59:00`, `${MIDDLE}T21:00:00`, foreign, `${MIDDLE}T21:00:00`]);
  const none = { count: 0, hasTimes: false, hasRowBeforeEvening: false, hasEveningRow: false };
  expect(list.on(DAY)).toEqual({ ...none, count: 2, hasTimes: true, hasRowBeforeEvening: true });
  expect(list.on(MIDDLE)).toEqual({ ...none, count: 2, hasTimes: true, hasEveningRow: true });
  expect(list.on(FIRST)).toEqual(none);
  expect(list.faultOf(FIRST)?.message).toContain('receipt 4 has another company as its recipient');
  expect(list.faultOf(DAY)).toBeUndefined();
  expect(list.numbers).toEqual([1, 2, 3, 4, 5]);
  expect([...list.idsOn(MIDDLE)]).toEqual([3n, 5n]);
  expect([...attemptOf(WITH_NEXT, [DAY, NEXT]).idsOn(NEXT)]).toEqual([2n]);
  expect([...attemptOf(WITH_NEXT, [DAY, NEXT, NEXT]).idsInOrder()]).toEqual([1n, 2n, 3n]);
  expect(attemptOf(DAYS, [{ numero: 'A' }]).numbers).toEqual([undefined]);
});

it.each([
  ['another day', [NEXT], 'has the issue date 2026-11-20, which was not asked for'],
  ['another company', [OF_ANOTHER], `${RUT}, day ${DAY}: receipt 1 has another company as its recipient`],
  ['another company and day', [{ ...OF_ANOTHER, fecha_emision: NEXT }], 'has another company'],
  ['midnight in UTC', [`${DAY}T00:00:00Z`], `${RUT}, day ${DAY}: receipt 1 has an issue date with a zone`],
])('the list of a day by itself fails at a receipt of %s', (_what, dates, error) => {
  expect(() => attemptOf(ALONE, dates)).toThrow(error);
});

it('midnight with a zone fails each day of its list, unless others have a time', () => {
  const dates = [`${DAY}T00:00:00Z`];
  expect(attemptOf(DAYS, dates).faultOf(FIRST)?.message).toContain('an issue date with a zone');
  expect(attemptOf(DAYS, [...dates, `${DAY}T13:00:00Z`]).faultOf(FIRST)).toBeUndefined();
  expect(attemptOf(DAYS, [`${DAY}T00:00:00-03:00`]).faultOf(DAY)).toBeUndefined();
});

it('a receipt that a list has twice on one day is told if its values differ', () => {
  const again = (total: number) => ({ ...AGAIN, id: 2, numero: 2, totales: { total, total_pagar: 122.5 } });
  const twice = (total: number) => attemptOf(DAYS, [FIRST, DAY, again(total)]);
  expect(twice(7).differingId()).toBe(2n);
  expect(twice(122.5).differingId()).toBeUndefined();
});
