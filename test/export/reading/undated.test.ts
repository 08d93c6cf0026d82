import { expect, it } from 'vitest';
import { type AskedDays, noFacts } from '../../../lib/export/reading/service-facts.ts';
import { LISTED_ON } from '../../support/api/fake-api.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

const UNDATED = 990_000;

/** Three days of five receipts, the last one with a receipt more that has no valid day. */
function worldOf(provedWidthDays: number, isEndDateInclusive: boolean): CompanyWorld {
  const world = new CompanyWorld([5, 5, 5]);
  const known = { longestPage: 100, isAnyPageSizeHonoured: true, deepestRow: 1_000 };
  world.facts.recibidos = { ...noFacts(), ...known, provedWidthDays, isEndDateInclusive };
  world.listed.push(received(UNDATED, { fecha_emision: '2026-02-30', [LISTED_ON]: `${DAY}T00:00:00` }));
  return world;
}

it('a receipt without a valid day fails its day by name, alone, where no list of that day shows it', async () => {
  const world = worldOf(4, false);
  world.api.upperBound = 'nothing';
  const { results } = await world.export();
  const failed = results.filter(({ state }) => state === 'fallido');
  expect(failed).toMatchObject([{ day: DAY, error: expect.stringContaining('no valid issue date') }]);
});

it('a receipt that the list of several days had, and narrower ones lack, is kept, and the day is said to have changed', async () => {
  const world = worldOf(4, true);
  const [first = DAY] = world.days;
  const held = world.held(first);
  // The list of three days takes two requests.
  world.api.beforeAnswer = (request) => {
    if (request === 3) world.listed = world.listed.filter(({ id }) => id !== held[0]);
  };
  const { results } = await world.export();
  expect(results.find(({ day }) => day === first)).toMatchObject({ state: 'exportado', isStable: false });
  expect(await world.stored(first)).toEqual(held);
});

const [FIRST, MIDDLE, NEXT] = ['2026-11-17', '2026-11-18', '2026-11-20'] as const;
const [DAYS, ALONE] = [{ from: FIRST, to: DAY } as const, { from: DAY, to: DAY } as const];
const WITH_NEXT = { ...ALONE, includesNextDay: true };
const OF_ANOTHER = { receptor: { nro_doc: '211003420017' } };

const NEITHER = { isAmbiguous: false, hasEveningBefore: false, undated: [] };

it.each([
  [
    'days, the newest first',
    DAYS,
    [DAY, `${MIDDLE}T21:00:00`, FIRST],
    [FIRST, MIDDLE, DAY],
    { hasTimes: true },
  ],
  ['dates alone', DAYS, [FIRST, `${DAY}T00:00:00`], [FIRST, DAY], { hasTimes: false }],
  ['the evening before', DAYS, ['2026-11-16T21:00:00'], [], { hasEveningBefore: true }],
  ['the afternoon before', DAYS, ['2026-11-16T20:59:59'], [], { isAmbiguous: true }],
  ['a day after them', DAYS, [NEXT], [], { isAmbiguous: true }],
  ['no day', DAYS, ['2026-02-30', DAY], [DAY], { undated: [1], rowCount: 2 }],
  ['no day, of one alone', ALONE, ['2026-02-30'], [DAY], { undated: [1] }],
  ['no day, of one with the next', WITH_NEXT, ['2026-02-30'], [], { undated: [1] }],
  ['the day after one', WITH_NEXT, [DAY, NEXT], [DAY, NEXT], {}],
  ['an id twice on a day', DAYS, [DAY, { id: 1, fecha_emision: DAY }], [DAY], {}],
  ['an id on two days', DAYS, [DAY, { id: 1, fecha_emision: FIRST }], [FIRST, DAY], { isAmbiguous: true }],
  [
    'one on the day after, too',
    WITH_NEXT,
    [DAY, { id: 1, fecha_emision: NEXT }],
    [DAY, NEXT],
    { isAmbiguous: true },
  ],
  ['midnight in UTC of a day asked for', DAYS, [`${FIRST}T00:00:00Z`], [], { isAmbiguous: true }],
  ['a time in UTC', DAYS, [`${DAY}T02:59:00Z`], [MIDDLE], { hasTimes: true }],
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
  expect(attemptOf(DAYS, [{ numero: 'A' }]).numbers).toEqual([undefined]);
});

it.each([
  ['another day', [NEXT], 'has the issue date 2026-11-20, which was not asked for'],
  ['another company', [OF_ANOTHER], 'has another company as its recipient'],
  ['another company and day', [{ ...OF_ANOTHER, fecha_emision: NEXT }], 'has another company'],
  ['midnight in UTC', [`${DAY}T00:00:00Z`], 'an issue date with a zone'],
])('the list of a day by itself fails at a receipt of %s', (_what, dates, error) => {
  expect(() => attemptOf(ALONE, dates)).toThrow(error);
});

it('midnight with a zone fails each day of its list, unless others have a time', () => {
  const dates = [`${DAY}T00:00:00Z`];
  expect(attemptOf(DAYS, dates).faultOf(FIRST)?.message).toContain('an issue date with a zone');
  expect(attemptOf(DAYS, [...dates, `${DAY}T13:00:00Z`]).faultOf(FIRST)).toBeUndefined();
});
