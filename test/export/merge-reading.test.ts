import { describe, expect, it } from 'vitest';
import { noFacts } from '../../lib/export/reading/service-facts.ts';
import { issued, newWorld, RUT, received, type UnitWorld } from '../support/export/unit-world.ts';

const WHOLE_ROW = {
  id: '2',
  rut: RUT,
  tipo_comprobante: '111',
  serie: 'A',
  numero: '2',
  forma_pago: '1',
  moneda: 'UYU',
  fecha_emision: '2026-11-19T00:00:00',
  fecha_firma: '2026-11-19T10:11:12.5',
  emisor_ruc: '214844360018',
  emisor_razon_social: 'Proveedor SA',
  receptor_nro_doc: RUT,
  receptor_denominacion: 'Empresa SRL',
  totales_total: '122.50',
  totales_total_pagar: '122.50',
  estado_codigo: 'AE',
};

/** A world whose lake has received receipts of these ids. */
async function exported(...ids: readonly number[]): Promise<UnitWorld> {
  const world = newWorld();
  world.listed = ids.map((id) => received(id));
  await world.export();
  return world;
}

/** `2026-11-20T06:00:00` in local time, plus this many hours. */
function localMicros(hours: number): bigint {
  return BigInt(Date.UTC(2026, 10, 20, 6 + hours)) * 1000n;
}

describe('a receipt that is gone from the list', () => {
  it('is read once more, kept and marked, counted by the audit and recorded in cambios', async () => {
    const world = await exported(1, 2, 3, 4);
    const before = await world.rows();

    world.listed = [1, 3, 4].map((id) => received(id));
    expect(await world.export()).toMatchObject({
      state: 'exportado',
      receipts: 3,
      isStable: true,
      appeared: 0,
      changed: 0,
      vanished: 1,
      rejected: 0,
      isFirstReading: false,
    });
    expect({ firstPageCount: world.api.firstPageCount, detailsAsked: world.api.detailsAsked }).toEqual({
      firstPageCount: 2,
      detailsAsked: [],
    });
    const kept = { ...before[1], visto_por_ultima_vez: localMicros(1) };
    expect(await world.rows()).toEqual([before[0], kept, before[2], before[3]]);
    expect((await world.audit()).map(({ desaparecidas, filas }) => [filas, desaparecidas])).toEqual([
      [4n, 0n],
      [3n, 1n],
    ]);
    const [change, ...others] = await world.changes();
    expect(others).toEqual([]);
    expect(change).toEqual({
      corrida: '20261120020000-00000002',
      momento: localMicros(2),
      rut: RUT,
      direccion: 'recibidos',
      fecha: Date.UTC(2026, 10, 19) / 86_400_000,
      id: 2n,
      emisor_ruc: '214844360018',
      tipo_comprobante: 111,
      serie: 'A',
      numero: 2,
      cambio: 'desaparecio',
      campo: null,
      antes: expect.any(String),
      despues: null,
    });
    expect(JSON.parse(String(change?.antes))).toEqual(WHOLE_ROW);

    // It stays marked as it is, and nothing is written, while the list stays the same.
    const marked = await world.rows();
    const writes = world.store.replaced.length;
    for (let night = 0; night < 2; night += 1) {
      const result = await world.export();
      expect(result).toMatchObject({ state: 'sin_cambios', receipts: 3, vanished: 0, bytes: 0 });
      // No second reading: the receipt is known to be gone.
      expect(world.api.firstPageCount).toBe(1);
    }
    expect(await world.rows()).toEqual(marked);
    expect(await world.changes()).toEqual([change]);
    expect(world.store.replaced.slice(writes).filter((key) => !key.includes('exportaciones/'))).toEqual([]);
  });

  it('is not taken for gone when the second reading has it', async () => {
    const world = await exported(1, 2, 3, 4);
    world.listed = [1, 3, 4].map((id) => received(id));
    world.api.beforeAnswer = () => {
      if (world.api.firstPageCount === 2) world.listed = [1, 2, 3, 4].map((id) => received(id));
    };
    const result = await world.export();
    expect(result).toMatchObject({ state: 'sin_cambios', receipts: 4, vanished: 0, isStable: true });
    expect(await world.changes()).toEqual([]);
  });

  it('is recorded as back when it is listed again, with what changed meanwhile, if anything', async () => {
    const world = await exported(1, 2, 3);
    world.listed = [received(1)];
    await world.export();
    world.listed = [received(1), received(2, { estado: { codigo: 'BE' } }), received(3)];
    expect(await world.export()).toMatchObject({
      state: 'exportado',
      receipts: 3,
      appeared: 0,
      changed: 2,
      vanished: 0,
      rejected: 1,
    });
    const [, back] = await world.rows();
    expect(back).toMatchObject({ estado_codigo: 'BE', visto_por_ultima_vez: null });
    const changes = (await world.changes()).filter(({ corrida }) => corrida === '20261120020000-00000003');
    expect(
      changes.map(({ id, cambio, campo, antes, despues }) => ({ id, cambio, campo, antes, despues })),
    ).toEqual([
      { id: 2n, cambio: 'reaparecio', campo: null, antes: null, despues: expect.any(String) },
      { id: 2n, cambio: 'cambio', campo: 'estado_codigo', antes: 'AE', despues: 'BE' },
      { id: 3n, cambio: 'reaparecio', campo: null, antes: null, despues: expect.any(String) },
    ]);
    expect(JSON.parse(String(changes[0]?.despues))).toEqual({ ...WHOLE_ROW, estado_codigo: 'BE' });
    expect(await world.export()).toMatchObject({ state: 'sin_cambios' });
  });

  it('is not called gone, and stays as it was, where its list may be cut and no other list tells', async () => {
    const world = await exported(...Array.from({ length: 60 }, (_, index) => index + 1));
    const before = await world.rows();
    // The first 50 rows of any list are shown, and lists of a type are refused.
    Object.assign(world.api, { resultWindow: 50, pageCap: 50, typesRefused: 400 });
    world.facts.recibidos = noFacts();
    world.listed[0] = received(1, { estado: { codigo: 'BE' } });
    expect(await world.export()).toMatchObject({ changed: 1, vanished: 0, isStable: false });
    expect((await world.changes()).map(({ id, cambio }) => [id, cambio])).toEqual([[1n, 'cambio']]);
    expect((await world.rows()).slice(1)).toEqual(before.slice(1));
  });

  it('is kept when the whole list is empty', async () => {
    const world = await exported(...Array.from({ length: 70 }, (_, index) => index + 1));
    world.listed = [];
    expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 0, vanished: 70 });
    const rows = await world.rows();
    expect(rows.map(({ visto_por_ultima_vez: mark }) => mark)).toEqual(Array(70).fill(localMicros(1)));
    expect(await world.export()).toMatchObject({ state: 'sin_cambios', receipts: 0, vanished: 0 });
  });
});

it('what two readings find between them is kept whole when the second lacks what the first had, and the audit says so', async () => {
  const world = await exported(1, 2, 4);
  // The first reading has 3 and lacks 2; the second has 2 and lacks 3.
  world.listed = [1, 3, 4].map((id) => received(id));
  world.api.beforeAnswer = () => {
    if (world.api.firstPageCount === 2) world.listed = [1, 2, 4].map((id) => received(id));
  };
  expect(await world.export()).toMatchObject({
    state: 'exportado',
    receipts: 4,
    isStable: false,
    appeared: 1,
    changed: 0,
    vanished: 0,
  });
  expect((await world.rows()).map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n]);
  expect((await world.changes()).map(({ id, cambio }) => [id, cambio])).toEqual([[3n, 'aparecio']]);
});

describe('an id that comes twice', () => {
  it.each([
    [{ tipo_comprobante: 101 }, 'fallido'],
    [{ serie: 'B' }, 'fallido'],
    [{ numero: 9 }, 'fallido'],
    [{ emisor: { ruc: '219999830019' } }, 'fallido'],
    // What either lacks is no contradiction.
    [{ serie: null }, 'exportado'],
  ])(
    'in two readings that must both be kept, and is two receipts, fails the unit: %o',
    async (other, state) => {
      const world = await exported(1, 2, 4);
      world.listed = [1, 3, 4].map((id) => received(id));
      world.api.beforeAnswer = () => {
        if (world.api.firstPageCount === 2) world.listed = [received(1), received(2), received(4, other)];
      };
      const result = await world.export();
      const words = 'two different receipts have the id 4';
      expect({ state: result.state, isTold: result.error?.includes(words) ?? false }).toEqual({
        state,
        isTold: state === 'fallido',
      });
    },
  );

  it('with other contents is read again', async () => {
    const world = newWorld();
    const other = received(2, { serie: null });
    const changed = [received(1), received(2), other];
    world.listed = changed;
    // It changed while it was read.
    world.api.beforeAnswer = (request) => {
      world.listed = request === 1 ? changed : [received(1), other];
    };
    expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 2, isStable: true });
    world.api.beforeAnswer = () => undefined;
    world.listed = changed;
    const { state, error } = await world.export();
    expect({ state, error }).toEqual({
      state: 'fallido',
      error: expect.stringContaining('the list has receipt 2 twice, with different contents'),
    });
    expect(await world.rows()).toHaveLength(2);
  });
});

describe('a receipt that changed', () => {
  it('has one row in cambios for each field, with the exact text before and after', async () => {
    const world = newWorld();
    const large = 900_719_925_474_099;
    world.listed = [received(1), received(2), received(large, { numero: 5 })];
    await world.export();
    world.listed = [
      received(1),
      received(2, {
        tipo_comprobante: 112,
        moneda: null,
        fecha_firma: '2026-11-19T23:59:59.1234567',
        totales: { total: 0.05, total_pagar: -1234567890123.45 },
        nuevo: { a: [1, '☃'] },
      }),
      received(large, { numero: null, emisor: { ruc: '214844360018', razon_social: 'Proveedor "Ñ" SA' } }),
    ];
    const result = await world.export();
    expect(result).toMatchObject({ state: 'exportado', appeared: 0, changed: 2, vanished: 0 });
    // Nothing is gone.
    expect(world.api.firstPageCount).toBe(1);
    const changes = await world.changes();
    expect(
      changes.map(({ id, cambio, campo, antes, despues }) => [id, cambio, campo, antes, despues]),
    ).toEqual([
      [2n, 'cambio', 'tipo_comprobante', '111', '112'],
      [2n, 'cambio', 'moneda', 'UYU', null],
      [2n, 'cambio', 'fecha_firma', '2026-11-19T10:11:12.5', '2026-11-19T23:59:59.123456'],
      [2n, 'cambio', 'totales_total', '122.50', '0.05'],
      [2n, 'cambio', 'totales_total_pagar', '122.50', '-1234567890123.45'],
      [2n, 'cambio', 'otros', null, '{"fecha_firma":"2026-11-19T23:59:59.1234567","nuevo":{"a":[1,"☃"]}}'],
      [BigInt(large), 'cambio', 'numero', '5', null],
      [BigInt(large), 'cambio', 'emisor_razon_social', 'Proveedor SA', 'Proveedor "Ñ" SA'],
    ]);
  });

  it('is recorded under the issuer’s own RUT in emitidos, with both statuses', async () => {
    const world = newWorld('emitidos');
    world.listed = [issued(7)];
    await world.export();
    world.listed = [issued(7, { estado_receptor: { codigo: 'ACEPTADO' }, estado_dgi: { codigo: 'BE' } })];
    await world.export();
    const changes = await world.changes();
    expect(changes.map(({ campo, antes, despues }) => [campo, antes, despues])).toEqual([
      ['estado_receptor_codigo', null, 'ACEPTADO'],
      ['estado_dgi_codigo', 'AE', 'BE'],
    ]);
    expect(changes[0]).toMatchObject({ emisor_ruc: RUT, direccion: 'emitidos', serie: 'B', numero: 7 });
  });
});
