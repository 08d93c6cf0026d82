import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { DAY, newWorld, RUT, received, type UnitWorld } from '../support/export/unit-world.ts';
import { damageObject } from '../support/lake/damage.ts';

async function bytesIn({ store, key }: UnitWorld): Promise<Uint8Array> {
  const file = await store.open(key);
  return new Uint8Array(await file.slice(0));
}

async function exported(): Promise<UnitWorld> {
  const world = newWorld();
  world.listed = [received(1), received(2)];
  await world.export();
  // The API no longer lists receipt 2: only the object still has it.
  world.listed = [received(1), received(3)];
  return world;
}

describe('a unit whose stored object is damaged', () => {
  it('fails and says what to do; once it is repaired, what is gone from the list is kept', async () => {
    const world = await exported();
    const whole = await bytesIn(world);
    const bytes = await damageObject(world.store, world.key);
    const result = await world.export();
    expect(result).toMatchObject({ state: 'fallido', day: DAY });
    expect(result.error).toContain(`${world.key} in memory is damaged, or not a Parquet file: `);
    expect(result.error).toContain('Restore a copy');
    expect(await bytesIn(world)).toEqual(bytes);
    await damageObject(world.store, world.key, () => whole);
    expect(await world.export()).toMatchObject({ state: 'exportado', appeared: 1, vanished: 1 });
    expect((await world.rows()).map(({ id }) => id)).toEqual([1n, 2n, 3n]);
  });

  it.each([
    ['company', { rut: '214844360018' }, `it has a row that does not belong to ${RUT}`],
    ['day', { fecha_emision: 0n }, `it has a row of another day than ${DAY}`],
  ])('fails, as another %s’s rows are never taken for its own', async (_whose, other, why) => {
    const world = await exported();
    const [first, ...others] = await world.rows();
    const rows = rowsOf(world.table.columns, [{ ...first, ...other }, ...others]);
    const bytes = await buffer(writeWithHyparquet({ columns: world.table.columns, rows, metadata: {} }));
    await damageObject(world.store, world.key, () => bytes);
    const result = await world.export();
    expect(result).toMatchObject({ state: 'fallido', day: DAY });
    expect(result.error).toContain(why);
    expect(Buffer.from(await bytesIn(world)).equals(bytes)).toBe(true);
  });

  it('is not looked into while the API lists what was written last: that is for verify', async () => {
    const world = await exported();
    world.listed = [received(1), received(2)];
    await damageObject(world.store, world.key);
    expect(await world.export()).toMatchObject({ state: 'sin_cambios' });
  });
});

it('a damaged audit of an earlier run stops no unit', async () => {
  const world = newWorld();
  await world.export();
  const [audit] = [...world.store.objects.keys()].filter((key) => key.includes('/exportaciones/'));
  await damageObject(world.store, audit ?? '');
  world.listed = [received(1)];
  await world.clock.advance(3 * 86_400_000);
  expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 1 });
});
