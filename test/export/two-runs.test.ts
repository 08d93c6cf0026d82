import { expect, it } from 'vitest';
import { exportUnit } from '../support/export/export-unit.ts';
import { newWorld, received } from '../support/export/unit-world.ts';

it('records a change once when another run replaced the unit meanwhile', async () => {
  const world = newWorld();
  const listed = (codigo: string) => [received(1, { estado: { codigo } })];
  world.listed = listed('AE');
  await world.export();

  // The older run has read BE; before it replaces the object, a newer run reads CE and replaces it.
  world.listed = listed('BE');
  const { replace } = world.store;
  let isOvertaken = false;
  world.store.replace = async (key, bytes, options) => {
    if (key === world.key && !isOvertaken) {
      isOvertaken = true;
      world.listed = listed('CE');
      expect(await world.export()).toMatchObject({ state: 'exportado', changed: 1 });
    }
    return await replace.call(world.store, key, bytes, options);
  };
  const run = { id: 'older', day: '2026-11-20' } as const;
  const overtaken = await exportUnit(world.unit, world.tools({ run }));

  expect(overtaken).toMatchObject({ state: 'sin_cambios', changed: 0 });
  expect((await world.rows()).map(({ estado_codigo: state }) => state)).toEqual(['CE']);
  const told = await world.changes();
  expect(told.map(({ antes, despues }) => [antes, despues])).toEqual([['AE', 'CE']]);
});

it('does not replace what a third run has stored since its second reading', async () => {
  const world = newWorld();
  const { store, key } = world;
  const list = (codigo: string) => {
    world.listed = [received(1, { estado: { codigo } })];
  };
  const exported = async (codigo: string) => {
    list(codigo);
    Object.assign(store, { find, open, replace });
    await world.export();
  };
  const { find, open, replace } = store;
  await exported('AE');
  list('BE');
  /** Before the older run touches the object for the first time since it has read the list again. */
  const watch =
    <Values extends [string, ...unknown[]], Result>(call: (...values: Values) => Result) =>
    async (...values: Values): Promise<Awaited<Result>> => {
      if (values[0] === key && isReadAgain) {
        isReadAgain = false;
        await exported('DE');
      }
      return await call.apply(store, values);
    };
  let isReadAgain = false;
  store.replace = async (...values) => {
    if (values[0] !== key) return await replace.apply(store, values);
    await exported('CE');
    list('CF');
    world.api.beforeAnswer = () => {
      isReadAgain = true;
    };
    Object.assign(store, { find: watch(find), open: watch(open), replace: watch(replace) });
    return await replace.apply(store, values);
  };
  const run = { id: 'older', day: '2026-11-20' } as const;
  await exportUnit(world.unit, world.tools({ run }));
  expect((await world.rows()).map(({ estado_codigo: state }) => state)).toEqual(['DE']);
  const told = (await world.changes()).toSorted((a, b) => Number(a.momento) - Number(b.momento));
  expect(told.map(({ antes, despues }) => [antes, despues])).toEqual([
    ['AE', 'CE'],
    ['CE', 'DE'],
  ]);
});

it('records every change of a unit that one run exports twice', async () => {
  const world = newWorld();
  const run = { id: 'run', day: '2026-11-20' } as const;
  for (const codigo of ['AE', 'BE', 'CE']) {
    world.listed = [received(1, { estado: { codigo } })];
    await world.export({ run });
  }
  const told = (await world.changes()).toSorted((a, b) => Number(a.momento) - Number(b.momento));
  expect(told.map(({ antes, despues }) => [antes, despues])).toEqual([
    ['AE', 'BE'],
    ['BE', 'CE'],
  ]);
});

it('begins a staged reading again when another run replaced the unit since', async () => {
  const world = newWorld();
  const day = (codigo: string) =>
    Array.from({ length: 450 }, (_, index) => received(index + 1, { estado: { codigo } }));
  world.listed = day('AE');
  const tools = world.tools();
  const isTimeUp = () => world.api.requestCount >= 3;
  expect(await exportUnit(world.unit, { ...tools, isTimeUp })).toBeUndefined();
  expect([...world.store.objects.keys()]).toEqual([expect.stringMatching(/^\.staging\//)]);

  world.listed = day('BE');
  await world.export();
  expect(await exportUnit(world.unit, tools)).toMatchObject({ state: 'sin_cambios', receipts: 450 });
  expect(new Set((await world.rows()).map(({ estado_codigo: state }) => state))).toEqual(new Set(['BE']));
  expect(await world.changes()).toEqual([]);
});
