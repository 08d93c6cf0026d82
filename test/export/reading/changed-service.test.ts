import { describe, expect, it } from 'vitest';
import { type ListHabits, noteDepth, withdrawProof } from '../../../lib/api/list/habits.ts';
import { mayBeCut } from '../../../lib/export/reading/result-window.ts';
import { addDays, type Day } from '../../../lib/time/days.ts';
import type { FakeApi, WidestRange } from '../../support/api/fake-api.ts';
import { oneIn } from '../../support/campaign.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY } from '../../support/export/unit-world.ts';

const OVER = ['status400', 'status500', 'empty', 'last', 'first'] as const;
const WIDEST: WidestRange[] = OVER.map((over) => ({ days: 10, over }));

/** Exports these days, and expects that all of the world's days so far are in the lake, as the API has them. */
async function expectTruth(world: CompanyWorld, days: readonly Day[] = world.days): Promise<void> {
  const { results } = await world.export({}, {}, days);
  expect(results.map(({ error }) => error).filter(Boolean)).toEqual([]);
  for (const day of days) expect(await world.stored(day)).toEqual(world.held(day));
}

describe('a service that limits ranges now, and did not before', () => {
  it('is recognised by what a wider list lacks, however wide the lists answered before', async () => {
    const world = new CompanyWorld(Array.from({ length: 30 }, () => 2));
    await expectTruth(world);
    world.api.widestRange = { days: 10, over: 'last' };
    await expectTruth(world);
    expect(world.habits.recibidos.provedWidthDays ?? 1).toBeLessThanOrEqual(10);
  });

  it('is recognised although the rows of the day after the one that is asked for fill a page', async () => {
    const world = new CompanyWorld([130, 60, 91]);
    await expectTruth(world, world.days.slice(0, 2));
    world.habits.recibidos = { upperBound: 'exclusive', provedWidthDays: 65 };
    world.listed.reverse();
    Object.assign(world.api, { pageCap: 20, widestRange: { days: 2, over: 'empty' } });
    await expectTruth(world);
  });

  it.each(oneIn(2, WIDEST))('$over over $days days: all days are found', async (widest) => {
    const world = new CompanyWorld(Array.from({ length: 40 }, () => 2));
    await expectTruth(world, world.days.slice(0, 35));
    world.api.widestRange = widest;
    await expectTruth(world, world.days.slice(10));
  });
});

describe('what only earlier runs have proved of the service', () => {
  const KEPT: ListHabits = {
    upperBound: 'inclusive',
    provedWidthDays: 65,
    longestPage: 100,
    isAnyPageSizeHonoured: true,
    deepestRow: 5_000,
  };

  function begin(counts: readonly number[], changes: Partial<ListHabits> = {}): CompanyWorld {
    const world = new CompanyWorld(counts);
    world.habits.recibidos = { ...KEPT, ...changes };
    return world;
  }

  it.each(['nothing', 'midnight'] satisfies FakeApi['upperBound'][])(
    'that a bound includes its day: its last day is found where it includes %s of it by now',
    async (bound) => {
      for (const counts of [[9, 9, 9], [0, 4, 3], [4, 0, 0, 1], [7]]) {
        const world = begin(counts);
        world.api.upperBound = bound;
        await expectTruth(world);
        expect(world.habits.recibidos.upperBound).toBe('exclusive');
      }
    },
  );

  it.each(
    oneIn(
      2,
      WIDEST.filter(({ over }) => over !== 'empty'),
    ),
  )('that 65 days are answered: none is lacking where it is $over over $days by now', async (widest) => {
    for (const step of [1, 7]) {
      const world = begin(Array.from({ length: 65 }, (_, index) => (index % step === 3 % step ? 2 : 0)));
      world.api.widestRange = widest;
      await expectTruth(world);
    }
  });

  it.each(['last', 'first'] as const)(
    'the same of three days, of which the %s two are answered',
    async (over) => {
      const world = begin([3, 3, 3]);
      world.api.widestRange = { days: 2, over };
      await expectTruth(world);
    },
  );

  it('the same where only the last day of a list is answered, and the day before it has no rows', async () => {
    const world = begin([5, 0, 5]);
    world.api.widestRange = { days: 1, over: 'last' };
    await expectTruth(world);
  });

  it.each([50, 100, 250, 500, 1_000])(
    'that lists go on: none is cut where they end after %d rows by now',
    async (rows) => {
      for (const counts of [[rows + 40], [20, rows + 40, 20]]) {
        const world = begin(counts);
        world.api.resultWindow = rows;
        await expectTruth(world);
      }
    },
  );

  it.each(['whole', 'nothing'] satisfies FakeApi['upperBound'][])(
    'that 65 days are answered: an empty list waits for what others show, where bounds include %s of their day',
    async (upperBound) => {
      const kept = { upperBound: upperBound === 'whole' ? 'inclusive' : 'exclusive' } as const;
      const idle = begin([0, 0, 1, 0, 0], kept);
      const other = begin([5, 0, 5, 0, 5]);
      await expectTruth(other);
      other.habits = idle.habits;
      const widestRange: WidestRange = { days: 1 + Number(upperBound === 'nothing'), over: 'empty' };
      for (const { api } of [idle, other]) Object.assign(api, { upperBound, widestRange });
      const { results, emptyLists } = await idle.export({}, { emptyListsLeft: 'unshown' });
      expect([results, emptyLists.length]).toEqual([[], 1]);
      await expectTruth(other);
      await idle.export({}, { emptyLists });
      for (const day of idle.days) expect([day, await idle.stored(day)]).toEqual([day, idle.held(day)]);
    },
  );

  it.each(['inclusive', 'exclusive'] as const)(
    'that 65 days are answered: an empty list that waited is believed where nothing else was shown, and bounds are %s',
    async (upperBound) => {
      const world = begin([0, 0, 0], { upperBound });
      const { emptyLists } = await world.export({}, { emptyListsLeft: 'unshown' });
      const { results } = await world.export({}, { emptyLists });
      expect([results.map(({ state }) => state), world.api.requestCount]).toEqual([
        Array(3).fill('vacio'),
        0,
      ]);
    },
  );

  it('that a bound excludes its day: the day after it counts for no window where it includes it by now', async () => {
    const world = begin([20, 90, 20], { upperBound: 'exclusive' });
    world.api.resultWindow = 50;
    await expectTruth(world);
  });

  it('how long a page is: the end of a list is looked for where it is, though pages are shorter by now', async () => {
    const world = begin([20, 1_060, 20], { deepestRow: 150 });
    Object.assign(world.api, { pageCap: 50, resultWindow: 1_000 });
    await expectTruth(world);
  });

  it('that 65 days are answered: a last day is not believed for its first moment where lists are cut by now', async () => {
    for (const counts of [
      [9, 9, 9],
      [0, 0, 9],
    ]) {
      const world = begin(counts, { upperBound: 'exclusive', hasTimes: true });
      Object.assign(world.api, { upperBound: 'midnight', widestRange: { days: 3, over: 'first' } });
      await expectTruth(world);
    }
  });

  it('that two days are answered: a day that is empty together with the next one is asked for alone', async () => {
    const world = new CompanyWorld([0, 0, 5], false);
    world.habits.recibidos = { ...KEPT, upperBound: undefined, provedWidthDays: 2 };
    world.api.widestRange = { days: 1, over: 'empty' };
    await expectTruth(world);
  });

  it('the same where another list of the run has shown the change before', async () => {
    const world = new CompanyWorld([1, 1, 1, 1], false);
    world.habits.recibidos = { upperBound: 'exclusive', provedWidthDays: 1, longestPage: 1, deepestRow: 1 };
    Object.assign(world.api, { upperBound: 'nothing', widestRange: { days: 2, over: 'last' } });
    await expectTruth(world, world.days.slice(0, 2));
    Object.assign(world.api, { upperBound: 'whole', widestRange: { days: 1, over: 'last' } });
    await expectTruth(world, world.days.slice(0, 3));
  });

  it('that a bound includes its day: it still does where lists are cut to their first days by now', async () => {
    const world = begin([5, 5, 5]);
    world.api.widestRange = { days: 2, over: 'first' };
    const seen = new Set<string | undefined>();
    world.api.onList = () => seen.add(world.habits.recibidos.upperBound);
    await expectTruth(world);
    expect(seen).not.toContain('exclusive');
  });

  it('that a bound includes its day: receipts that a wider list showed are not lost in a narrower one', async () => {
    const world = begin([0, 150, 0]);
    Object.assign(world.api, { upperBound: 'nothing', widestRange: { days: 3, over: 'status400' } });
    await expectTruth(world);
  });

  it.each(OVER)(
    'that a bound excludes its day: it is asked for alone where it includes it and two days are %s by now',
    async (over) => {
      for (const counts of [[3, 3, 3], [3], [0, 3], [0, 3, 0, 2]]) {
        const world = begin(counts, { upperBound: 'exclusive', provedWidthDays: 1 });
        world.api.widestRange = { days: 1, over };
        await expectTruth(world);
      }
    },
  );

  it('the same, but no day is empty where it excludes it still', async () => {
    const world = begin([3, 3, 3], { upperBound: 'exclusive' });
    Object.assign(world.api, { widestRange: { days: 1, over: 'status400' }, upperBound: 'nothing' });
    const { results } = await world.export();
    expect(results.map(({ state }) => state)).toEqual(['fallido', 'fallido', 'fallido']);
  });

  it('is checked once: by a list with rows at both ends, or by looking at the ends without rows', async () => {
    for (const [counts, requests] of [
      [[20, 20, 20], 2],
      [[0, 0, 0], 2],
      // The day before, the day after, and the last one with the next, asked twice if empty.
      [[0, 60, 0], 6],
      [[0], 4],
    ] as const) {
      const world = begin(counts);
      await expectTruth(world);
      expect(world.api.requestCount).toBe(requests);
    }
  });

  it('stands where the look at the last day and the next fails', async () => {
    const world = begin([5, 5, 0]);
    world.api.brokenDays.add(addDays(DAY, 1));
    await expectTruth(world);
  });
});

it('a list that was cut says that no depth is known, not even what this process saw itself', () => {
  const habits: ListHabits = {};
  noteDepth(habits, 5_000);
  expect(mayBeCut(1_300, habits)).toBe(false);
  withdrawProof(habits, 3);
  expect(mayBeCut(1_300, habits)).toBe(true);
});
