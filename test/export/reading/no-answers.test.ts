import { describe, expect, it } from 'vitest';
import { CompanyWorld } from '../../support/export/company-world.ts';

const DAYS = 31;

/** A service that answers no list over two days. */
function worldOf(): CompanyWorld {
  const world = new CompanyWorld(Array.from({ length: DAYS }, () => 3));
  world.api.widestRange = { days: 1, over: 'status500' };
  return world;
}

/** Exports all days; returns those that failed, in order. Expects that all others are in the lake. */
async function failedDays(world: CompanyWorld): Promise<string[]> {
  const { results } = await world.export();
  const failed = results.filter(({ state }) => state === 'fallido').map(({ day }) => day);
  expect(results).toHaveLength(DAYS);
  for (const day of world.days.filter((each) => !failed.includes(each))) {
    expect(await world.stored(day)).toEqual(world.held(day));
  }
  return failed.sort();
}

describe('an API that has answered nothing of a company', () => {
  it('is not asked for each of its days', async () => {
    const world = worldOf();
    for (const day of world.days) world.api.brokenDays.add(day);
    expect(await failedDays(world)).toEqual(world.days);
    // Each list over several days, and each day alone, would be 61.
    expect(world.api.requestCount).toBeLessThanOrEqual(12);
  });

  it('is, where its answers can not be read, not asked for each of them either', async () => {
    const world = new CompanyWorld(Array.from({ length: DAYS }, () => 3));
    world.listed = world.listed.map((receipt) => Object.assign(receipt, { id: null }));
    expect(await failedDays(world)).toEqual(world.days);
    expect(world.api.requestCount).toBeLessThanOrEqual(12);
  });

  it('is asked for all days but those that fail, once a day is answered', async () => {
    const world = worldOf();
    const broken = world.days.slice(-5);
    for (const day of broken) world.api.brokenDays.add(day);
    expect(await failedDays(world)).toEqual(broken);
  });

  it('is asked for all other days once it has recovered', async () => {
    // Four lists over several days come first. From the eighth on, days are given up by their first one.
    for (const [lists, most] of [
      [4, 0],
      [5, 1],
      [7, 3],
      [8, 7],
    ] as const) {
      const world = worldOf();
      for (let number = 1; number <= lists; number += 1) world.api.faults.set(number, 'serverError');
      expect((await failedDays(world)).length).toBeLessThanOrEqual(most);
    }
  });
});
