import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRows, rowOf } from '../../lib/audit/row.ts';
import { changesOfRun } from '../../lib/audit/run-changes.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { batchOf } from '../support/audit-row.ts';
import { newDetailWorld } from '../support/export/detail-world.ts';
import { issued, newWorld, received } from '../support/export/unit-world.ts';

const { columns } = EXPORTACIONES;

function foundIn(...results: readonly UnitResult[]) {
  const changes = changesOfRun();
  for (const result of results) {
    const stored = rowOf({ id: '20261120020000-nocturna', day: '2026-11-20' }, result);
    for (const row of parseRows(columns, batchOf(columns, [stored]))) changes.add(row);
  }
  return changes.total();
}

/** A list: the status of each receipt that it has. */
const list = fc.dictionary(fc.constantFrom('1', '2', '3', '4'), fc.constantFrom('AE', 'BE'));

describe('what a run found of a unit', () => {
  it('is every receipt once as new and, of those that are rejected, each time that it becomes so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(list, { maxLength: 5 }), async (lists) => {
        const world = newWorld();
        // The last status that the lake has of a receipt.
        const known = new Map<string, string>();
        for (const statuses of lists) {
          const listed = Object.entries(statuses);
          world.listed = listed.map(([id, codigo]) => received(Number(id), { estado: { codigo } }));
          const found = foundIn(await world.export());
          const isRejected = ([id, status]: [string, string]) => status === 'BE' && known.get(id) !== 'BE';
          expect({ fresh: found.fresh, rejected: found.rejected }).toEqual({
            fresh: listed.filter(([id]) => !known.has(id)).length,
            rejected: listed.filter(isRejected).length,
          });
          for (const [id, status] of listed) known.set(id, status);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('says in the audit which reading was the first, and goes by the tax authority’s status in emitidos', async () => {
    const world = newWorld('emitidos');
    const rejected = { estado_dgi: { codigo: 'BE' }, estado_receptor: { codigo: 'AE' } };
    expect(await world.export()).toMatchObject({ state: 'vacio', isFirstReading: false, rejected: 0 });
    world.listed = [issued(1, rejected), issued(2, { estado_receptor: { codigo: 'BE' } })];
    expect(await world.export()).toMatchObject({ isFirstReading: true, appeared: 0, rejected: 1 });
    world.listed = [...world.listed, issued(3, rejected)];
    expect(await world.export()).toMatchObject({ isFirstReading: false, appeared: 1, rejected: 1 });
    expect(
      (await world.audit()).map(({ primera_lectura, rechazadas }) => [primera_lectura, rechazadas]),
    ).toEqual([
      [false, 0n],
      [true, 1n],
      [false, 1n],
    ]);
  });

  it('is told again by an invocation that follows one which was killed before its audit', async () => {
    const world = newWorld();
    const run = { id: 'run-killed', day: '2026-11-20' } as const;
    world.listed = [received(1), received(2, { estado: { codigo: 'BE' } })];
    await world.export({ run });
    world.listed = [...world.listed, received(3)];
    const second = await world.export({ run });
    expect(second).toMatchObject({ isFirstReading: true, appeared: 1, rejected: 1 });
    expect(foundIn(second)).toMatchObject({ fresh: 3, rejected: 1 });
    expect(foundIn(await world.export())).toMatchObject({ fresh: 0, rejected: 0 });
  });
});

describe('a field that the contract does not name', () => {
  it('is in the audit of each reading, also of one that changed nothing', async () => {
    const world = newWorld();
    world.listed = [received(1, { nuevo: 1 }), received(2), received(3, { nuevo: { inner: 2 } })];
    await world.export();
    expect(await world.export()).toMatchObject({ state: 'sin_cambios' });
    const fields = '{"nuevo":2}';
    expect((await world.audit()).map(({ campos_desconocidos }) => campos_desconocidos)).toEqual([
      fields,
      fields,
    ]);
    world.listed = [received(1), received(2), received(3)];
    expect((await world.export()).unknownFields).toBeUndefined();
  });

  it('is told of details when they are read', async () => {
    const world = await newDetailWorld(3);
    world.fieldsOf = (id) => (id === 2 ? {} : { nuevo: 1, totales: 'misfit' });
    expect((await world.export()).unknownFields).toEqual(new Map([['detalle:nuevo', 2]]));
    expect((await world.export()).unknownFields).toBeUndefined();
  });
});
