import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addDays, type Day } from '../../../lib/time/days.ts';
import type { Direction, UnitResult } from '../../../lib/units/unit.ts';
import type { SandboxBehaviour } from '../../../sandbox/behaviour.ts';
import { confined, failingDay, movingRows, refusing, rewritten } from '../../support/api/faults.ts';
import { campaign, oneIn } from '../../support/campaign.ts';
import { HabitsWorld, LARGE_RUT } from '../../support/export/habits-world.ts';
import { HABITS, HARMFUL, MOVING_ROWS, PASSING_FAULTS } from '../../support/export/service-behaviours.ts';

const DAYS: readonly Day[] = ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];
const MIDDLE = '2026-11-17';

/** Receipts on each of the five days. The longest list of all days has 650. */
const COUNTS: Record<string, Record<Direction, readonly number[]>> = {
  [LARGE_RUT]: { emitidos: [130, 130, 130, 130, 130], recibidos: [40, 0, 100, 0, 99] },
  '214844360018': { emitidos: [0, 3, 0, 1, 0], recibidos: [20, 20, 20, 20, 20] },
  '218617380010': { emitidos: [1, 0, 0, 0, 0], recibidos: [0, 0, 0, 0, 1] },
};

function receiptsPerDay(rut: string, direction: Direction, day: string): number {
  return COUNTS[rut]?.[direction][DAYS.map(String).indexOf(day)] ?? 0;
}

let world: HabitsWorld;
beforeAll(async () => {
  world = await HabitsWorld.start(DAYS, { receiptsPerDay, companyCount: 3 });
});
afterAll(() => world.close());

const OVER_RANGE = ['500', '400', 'empty', 'last', 'first'] as const;
const LIMITS: Record<string, Partial<SandboxBehaviour>> = Object.fromEntries([
  ...OVER_RANGE.map((overRange) => [
    `ranges of at most 2 days, others ${overRange}`,
    { maxRangeDays: 2, overRange },
  ]),
  ...OVER_RANGE.map((overRange) => [
    `ranges of at most 2 days and no upper bound, others ${overRange}`,
    { maxRangeDays: 2, overRange, upperBound: 'exclusive' },
  ]),
  ['500 rows of any list', { resultWindow: 500 }],
  ['500 rows of any list, the newest first', { resultWindow: 500, order: 'id-desc' }],
  ['500 rows of any list, in no order', { resultWindow: 500, order: 'shuffled' }],
  ['500 rows of any list, in pages of 50', { resultWindow: 500, pageCap: 50 }],
]);

describe('the lake equals what the sandbox holds of five days, with', () => {
  // `npm test` tries some of the habits here; matrix.test.ts tries more of them on a single day.
  const harmless = Object.entries({ ...HABITS, ...PASSING_FAULTS });
  const habits = oneIn(14, harmless);
  // `npm test` tries every fourth limit.
  const limits = oneIn(4, Object.entries(LIMITS));
  const all = Object.fromEntries([...habits, ...limits]);
  /** Names of the habits and limits with which the days are exported a second time. */
  const exportedAgain = campaign({
    quick: Object.keys(all).filter((_, index) => index % 4 === 0),
    long: Object.keys(all),
  });

  it.each(Object.entries(all))('%s', async (name, behaviour) => {
    const { results, store } = await world.exported(behaviour);
    for (const unit of results) await world.expectTruth(unit, store);
    if (!exportedAgain.includes(name)) return;
    const again = await world.exported(behaviour, store);
    for (const unit of again.results) {
      expect(unit).toMatchObject({ state: world.truth(unit).length === 0 ? 'vacio' : 'sin_cambios' });
    }
  });
});

describe('rows of the first day that come and go while the five are read', () => {
  // matrix.test.ts tries all of them on a single day.
  const moves = oneIn(3, MOVING_ROWS);
  it.each(moves)('%s', async (_name, change) => {
    // Early: the five are one list of some eight requests.
    const { results, store } = await world.exported(
      movingRows({ ...change, day: DAYS[0], afterListRequests: 2 }),
    );
    for (const unit of results) await world.expectTruth(unit, store);
  });
});

/** Days this short are also read in pages with other numbers, so a short page 2 does no harm. */
const { 'page 2 is always short': _, ...HARMFUL_HERE } = HARMFUL;

describe('units fail and their previous objects stay, when', () => {
  const faults = Object.entries(HARMFUL_HERE);

  it.each(oneIn(4, faults))('%s', async (_name, { behaviour, error }) => {
    await world.expectNothingLost(behaviour, error);
  });
});

describe('the day at fault fails alone, when', () => {
  /** Expects that the units at fault failed with this error, and that all others were exported. */
  async function expectFailed(
    { results, store }: Awaited<ReturnType<HabitsWorld['exported']>>,
    isAtFault: (unit: UnitResult) => boolean,
    error: RegExp,
    of = world,
  ): Promise<void> {
    expect(results.filter(isAtFault)).not.toEqual([]);
    for (const unit of results) {
      if (isAtFault(unit)) {
        expect(unit).toMatchObject({ state: 'fallido', error: expect.stringMatching(error) });
      } else await of.expectTruth(unit, store);
    }
  }

  it.each(campaign({ quick: DAYS.slice(1, 2), long: DAYS }))(
    'lists that include %s are refused',
    async (day) => {
      const done = await world.exported({ intercept: failingDay({ rut: LARGE_RUT, day }) });
      // The day before fails too where its own rows don't tell whether they are all.
      const isUnproved = (unit: UnitResult) => unit.day === addDays(day, -1) && unit.state === 'fallido';
      await expectFailed(
        done,
        (unit) => unit.rut === LARGE_RUT && (unit.day === day || isUnproved(unit)),
        /status 500/,
      );
    },
  );

  it.each(campaign({ quick: OVER_RANGE.slice(2, 3), long: [...OVER_RANGE] }))(
    'lists that include one are refused, and ranges are limited (%s)',
    async (overRange) => {
      const intercept = failingDay({ rut: LARGE_RUT, direction: 'emitidos', day: MIDDLE });
      const done = await world.exported({ intercept, maxRangeDays: 2, overRange });
      const isAtFault = ({ rut, direction, day }: UnitResult) =>
        rut === LARGE_RUT && direction === 'emitidos' && day === MIDDLE;
      await expectFailed(done, isAtFault, /status 500/);
    },
  );

  it('a company’s token is refused: all of its days, and no others', async () => {
    const done = await world.exported({ intercept: refusing(LARGE_RUT) });
    await expectFailed(done, ({ rut }) => rut === LARGE_RUT, /refused the token/);
  });

  it.each([
    ['a row has no id', 'emitidos', (row) => row.replace(/^\{"id":\d+,/, '{'), /no usable id/],
    [
      'a recipient is another company',
      'recibidos',
      (row) => row.replace(/"nro_doc":"\d+"/, '"nro_doc":"211003420017"'),
      /another company as its recipient/,
    ],
    [
      'a row says a day that was not asked for',
      'emitidos',
      (row) => row.replace(MIDDLE, '2025-01-01'),
      /2025-01-01/,
    ],
  ] satisfies [string, Direction, (row: string) => string, RegExp][])(
    'in its list %s',
    async (_name, direction, spoil, error) => {
      const row = new RegExp(`\\{"id":(?:(?!\\{"id":).)*?"fecha_emision":"${MIDDLE}[^]*?(?=,\\{"id":|\\])`);
      const intercept = confined(
        { rut: LARGE_RUT, direction },
        rewritten((body) => body.replace(row, spoil)),
      );
      const spoilt = await HabitsWorld.start(DAYS, { receiptsPerDay, companyCount: 3 });
      onTestFinished(() => spoilt.close());
      const isAtFault = (unit: UnitResult) =>
        unit.rut === LARGE_RUT && unit.direction === direction && unit.day === MIDDLE;
      await expectFailed(await spoilt.exported({ intercept }), isAtFault, error, spoilt);
    },
  );
});
