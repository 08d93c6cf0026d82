import { afterAll, describe, expect, it } from 'vitest';
import type { Day } from '../../lib/time/days.ts';
import type { Direction } from '../../lib/units/unit.ts';
import { movingRows } from '../support/api/faults.ts';
import { campaign, oneIn } from '../support/campaign.ts';
import { HabitsWorld, LARGE_RUT, type ServiceBehaviour } from '../support/export/habits-world.ts';
import { HABITS, HARMFUL, MOVING_ROWS, PASSING_FAULTS } from '../support/export/service-behaviours.ts';

const DAYS: readonly Day[] = ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];
const ONE_DAY = DAYS.slice(-1);

/** Receipts on each of the five days. The longest list of all days has 650, that of the last one five pages. */
const COUNTS: Record<string, Record<Direction, readonly number[]>> = {
  [LARGE_RUT]: { emitidos: [55, 55, 55, 55, 430], recibidos: [40, 0, 100, 0, 110] },
  '214844360018': { emitidos: [0, 3, 0, 1, 30], recibidos: [20, 20, 20, 20, 20] },
  '218617380010': { emitidos: [1, 0, 0, 0, 3], recibidos: [0, 0, 0, 0, 100] },
};

const world = await HabitsWorld.start(
  (rut, direction, day) => COUNTS[rut]?.[direction][DAYS.map(String).indexOf(day)] ?? 0,
);
afterAll(() => world.close());

/** Each variant on a single day, and on five days that may be one list. */
function onDays<T>(variants: readonly (readonly [string, T])[]): [string, readonly Day[], T][] {
  return variants.flatMap(([name, variant]) => [
    [`${name}, one day`, ONE_DAY, variant],
    [`${name}, five days`, DAYS, variant],
  ]);
}

const OVER_RANGE = ['500', '400', 'empty', 'last', 'first'] as const;
const LIMITS: [string, readonly Day[], ServiceBehaviour][] = [
  ...OVER_RANGE.flatMap((overRange): [string, readonly Day[], ServiceBehaviour][] => [
    [`ranges of at most 2 days, others ${overRange}`, DAYS, { maxRangeDays: 2, overRange }],
    [
      `ranges of at most 2 days and no upper bound, others ${overRange}`,
      DAYS,
      { maxRangeDays: 2, overRange, upperBound: 'exclusive' },
    ],
  ]),
  ['500 rows of any list', DAYS, { resultWindow: 500 }],
  ['500 rows of any list, the newest first', DAYS, { resultWindow: 500, order: 'id-desc' }],
  ['500 rows of any list, in no order', DAYS, { resultWindow: 500, order: 'shuffled' }],
  ['500 rows of any list, in pages of 50', DAYS, { resultWindow: 500, pageCap: 50 }],
];

// `npm test` tries some of each kind: those of one day and of five in turn, as one in an odd number.

describe('the lake equals what the sandbox holds, with', () => {
  // The tests of lib/api try such faults on single requests.
  const variants = [
    ...oneIn(9, onDays(Object.entries(HABITS))),
    ...oneIn(11, onDays(Object.entries(PASSING_FAULTS))),
    ...oneIn(5, LIMITS),
  ];
  it.each(variants.map((variant, index) => [...variant, index] as const))(
    '%s',
    async (_name, days, behaviour, index) => {
      const { results, store } = await world.exported(days, behaviour);
      for (const unit of results) await world.expectTruth(unit, store);
      if (index % campaign({ quick: 4, long: 1 }) !== 0) return;
      const again = await world.exported(days, behaviour, store);
      for (const unit of again.results) {
        expect(unit).toMatchObject({ state: world.truth(unit).length === 0 ? 'vacio' : 'sin_cambios' });
      }
    },
  );
});

it.each(oneIn(3, onDays(MOVING_ROWS)))(
  'rows that come and go while they are read: %s',
  async (_name, days, change) => {
    // Early, where the five days are one list of some eight requests.
    const early = days === DAYS ? { day: DAYS[0], afterListRequests: 2 } : {};
    const { results, store } = await world.exported(days, movingRows({ ...change, ...early }));
    for (const unit of results) await world.expectTruth(unit, store);
  },
);

it.each(oneIn(5, onDays(Object.entries(HARMFUL))))(
  'units fail and their previous objects stay, when %s',
  async (_name, days, fault) => {
    const least = fault.isOvercome === true && days === DAYS ? 0 : 1;
    await world.expectNothingLost(days, fault.behaviour, fault.error, least);
  },
);
