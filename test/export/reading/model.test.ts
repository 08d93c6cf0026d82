import { describe, expect, inject, it } from 'vitest';
import { addDays } from '../../../lib/time/days.ts';
import { campaign } from '../../support/campaign.ts';
import type { Omission } from '../../support/export/reading-model.ts';
import { KINDS, NOT_COVERED, playWorld, type WorldKind } from '../../support/export/reading-worlds.ts';

const SEED = inject('seed');

describe('in no world a row is lost or taken to be gone in silence', () => {
  it.each(Object.entries<WorldKind>(KINDS))('%s', async (_name, kind) => {
    for (let world = SEED; world < SEED + campaign({ quick: 4, long: 400 }); world += 1) {
      const { lost, wronglyGone } = await playWorld(kind, world);
      expect({ world, lost, wronglyGone }).toEqual({ world, lost: 0, wronglyGone: 0 });
    }
  });
});

describe('days fail by name only where the service can show them in no way', () => {
  it.each([
    ['days of UTC', 0],
    ['two days at most, days of UTC', 0],
    ['one company has rows, lists over 31 days are empty', 0],
    ['one company has rows, lists over 31 days are refused', 0],
    ['a result window, filters work', 0],
    // Once it is known that bounds include their day, that day alone; until then the day before it too.
    ['one day is always refused', 2 * 6],
  ] satisfies [keyof typeof KINDS, number][])('%s: at most %i of a world', async (name, most) => {
    for (let world = SEED; world < SEED + campaign({ quick: 2, long: 100 }); world += 1) {
      const { failed } = await playWorld(KINDS[name], world);
      expect(failed).toBeLessThanOrEqual(most);
    }
  });
});

const ALL: typeof KINDS & typeof NOT_COVERED = { ...KINDS, ...NOT_COVERED };

/**
 * Each doubt of the rule, how it is left out, and the worlds that it is there for. `from`: the first of them that needs
 * it, where earlier ones would only cost time.
 */
const DOUBTS: Record<string, { kind: keyof typeof ALL; without: Omission; from?: number }> = {
  'asking past the last day': {
    kind: 'any bound, any limit, changes between nights',
    without: { facts: { isBoundWhole: true } },
  },
  'believing wide lists only between their first and last rows': {
    kind: 'any bound, any limit, changes between nights',
    without: { facts: { provedWidthDays: 1_000 } },
  },
  'not believing wide lists without rows': {
    kind: 'any bound, any limit, changes between nights',
    without: {
      list: ({ asked, ends }) => ({
        ends: ends ?? { from: addDays(asked.from, -1), to: addDays(asked.to, 1) },
      }),
    },
  },
  'asking again for the first and the last day with rows': {
    kind: 'days of UTC',
    without: {
      list: ({ ends }) => ({ ends: ends && { from: addDays(ends.from, -1), to: addDays(ends.to, 1) } }),
    },
  },
  'asking a second time for a day without rows': {
    kind: 'single days only',
    without: { isSecondQuestionLeftOut: true },
  },
  'failing days that their bound may cut': {
    kind: 'today is refused',
    without: { rows: () => ({ hasTimes: true }), isInstabilityIgnored: true },
  },
  'telling a whole bound by an evening row only': {
    kind: 'days of UTC',
    without: { rows: ({ hasTimes }) => ({ hasEveningRow: hasTimes }) },
  },
  'taking twenty rows at midnight for dates only, not fewer': {
    kind: 'today is refused',
    without: { rows: ({ count }) => ({ count: 20 * count }) },
    from: 92,
  },
  'learning from dates only for their company alone': {
    kind: 'some companies give times, some dates only',
    without: { isDatesOnlyForAll: true },
  },
  'not taking the evening before for the first day': {
    kind: 'two days at most, days of UTC',
    without: { rows: () => ({ hasRowBeforeEvening: true }) },
  },
  'telling that a day whose list can only be had alone may lack its evening': {
    kind: 'today is refused, days of UTC',
    without: { isInstabilityIgnored: true },
  },
  'doubting lists of a round number of rows': {
    kind: 'a round result window',
    without: {
      list: ({ rowCount }) => (rowCount % 50 === 0 && rowCount > 0 ? { rowCount: rowCount - 1 } : {}),
    },
  },
  'doubting lists of many rows': {
    kind: 'any result window',
    without: {
      list: ({ rowCount }) => ({ rowCount: rowCount % 50 === 0 ? rowCount : Math.min(rowCount, 499) }),
    },
    from: 10,
  },
  'asking for the page past a list that may be cut': {
    kind: 'a round result window',
    without: { isCutNeverAsked: true },
  },
  'doubting the parts of a divided day': {
    kind: 'a result window shorter than a day',
    without: { part: { rowCount: 1 } },
  },
  'reading believed lists again after one was disproved': {
    kind: 'each company has a limit of its own',
    without: { isDisproofIgnored: true },
  },
  'asking twice for what is gone': {
    kind: 'each company has a limit of its own',
    without: { isGoneAskedOnce: true },
  },
  'a witness that shows both ends': {
    kind: 'any bound, any limit, changes between nights',
    without: { witnessRows: { count: 1, hasRowBeforeEvening: true } },
    from: 39,
  },
  'forgetting at the end of the run': {
    kind: 'any bound, any limit, changes between nights',
    without: { areFactsKept: true },
    from: 19,
  },
};

describe('more rows are lost without', () => {
  it.each(Object.entries(DOUBTS))('%s', async (_name, { kind, without, from = 1 }) => {
    const wrong = async (world: number, omission?: Omission) => {
      const { lost, wronglyGone } = await playWorld(ALL[kind], world, omission);
      return lost + wronglyGone;
    };
    // The same worlds in any run: they show what a doubt is there for, and need not be looked for again.
    for (let world = from; world <= 1_000; world += 1) {
      const count = await wrong(world, without);
      if (count > 0 && count > (await wrong(world))) return;
    }
    expect.fail('no world needs this doubt');
  });
});
