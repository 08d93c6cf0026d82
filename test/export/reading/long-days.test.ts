import { describe, expect, it } from 'vitest';
import { addDays } from '../../../lib/time/days.ts';
import { CompanyWorld, receiptOf, requestsOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

const LONG = 9_000;
const PAGES = LONG / 88;

/** A day with more rows than a list over several days may have, and one as long after it; both have an evening. */
function longWorld(hasTimes = true): CompanyWorld {
  const world = new CompanyWorld([LONG], hasTimes);
  const evening = received(999_000, { fecha_emision: `${DAY}T${hasTimes ? '23:10:00' : '00:00:00'}` });
  const next = Array.from({ length: LONG }, (_, row) =>
    receiptOf(addDays(DAY, 1), 1_000_000 + row, hasTimes),
  );
  world.listed = [...world.listed, evening, ...next];
  return world;
}

async function expectWhole(world: CompanyWorld, isStable = true): Promise<number> {
  const { results } = await world.export();
  expect(results).toMatchObject([{ state: 'exportado', receipts: LONG + 1, isStable }]);
  expect(await world.stored(DAY)).toEqual(world.held(DAY));
  return requestsOf(results);
}

describe('a day that is too long to be read with the next one', () => {
  it.each([
    ['whole', true, 1],
    ['whole', false, 1],
    // What its own list lacks, only the one with the next day has.
    ['midnight', true, 5],
    ['nothing', true, 2],
    ['nothing', false, 2],
  ] as const)(
    'is whole where FechaHasta includes %s of its day (times: %j)',
    async (upperBound, hasTimes, times) => {
      const world = longWorld(hasTimes);
      world.api.upperBound = upperBound;
      expect(await expectWhole(world)).toBeLessThanOrEqual(times * PAGES + 30);
    },
  );

  it('is whole where it is known to be as long', async () => {
    const world = longWorld();
    await expectWhole(world);
    world.facts.recibidos.isBoundWhole = false;
    const { results } = await world.export();
    expect(results).toMatchObject([{ state: 'sin_cambios', receipts: LONG + 1 }]);
    expect(requestsOf(results)).toBeLessThanOrEqual(PAGES + 15);
  });

  it('is divided where no list shows so many rows', async () => {
    const world = longWorld();
    world.api.resultWindow = 8_500;
    await expectWhole(world);
  });

  it.each(['whole', 'midnight', 'nothing'] as const)(
    'is whole after any pause, where FechaHasta includes %s of its day',
    async (upperBound) => {
      const world = longWorld();
      world.api.upperBound = upperBound;
      let invocations = 0;
      for (let isOver = false; !isOver && invocations < 20; invocations += 1) {
        const { remaining } = await world.export({
          run: { id: 'run-1', day: DAY },
          isTimeUp: () => world.api.requestCount > 60 + 40 * invocations,
        });
        isOver = remaining.length === 0;
      }
      expect(invocations).toBeLessThan(10);
      expect(await world.stored(DAY)).toEqual(world.held(DAY));
    },
  );
});
