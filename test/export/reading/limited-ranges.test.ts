import { describe, expect, it } from 'vitest';
import type { WidestRange } from '../../support/api/fake-api.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';

/** Expects that only the days at fault fail, and that the lake has the API's receipts of all others. */
async function expectFailed(world: CompanyWorld, faults: readonly string[]): Promise<void> {
  const { results } = await world.export();
  const failed = results.filter(({ state }) => state === 'fallido').map(({ day }) => day);
  expect(failed.sort()).toEqual(faults);
  for (const day of world.days.filter((each) => !faults.includes(each))) {
    expect(await world.stored(day)).toEqual(world.held(day));
  }
}

/** Sets the id of one of the day's rows to null. */
function spoil(world: CompanyWorld, day: string): void {
  const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
  Object.assign(spoilt ?? {}, { id: null });
}

describe('where ranges are limited, a day at fault fails alone', () => {
  it.each([
    ['empty', [1, 1, 1], 1],
    ['first', [1, 1, 1, 1], 2],
    ['first', [130, 130, 130, 130, 130], 2],
  ] satisfies [WidestRange['over'], number[], number][])(
    '%s over 2 days, of %j: lists with the day at %i are refused',
    async (over, counts, index) => {
      const world = new CompanyWorld(counts, true);
      world.api.widestRange = { days: 2, over };
      world.api.brokenDays.add(world.days[index] ?? '');
      await expectFailed(world, [world.days[index] ?? '']);
    },
  );

  it.each([[[0, 0, 1, 3, 0]], [[0, 2, 1, 3, 0]], [[5, 5, 0, 5, 5]]])(
    'and the day before it, whose own rows do not tell whether it is whole: %j',
    async (counts) => {
      const world = new CompanyWorld(counts);
      const [, , before = '', day = ''] = world.days;
      world.api.widestRange = { days: 2, over: 'status400' };
      spoil(world, day);
      await expectFailed(world, [before, day]);
    },
  );
});

describe.each(['status400', 'status500'] as const)('a service that answers %s for any two days', (over) => {
  it.each([
    ['with dates only', [3, 0, 30], false, [0, 1]],
    ['with times', [3, 0, 30], true, [1]],
    ['without rows', [0], true, [0]],
  ] satisfies [string, number[], boolean, number[]][])(
    'fails the days whose rows do not show that they are all: %s',
    async (_name, counts, hasTimes, failed) => {
      const world = new CompanyWorld(counts, hasTimes);
      world.api.widestRange = { days: 1, over };
      await expectFailed(
        world,
        failed.map((index) => world.days[index] ?? ''),
      );
    },
  );
});
