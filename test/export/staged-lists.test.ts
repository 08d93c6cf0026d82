import { expect, it } from 'vitest';
import { noFacts } from '../../lib/export/reading/facts.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { newWorld, received } from '../support/export/unit-world.ts';

it('counts the values that did not fit of all invocations that a unit took', async () => {
  const world = newWorld();
  // The first and the last receipt have an amount that no column holds.
  const misfit = { totales: { total: 'much', total_pagar: 1 } };
  world.listed = Array.from({ length: 450 }, (_, index) =>
    received(index + 1, index === 0 || index === 449 ? misfit : {}),
  );
  const tools = world.tools();
  let pagesLeft = 2;
  expect(await exportUnit(world.unit, { ...tools, isTimeUp: () => pagesLeft-- <= 0 })).toBeUndefined();
  expect(await exportUnit(world.unit, tools)).toMatchObject({
    state: 'exportado',
    receipts: 450,
    misfits: 2,
  });
  expect((await world.rows()).filter(({ otros }) => otros !== null).map(({ id }) => id)).toEqual([1n, 450n]);
});

it('gives each unit one result where an invocation that staged lists answered nobody, and was repeated', async () => {
  const world = new CompanyWorld([200, 200, 200]);
  const proved = {
    ...noFacts(),
    isBoundWhole: true,
    longestPage: 100,
    provedWidthDays: 3,
    deepestRow: 1_000,
  };
  const exportFor = (requests: number, widestDays: number, days = world.days) => {
    world.facts.recibidos = { ...proved, widestDays };
    const isTimeUp = () => world.api.requestCount >= requests;
    return world.export({ run: { id: 'run', day: '2026-11-20' }, isTimeUp }, {}, days);
  };
  await exportFor(3, 3);
  // The repetition has the same units, and divides them into other lists.
  const { remaining } = await exportFor(3, 2);
  const days = remaining.map(({ day }) => day);
  const { results } = await exportFor(Number.POSITIVE_INFINITY, 2, days);
  expect(results.map(({ day, state }) => `${day} ${state}`).sort()).toEqual(
    world.days.map((day) => `${day} exportado`),
  );
  for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
});
