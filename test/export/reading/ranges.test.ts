import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { CompanyWorld, requestsOf } from '../../support/export/company-world.ts';

/** Expects that only the days in `except` fail, and that the lake has the API's receipts of all others. */
async function expectTruth(world: CompanyWorld, except: readonly string[] = []): Promise<void> {
  const { results, remaining } = await world.export();
  expect(remaining).toEqual([]);
  expect(results).toHaveLength(world.days.length);
  expect(requestsOf(results)).toBe(world.api.requestCount);
  const failed = results.filter(({ state }) => state === 'fallido').map(({ day }) => day);
  expect(failed.sort()).toEqual([...except].sort());
  for (const day of world.days) {
    if (!except.includes(day)) expect(await world.stored(day), day).toEqual(world.held(day));
  }
}

describe('any days of any service', () => {
  const OVER = ['status400', 'status500', 'empty', 'last', 'first'] as const;
  // A service that refuses two days does not show of a day with few rows whether it is whole.
  const widest = fc.record({ days: fc.integer({ min: 2, max: 12 }), over: fc.constantFrom(...OVER) });
  const count = fc.constantFrom(0, 0, 0, 1, 3, 7, 50, 99, 100, 101, 230);

  it('are each read whole, whatever its bound, its widest range and its largest page are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(count, { minLength: 1, maxLength: 14 }),
        fc.boolean(),
        fc.constantFrom('whole', 'midnight', 'nothing'),
        fc.option(widest, { nil: undefined }),
        fc.constantFrom(7, 50, 100),
        async (counts, hasTimes, upperBound, limit, pageCap) => {
          const world = new CompanyWorld(counts, hasTimes);
          // Where the bound excludes the last day, a single day is asked for up to the next one.
          world.api.widestRange = limit && { ...limit, days: limit.days + Number(upperBound !== 'whole') };
          Object.assign(world.api, { upperBound, pageCap });
          await expectTruth(world);
          await expectTruth(world);
        },
      ),
      { numRuns: campaign({ quick: 4, long: 600 }) },
    );
  });
});
