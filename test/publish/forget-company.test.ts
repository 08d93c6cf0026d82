import { describe, expect, it } from 'vitest';
import { stageChanges } from '../../lib/audit/write.ts';
import { dayKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { type LakeStore, replaceText } from '../../lib/lake/store/store.ts';
import { CAMBIOS, EMITIDOS_DETALLE, RECIBIDOS } from '../../lib/lake/tables.ts';
import { forgetCompany, holdsCompany } from '../../lib/publish/forget-company.ts';
import { publishDays } from '../../lib/publish/publish-days.ts';
import { campaign } from '../support/campaign.ts';
import { newWorld, received } from '../support/export/unit-world.ts';
import { DyingStore } from '../support/lake/dying-store.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsIn } from '../support/lake/text-rows.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const DAYS = ['2026-10-31', '2026-11-01'] as const;
const TABLES = [RECIBIDOS, EMITIDOS_DETALLE];
const TABLE_DAYS = TABLES.flatMap((table) => DAYS.map((day) => ({ table, day })));
const [A, B] = RUTS;
const KILLED = { id: '20261119020000-0123abcd', day: '2026-11-19' } as const;

/** A lake with units and days of two companies. */
async function madeLake(): Promise<LakeStore> {
  const store = new MemoryStore(() => 0);
  await replaceText(
    store,
    dayKey(RECIBIDOS.name, DAYS[0]).replace('dia.parquet', 'notas.txt'),
    '',
    undefined,
  );
  for (const { table, day } of TABLE_DAYS)
    for (const rut of [A, B]) await putUnit(store, table, day, rut, [1]);
  await publishDays(store, writeWithHyparquet, TABLE_DAYS);
  return store;
}

async function keysOf(store: LakeStore): Promise<string[]> {
  const folders = ['unidades', '.open-runs', ...TABLES.map(({ name }) => name)];
  return (await Promise.all(folders.map((folder) => Array.fromAsync(store.list(folder))))).flat();
}

async function changePartsOf(store: LakeStore): Promise<string[]> {
  return (await keysOf(store)).filter((key) => key.includes('/cambios/'));
}

describe('a company that is forgotten', () => {
  it('is in no unit and no table, wherever the first attempt died', async () => {
    const counted = new DyingStore(await madeLake());
    const forgotten = await forgetCompany(counted, writeWithHyparquet, A);
    expect(forgotten).toEqual({
      units: 4,
      written: 4,
      unchanged: 0,
      problems: [],
      failedDays: 0,
      remaining: 0,
    });
    for (let step = 1; step <= counted.steps; step += campaign({ quick: 3, long: 1 })) {
      const store = await madeLake();
      const before = await keysOf(store);
      await forgetCompany(new DyingStore(store, step), writeWithHyparquet, A).catch(() => undefined);
      const rows = await Promise.all(TABLE_DAYS.map(({ table, day }) => dayRows(store, table, day)));
      const isLeft = [...rows.flat(), ...(await keysOf(store))].some((text) => text?.includes(A));
      expect({ step, isLeft }).toEqual({ step, isLeft: await holdsCompany(store, A) });
      await forgetCompany(store, writeWithHyparquet, A);
      expect({ a: await holdsCompany(store, A), b: await holdsCompany(store, B) }).toEqual({
        a: false,
        b: true,
      });
      for (const { table, day } of TABLE_DAYS)
        expect(await dayRows(store, table, day)).toEqual([expect.stringMatching(`^${B} 1 `)]);
      expect(await keysOf(store)).toEqual(before.filter((key) => !key.includes(A)));
    }
  });

  it('keeps the changes that took place, in cambios; those of writes that never were go', async () => {
    const world = newWorld();
    const { store, unit } = world;
    world.listed = [received(1)];
    await world.export();
    world.listed = [received(1, { estado: { codigo: 'BE' } })];
    await world.export();
    const [part = ''] = await changePartsOf(store);
    const rows = (await rowsIn(store, part, CAMBIOS)).map((row) => ({ ...row, campo: 'never' }));
    const tools = { store, writer: writeWithHyparquet };
    await stageChanges(tools, KILLED, unit, await store.find(world.key), rows);
    // The day was empty, and the export was killed before it wrote its first unit.
    await stageChanges(tools, KILLED, { ...unit, day: DAYS[0] }, undefined, rows);
    const ofOther = { ...unit, rut: B, day: DAYS[0] };
    await stageChanges(tools, { ...KILLED, id: '20261119020000-0123abce' }, ofOther, undefined, rows);

    expect(await changePartsOf(store)).toHaveLength(4);
    expect(await forgetCompany(store, writeWithHyparquet, unit.rut)).toMatchObject({ units: 1 });
    expect(await changePartsOf(store)).toEqual([expect.stringContaining(B)]);
    expect(await world.changes()).toMatchObject([{ campo: 'estado_codigo', despues: 'BE' }]);
    expect(await holdsCompany(store, unit.rut)).toBe(false);
    // A damaged day may have rows of it.
    await replaceText(store, dayKey('recibidos', DAYS[0]), 'no Parquet', undefined);
    expect(await holdsCompany(store, unit.rut)).toBe(true);
  });
});
