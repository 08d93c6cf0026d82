import { describe, expect, it } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { collected } from '../lake/parquet/files.ts';
import { DAY, newWorld, received, type UnitWorld } from '../support/export/unit-world.ts';
import { damageObject, withoutChecksum } from '../support/lake/damage.ts';

async function* onePiece(bytes: Uint8Array) {
  yield bytes;
}

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
  it('fails and says what to do, and the object stays as it is', async () => {
    const world = await exported();
    const bytes = await damageObject(world.store, world.key);
    const result = await world.export();
    expect(result).toMatchObject({ state: 'fallido', day: DAY });
    expect(result.error).toContain(`${world.key} in memory is damaged, or not a Parquet file: `);
    expect(result.error).toContain('Restore a copy');
    expect(await bytesIn(world)).toEqual(bytes);
  });

  it('also fails when it is older than checksums and has other rows than its content’s hash says, and records no changes', async () => {
    const world = await exported();
    const stored = await world.store.find(world.key);
    const rows = (await world.rows()).map((row) => ({ ...row, totales_total: 1n }));
    const metadata = stored?.metadata ?? {};
    const { columns } = world.table;
    const other = writeWithHyparquet({ columns, rows: rowsOf(columns, rows), metadata });
    await world.store.replace(world.key, onePiece(withoutChecksum(Buffer.concat(await collected(other)))), {
      metadata,
      expected: stored,
    });
    const result = await world.export();
    expect(result).toMatchObject({ state: 'fallido' });
    expect(result.error).toContain('its rows are not the ones written to it');
    expect(await world.changes()).toEqual([]);
    expect((await world.rows()).map(({ totales_total }) => totales_total)).toEqual([1n, 1n]);
  });

  it('is read again once the object is repaired, and what is gone from the list is kept', async () => {
    const world = await exported();
    const whole = await bytesIn(world);
    await damageObject(world.store, world.key);
    await world.export();
    await damageObject(world.store, world.key, () => whole);
    expect(await world.export()).toMatchObject({ state: 'exportado', appeared: 1, vanished: 1 });
    expect((await world.rows()).map(({ id }) => id)).toEqual([1n, 2n, 3n]);
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
