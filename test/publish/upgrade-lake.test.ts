import { describe, expect, it } from 'vitest';
import { LAST_WRITE, listOpenRuns } from '../../lib/audit/keys.ts';
import { assertCurrentLayout, OutdatedLakeError, UNITS_FOLDER, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { EMITIDOS, RECIBIDOS, RECIBIDOS_DETALLE, TABLES } from '../../lib/lake/tables.ts';
import type { TableDay } from '../../lib/publish/publish-day.ts';
import { upgradeLake } from '../../lib/publish/upgrade-lake.ts';
import { campaign } from '../support/campaign.ts';
import { received, UnitWorld } from '../support/export/unit-world.ts';
import { DyingStore } from '../support/lake/dying-store.ts';
import { threeStores } from '../support/lake/three-stores.ts';
import { putUnit, RUTS } from '../support/units.ts';

const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const [A, B] = RUTS;
const { stores } = await threeStores();

/** A lake as an older version exported it. */
async function oldLake(store: LakeStore): Promise<void> {
  for (const table of [RECIBIDOS, EMITIDOS, RECIBIDOS_DETALLE]) {
    for (const fecha of DAYS) {
      for (const rut of [A, B]) {
        await putUnit(store, table, fecha, rut, [1, 2], 100n, `${table.name}/fecha=${fecha}/${rut}.parquet`);
      }
    }
  }
}

async function keysOf(store: LakeStore): Promise<string[]> {
  const keys: string[] = [];
  for (const folder of [UNITS_FOLDER, '.lagging', ...TABLES.map(({ name }) => name)]) {
    for await (const key of store.list(folder)) keys.push(key);
  }
  return keys;
}

// A folder takes all the steps that memory takes.
const tried = stores.filter(([where]) => campaign({ quick: where === 'a folder', long: true }));

describe.each(tried)('a lake of the previous layout in %s', (_where, open) => {
  it('is refused, and converted, wherever the first conversion died', async () => {
    const whole = open();
    await oldLake(whole);
    await expect(assertCurrentLayout(whole)).rejects.toThrow(OutdatedLakeError);
    const stored = await whole.find(`recibidos/fecha=${DAYS[0]}/${A}.parquet`);
    const counted = new DyingStore(whole);
    expect(await upgradeLake(counted, writeWithHyparquet)).toMatchObject({
      days: 9,
      units: 18,
      problems: [],
    });
    await assertCurrentLayout(whole);
    const moved = await whole.find(unitKey('recibidos', DAYS[0], A));
    expect(moved?.storedAtMs).toBe(stored?.storedAtMs);
    const expected = await keysOf(whole);
    expect(expected).toHaveLength(18 + 9);
    const stride = Math.ceil(counted.steps / campaign({ quick: 2, long: 24 }));
    for (let step = 1; step <= counted.steps; step += stride) {
      const store = open();
      await oldLake(store);
      await upgradeLake(new DyingStore(store, step), writeWithHyparquet).catch(() => undefined);
      for (const table of [RECIBIDOS, EMITIDOS, RECIBIDOS_DETALLE]) {
        for (const fecha of DAYS) {
          const keys = [];
          for await (const key of store.list(`${table.name}/fecha=${fecha}`)) keys.push(key);
          // A day's folder never has both units and the day's object.
          expect(keys.some((key) => key.endsWith('/dia.parquet')) && keys.length > 1).toBe(false);
        }
      }
      await upgradeLake(store, writeWithHyparquet);
      expect(await keysOf(store)).toEqual(expected);
    }
  });

  it('has no day under way when a failure is told', async () => {
    const store = open();
    await oldLake(store);
    const { copy } = store;
    store.copy = async (from, to) => {
      if (from.includes(DAYS[1])) throw new Error('the disk is full');
      await copy.call(store, from, to);
    };
    const converted: string[] = [];
    const onDay = ({ table, day }: TableDay) => converted.push(`${table.name} ${day}`);
    await expect(upgradeLake(store, writeWithHyparquet, { onDay })).rejects.toThrow('the disk is full');
    expect(converted).toEqual([`recibidos_detalle ${DAYS[2]}`]);
  });

  it('has recorded what a run changed that died before it was closed', async () => {
    const world = new UnitWorld('recibidos', (now) => open(now));
    const { store, key, unit, table } = world;
    world.listed = [received(1), received(2)];
    await world.export();
    world.listed = [received(1, { estado: { codigo: 'BE' } }), received(2), received(3)];
    await world.export();
    const before = await store.find(key);
    expect(before?.metadata[LAST_WRITE]).toMatch(/run-002/);
    await store.copy(key, `${table.name}/fecha=${unit.day}/${unit.rut}.parquet`);
    await store.remove(key);
    expect(await upgradeLake(store, writeWithHyparquet)).toMatchObject({
      units: 1,
      problems: [],
      damagedParts: [],
    });
    expect((await store.find(key))?.metadata).toEqual(before?.metadata);
    expect((await world.changes()).map(({ id, cambio }) => `${id} ${cambio}`).sort()).toEqual([
      '1 cambio',
      '3 aparecio',
    ]);
    expect(await listOpenRuns(store)).toEqual([]);
  });
});
