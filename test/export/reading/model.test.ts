import { expect, inject, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import type { Omission } from '../../support/export/reading-model.ts';
import { KINDS, NOT_COVERED, playWorld, type WorldKind } from '../../support/export/reading-worlds.ts';

const SEED = inject('seed');

it.each(Object.entries<WorldKind>(KINDS))(
  'in no world a row is lost or taken to be gone in silence: %s',
  async (_name, kind) => {
    for (let world = SEED; world < SEED + campaign({ quick: 4, long: 400 }); world += 1) {
      const { lost, wronglyGone } = await playWorld(kind, world);
      expect({ world, lost, wronglyGone }).toEqual({ world, lost: 0, wronglyGone: 0 });
    }
  },
);

it.each<[keyof typeof KINDS, number]>([
  ['no limit, nothing changes', 0],
  ['days of UTC', 0],
  ['two days at most', 0],
  ['a lake of one day, then 65', 0],
  ['office hours, 300 a day, one day, then ten', 0],
  ['long days, no limit', 0],
  ['one company has rows, lists over 31 days are empty', 0],
  ['one company has rows, lists over 31 days are refused', 0],
  // That day, and the one before it if the end date excludes its day.
  ['one day is always refused', 2 * 2],
  ['one day is always refused, dates only', 2 * 2],
])(
  'days fail by name only where the service can show them in no way, %s: at most %i of a world',
  async (name, most) => {
    for (let world = SEED; world < SEED + campaign({ quick: 2, long: 100 }); world += 1) {
      const { failed } = await playWorld(KINDS[name], world);
      expect(failed).toBeLessThanOrEqual(most);
    }
  },
);

it('65 days after a lake of one day take no more requests than those of a lake of 65', async () => {
  const kind: WorldKind = { ...KINDS['a lake of one day, then 65'], nightDays: [1, 65, 0, 0, 0, 0] };
  for (let world = SEED; world < SEED + 20; world += 1) {
    const { requests } = await playWorld(kind, world);
    // Five companies: six requests for the day, and twelve each for the 65.
    expect(requests).toBeLessThanOrEqual(5 * (6 + 12));
  }
});

const ALL: typeof KINDS & typeof NOT_COVERED = { ...KINDS, ...NOT_COVERED };
const ANY = 'any bound, any limit, changes between nights';
const OF_WITNESS = { count: 1, hasTimes: true, hasRowBeforeEvening: true, hasEveningRow: false };
const IGNORED = { isInstabilityIgnored: true } as const;

/** Each doubt of the rule, the worlds that it is there for, and how it is left out. */
it.each<[string, keyof typeof ALL, Omission]>([
  ['asking one day past the last', ANY, { facts: { isEndDateInclusive: true } }],
  ['a width that a witness shows', ANY, { facts: { provedWidthDays: 1_000 } }],
  ['a witness that shows both ends', ANY, { witnessRows: OF_WITNESS }],
  ['asking a second time for a day without rows', 'single days only', { isAloneEmpty: true }],
  ['telling that a day had only alone may lack rows', 'today is refused, days of UTC', IGNORED],
  [
    'failing a day of dates that its end date may cut',
    'today is refused',
    { rows: () => ({ hasTimes: true }), ...IGNORED },
  ],
  [
    'telling an inclusive end date by an evening only',
    'days of UTC',
    { rows: ({ hasTimes }) => ({ hasEveningRow: hasTimes }) },
  ],
  [
    'taking twenty rows at midnight for dates, not fewer',
    'today is refused',
    { rows: ({ count }) => ({ count: 20 * count }) },
  ],
  [
    'noticing that days are those of UTC',
    'days of UTC, single days only',
    { facts: { areDaysShifted: false } },
  ],
  [
    'not taking the evening for the first day',
    'days of UTC',
    { rows: () => ({ hasRowBeforeEvening: true }) },
  ],
  ['doubting lists that none went on past', 'any result window', { facts: { deepestRow: 1e9 } }],
  ['asking for the ends of both halves', 'any result window', { areHalvesWhole: true }],
  ['asking twice for what is gone', 'a limit for each company', { isGoneAskedOnce: true }],
  ['forgetting at the end of the run', ANY, { areFactsKept: true }],
])('more rows are lost without %s', async (_name, kind, without) => {
  const wrong = async (world: number, omission?: Omission) => {
    const { lost, wronglyGone } = await playWorld(ALL[kind], world, omission);
    return lost + wronglyGone;
  };
  // The same worlds in any run: they show what a doubt is there for, and need not be looked for again.
  for (let world = 1; world <= 1_000; world += 1) {
    const count = await wrong(world, without);
    if (count > 0 && count > (await wrong(world))) return;
  }
  expect.fail('no world needs this doubt');
});
