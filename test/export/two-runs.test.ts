import { expect, it } from 'vitest';
import { StaleObjectError } from '../../lib/lake/store/store.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { newWorld, received } from '../support/export/unit-world.ts';

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
  const changes = (await world.changes()).toSorted((a, b) => Number(a.momento) - Number(b.momento));
  expect(changes.map(({ antes, despues }) => [antes, despues])).toEqual([
    ['AE', 'CE'],
    ['CE', 'DE'],
  ]);
});

it('records every change of a unit that one run exports twice', async () => {
  const world = newWorld();
  const run = { id: '20261120020000-nocturna', day: '2026-11-20' } as const;
  for (const codigo of ['AE', 'BE', 'CE']) {
    world.listed = [received(1, { estado: { codigo } })];
    await world.export({ run });
  }
  const changes = (await world.changes()).toSorted((a, b) => Number(a.momento) - Number(b.momento));
  expect(changes.map(({ antes, despues }) => [antes, despues])).toEqual([
    ['AE', 'BE'],
    ['BE', 'CE'],
  ]);
});

it('reads a unit three times, where other runs keep replacing it', async () => {
  const world = newWorld();
  world.listed = [received(1)];
  const { replace } = world.store;
  let writes = 0;
  world.store.replace = async (key, ...rest) => {
    if (key !== world.key) return await replace.call(world.store, key, ...rest);
    writes += 1;
    throw new StaleObjectError(key);
  };
  const result = await exportUnit(world.unit, world.tools());
  expect(result).toMatchObject({ state: 'fallido', error: expect.stringContaining('another run') });
  expect(writes).toBe(3);
});
