import { describe, expect, it } from 'vitest';
import type { ListHabits } from '../../../lib/api/list/page.ts';
import { addDays, type Day } from '../../../lib/time/days.ts';
import type { FakeApi, WidestRange } from '../../support/api/fake-api.ts';
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

  it.each(WIDEST)('$over over $days days: all days are found', async (widest) => {
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

  function begin(counts: readonly number[]): CompanyWorld {
    const world = new CompanyWorld(counts);
    world.habits.recibidos = { ...KEPT };
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

  it.each(WIDEST.filter(({ over }) => over !== 'empty'))(
    'that 65 days are answered: none is lacking where it is $over over $days by now',
    async (widest) => {
      for (const step of [1, 7]) {
        const world = begin(Array.from({ length: 65 }, (_, index) => (index % step === 3 % step ? 2 : 0)));
        world.api.widestRange = widest;
        await expectTruth(world);
      }
    },
  );

  it.each(['last', 'first'] as const)(
    'the same of three days, of which the %s two are answered',
    async (over) => {
      const world = begin([3, 3, 3]);
      world.api.widestRange = { days: 2, over };
      await expectTruth(world);
    },
  );

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
