import { describe, expect, it } from 'vitest';
import { CompanyWorld } from '../../support/export/company-world.ts';

const DAYS = 31;

/** A service that answers no list over two days; times tell that its days are whole. */
function worldOf(): CompanyWorld {
  const world = new CompanyWorld(
    Array.from({ length: DAYS }, () => 3),
    true,
  );
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

describe('an API that at first answers nothing of a company', () => {
  it('is asked for all days but those that fail', async () => {
    const world = worldOf();
    const broken = world.days.slice(-5);
    for (const day of broken) world.api.brokenDays.add(day);
    expect(await failedDays(world)).toEqual(broken);
  });

  it('is asked for all other days once it has recovered', async () => {
    // Nothing is proved: each day is asked for with the next one, and by itself.
    for (const [lists, most] of [
      [1, 0],
      [4, 2],
      [8, 4],
    ] as const) {
      const world = worldOf();
      for (let number = 1; number <= lists; number += 1) world.api.faults.set(number, 'serverError');
      expect((await failedDays(world)).length).toBeLessThanOrEqual(most);
    }
  });
});

describe('a list over several days that is refused', () => {
  /** Exports eight days, of which lists over several are answered 403, and those of one day this. */
  async function exportRefused(statusOfDay: number) {
    const world = new CompanyWorld(Array.from({ length: 8 }, () => 3));
    Object.assign(world.facts.recibidos, { provedWidthDays: 20, isEndDateInclusive: true });
    world.api.statusFor = (_path, query) =>
      query.get('FechaDesde') === query.get('FechaHasta') ? statusOfDay : 403;
    const { results } = await world.export();
    return { requests: world.api.requestCount, errors: new Set(results.map(({ error }) => error)) };
  }

  it('is of the company where its last and its first day are refused alike, and no other day is asked for', async () => {
    const { requests, errors } = await exportRefused(403);
    expect(requests).toBe(3);
    expect([...errors]).toEqual([expect.stringContaining('status 403')]);
  });

  it('is of its days where they are refused with another status', async () => {
    const { errors } = await exportRefused(404);
    expect(errors.size).toBe(8);
    for (const error of errors) expect(error).toContain('status 404');
  });
});
