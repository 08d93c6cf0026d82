import { expect, it } from 'vitest';
import { noFacts } from '../../lib/export/reading/facts.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { newWorld, RUT, received } from '../support/export/unit-world.ts';
import { rowsIn } from '../support/lake/text-rows.ts';

it('counts the values that did not fit of all invocations that a unit took', async () => {
  const world = newWorld();
  // The first and the last receipt have an amount that no column holds.
  const misfit = { totales: { total: 'much', total_pagar: 1 } };
  world.listed = Array.from({ length: 450 }, (_, index) =>
    received(index + 1, index === 0 || index === 449 ? misfit : {}),
  );
  const tools = world.tools();
  const isTimeUp = () => world.api.requestCount >= 3;
  expect(await exportUnit(world.unit, { ...tools, isTimeUp })).toBeUndefined();
  expect([...world.store.objects.keys()]).toEqual([expect.stringMatching(/^\.staging\//)]);
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

it('takes no row of a day that another run has stored since it was read', async () => {
  const world = new CompanyWorld([200, 200, 200]);
  const proved = {
    ...noFacts(),
    isBoundWhole: true,
    longestPage: 100,
    provedWidthDays: 3,
    deepestRow: 1_000,
  };
  world.facts.recibidos = { ...proved };
  const run = { id: 'run', day: '2026-11-20' } as const;
  await world.export({ run, isTimeUp: () => world.api.requestCount >= 3 });
  world.listed = world.listed.map((receipt) => ({ ...receipt, estado: { codigo: 'BE' } }));
  const [first = '2026-11-17'] = world.days;
  await world.export({ run: { id: 'other', day: '2026-11-20' } }, {}, [first]);
  await world.export({ run });
  const rows = await rowsIn(world.store, unitKey('recibidos', first, RUT), RECIBIDOS);
  expect(new Set(rows.map(({ estado_codigo: state }) => state))).toEqual(new Set(['BE']));
  for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
});
