import { describe, expect, it } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { CONTENT_HASH, ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import { newWorld, RUT, received, type UnitWorld } from '../support/export/unit-world.ts';

describe('an object that was stored before a column existed', () => {
  /** Stores the unit as an older version of the table would have, without these columns. */
  async function exportedWithout(world: UnitWorld, names: readonly string[], otros: Record<string, string>) {
    await world.export();
    const columns = world.table.columns.filter(({ name }) => !names.includes(name));
    const rows = (await world.rows()).map((row) => ({ ...row, otros: otros[String(row.id)] ?? null }));
    const older = new ReceiptRows({ ...world.table, columns }, RUT);
    for (const row of rows)
      older.appendValues(columns.map(({ name }) => row[name as keyof typeof row] ?? null));
    const metadata = { [CONTENT_HASH]: older.sorted().contentHash() };
    await world.store.replace(
      world.key,
      writeWithHyparquet({ columns, rows: rowsOf(columns, rows), metadata }),
      { metadata, expected: await world.store.find(world.key) },
    );
  }

  it('is rewritten with it, and records no changes', async () => {
    const world = newWorld();
    world.listed = [received(1), received(2)];
    await exportedWithout(world, ['moneda', 'forma_pago', 'visto_por_ultima_vez'], { 1: '{"moneda":"UYU"}' });
    expect(await world.export()).toMatchObject({
      state: 'exportado',
      receipts: 2,
      appeared: 0,
      changed: 0,
      vanished: 0,
    });
    expect(await world.changes()).toEqual([]);
    expect(world.store.replaced.filter((key) => key.includes('/cambios/'))).toEqual([]);
    expect((await world.rows()).map(({ moneda, otros }) => [moneda, otros])).toEqual([
      ['UYU', null],
      ['UYU', null],
    ]);
  });

  it('records what changed in the columns that it has, and keeps what is gone as it was', async () => {
    const world = newWorld();
    world.listed = [received(1), received(2)];
    await exportedWithout(world, ['moneda'], { 2: '{"moneda":"UYU"}' });
    world.listed = [received(1, { moneda: 'USD', estado: { codigo: 'BE' } })];
    expect(await world.export()).toMatchObject({ appeared: 0, changed: 1, vanished: 1 });
    const changes = await world.changes();
    expect(changes.map(({ id, cambio, campo }) => [id, cambio, campo])).toEqual([
      [2n, 'desaparecio', null],
      [1n, 'cambio', 'estado_codigo'],
    ]);
    const [, kept] = await world.rows();
    expect(kept).toMatchObject({ id: 2n, moneda: null, otros: '{"moneda":"UYU"}' });
    expect(kept?.visto_por_ultima_vez).not.toBeNull();
  });
});
