import { describe, expect, it } from 'vitest';
import { newDetailWorld, receipt } from '../../support/export/detail-world.ts';

const LISTED_ONLY = { items: null, leido: null };

describe('a receipt whose detail can’t be had', () => {
  it.each([
    ['is not there', { status: 404, body: '{}' }, /no receipt under this id \(status 404\)/],
    ['has another id', { body: '{"id":99,"tipo_comprobante":101,"serie":"A","numero":2}' }, /another id/],
    [
      'has another type',
      { body: '{"id":2,"tipo_comprobante":111,"serie":"A","numero":2}' },
      /another tipo_comprobante/,
    ],
    [
      'has another series',
      { body: '{"id":2,"tipo_comprobante":101,"serie":"B","numero":2}' },
      /another serie /,
    ],
    [
      'has another number',
      { body: '{"id":2,"tipo_comprobante":101,"serie":"A","numero":3}' },
      /another numero/,
    ],
    [
      'has another issuer',
      { body: '{"id":2,"tipo_comprobante":101,"serie":"A","numero":2,"emisor":{"ruc":"214844360018"}}' },
      /another company/,
    ],
  ])('because it %s, keeps the row of the list with the reason', async (_name, answer, reason) => {
    const world = await newDetailWorld(3);
    world.answerFor = (id) => (id === 2 ? answer : undefined);

    const result = await world.export();

    expect(result).toMatchObject({ state: 'exportado', detailState: 'completo', receipts: 3 });
    expect(result).toMatchObject({ detailsStored: 2, detailsRead: 2, detailsUnread: 1 });
    const rows = await world.details();
    expect(rows.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
    expect(rows[1]).toMatchObject({
      ...LISTED_ONLY,
      motivo: expect.stringMatching(reason),
      tipo_comprobante: 101,
      serie: 'A',
      numero: 2,
      totales: '{"total":2.5,"total_pagar":2.5}',
      estado_dgi: '{"codigo":"AE"}',
      otros: null,
    });
    expect({ motivo: rows[0]?.motivo, items: rows[0]?.items }).toEqual({
      motivo: null,
      items: '[{"nombre":"Artículo 1"}]',
    });
  });

  it('is asked for again next time, and no other is', async () => {
    const world = await newDetailWorld(30);
    world.answerFor = (id) => (id === 7 ? { status: 404, body: '{}' } : undefined);
    await world.export();

    const second = await world.export();
    expect(world.asked).toEqual([7]);
    expect(second).toMatchObject({ detailState: 'completo', detailsStored: 29, detailsUnread: 1 });

    world.answerFor = () => undefined;
    const third = await world.export();
    expect(world.asked).toEqual([7]);
    expect(third).toMatchObject({ detailState: 'completo', detailsStored: 30, detailsUnread: 0 });
    expect((await world.details())[6]).toMatchObject({ motivo: null, items: '[{"nombre":"Artículo 7"}]' });
    await world.export();
    expect(world.asked).toEqual([]);
  });

  it.each([
    ['a failure where it is so of all', 5, 0, 'fallido'],
    ['none where it is so of all but one', 5, 1, 'completo'],
    ['none where a day has few', 4, 0, 'completo'],
  ])('is %s', async (_name, refused, had, detailState) => {
    const world = await newDetailWorld(refused + had);
    world.answerFor = (id) =>
      id <= refused ? { body: `{"id":${id},"emisor":{"ruc":"214844360018"}}` } : undefined;
    for (const asked of [refused + had, refused]) {
      const result = await world.export();
      expect(world.asked).toHaveLength(asked);
      expect(result).toMatchObject({ detailState, detailsStored: had, detailsUnread: refused });
      expect(result.detailReason).toEqual(
        detailState === 'completo'
          ? undefined
          : "5 details could not be read; motivo says why. The first: The detail is another company's.",
      );
    }
    expect(await world.details()).toHaveLength(refused + had);
  });

  it('has what the list says of it now, while there is no detail', async () => {
    const world = await newDetailWorld(2);
    world.answerFor = (id) => (id === 2 ? { status: 404, body: '{}' } : undefined);
    await world.export();
    world.listed[1] = receipt(2, { estado_dgi: { codigo: 'BE' } });
    expect(await world.export()).toMatchObject({ detailsStored: 1, detailsUnread: 1 });
    expect((await world.details())[1]).toMatchObject({ ...LISTED_ONLY, estado_dgi: '{"codigo":"BE"}' });
  });

  it('keeps the detail that was read before it changed', async () => {
    const world = await newDetailWorld(2);
    await world.export();
    const [before] = await world.details();
    world.listed[0] = receipt(1, { estado_dgi: { codigo: 'BE' } });
    world.answerFor = (id) => (id === 1 ? { status: 404, body: '{}' } : undefined);

    const result = await world.export();

    expect(result).toMatchObject({ detailsStored: 1, detailsUnread: 1 });
    const [after] = await world.details();
    expect(after).toEqual({ ...before, motivo: expect.stringMatching(/status 404/) });
  });

  it('is not one whose identifying fields are missing in the list or the detail', async () => {
    const world = await newDetailWorld(2);
    world.listed = [receipt(1, { numero: 99_999_999_999, serie: null }), receipt(2)];
    world.answerFor = (id) => ({
      body: id === 1 ? '{"id":1,"tipo_comprobante":101,"serie":"A","numero":1}' : '{"id":2,"serie":null}',
    });
    expect(await world.export()).toMatchObject({ detailsStored: 2, detailsUnread: 0 });
  });

  it('keeps every value of the list, even those that the detail has no column for', async () => {
    const world = await newDetailWorld(1);
    world.listed = [
      receipt(1, {
        numero: 99_999_999_999,
        fecha_firma: '2026-11-19T10:00:00.1234567',
        totales: { total: 12345678901234, total_pagar: -0.05, otra: [1, { a: null }] },
        receptor: { ruc: '214844360018', razon_social: 'Ñandú "SA"' },
        canal: 'web',
      }),
    ];
    world.answerFor = () => ({ status: 410, body: '' });
    await world.export();
    expect(await world.details()).toMatchObject([
      {
        id: 1n,
        numero: null,
        fecha_firma: BigInt(Date.parse('2026-11-19T10:00:00Z')) * 1000n + 123_456n,
        totales: '{"otra":[1,{"a":null}],"total":12345678901234,"total_pagar":-0.05}',
        receptor: '{"razon_social":"Ñandú \\"SA\\"","ruc":"214844360018"}',
        otros: '{"canal":"web","fecha_firma":"2026-11-19T10:00:00.1234567","numero":99999999999}',
      },
    ]);
  });
});

describe('an API that fails', () => {
  it('for one receipt among many leaves that one without detail, and the unit has failed', async () => {
    const world = await newDetailWorld(100);
    const failing = [10n, 20n, 30n, 40n, 50n, 60n];
    world.answerFor = (id) => (failing.includes(BigInt(id)) ? { status: 500 } : undefined);
    const result = await world.export();
    expect(result).toMatchObject({ state: 'exportado', detailState: 'fallido', detailsStored: 94 });
    expect(result.detailReason).toMatch(/^6 details could not be read.* status 500 \(asked 6 times\)/);
    const rows = await world.details();
    expect(rows.filter(({ motivo }) => motivo !== null).map(({ id }) => id)).toEqual(failing);
    expect(rows[9]).toMatchObject(LISTED_ONLY);

    world.answerFor = () => undefined;
    expect(await world.export()).toMatchObject({
      detailState: 'completo',
      detailsStored: 100,
      detailsRead: 6,
    });
  });

  it('for the last five receipts does not hold back the others', async () => {
    const world = await newDetailWorld(50);
    world.answerFor = (id) => (id > 45 ? { status: 500 } : undefined);
    expect(await world.export()).toMatchObject({
      detailState: 'fallido',
      detailsStored: 45,
      detailsUnread: 5,
    });
    expect(await world.details()).toHaveLength(50);
  });

  it('for the one that an earlier invocation left does not hold back what that one read', async () => {
    const world = await newDetailWorld(30);
    expect(await world.tryExport({}, { isTimeUp: () => world.asked.length >= 25 })).toBeUndefined();
    world.answerFor = () => ({ status: 500 });
    expect(await world.export()).toMatchObject({ detailState: 'fallido', detailsRead: 0 });
    const lacking = (await world.details()).filter(({ motivo }) => motivo !== null);
    expect(lacking).toHaveLength(new Set(world.asked).size);
    expect(lacking.length).toBeLessThan(6);
  });

  it('for all receipts of a small day stores none', async () => {
    const world = await newDetailWorld(3);
    world.answerFor = () => ({ status: 500 });
    expect(await world.export()).toMatchObject({ state: 'exportado', detailState: 'fallido' });
    expect(await world.details()).toEqual([]);
  });

  it('for all is given up soon, and the details stay as they were', async () => {
    const world = await newDetailWorld(100);
    await world.export();
    const before = await world.store.find(world.key);
    world.listed = world.listed.map(({ id }) => receipt(id, { estado_dgi: { codigo: 'CE' } }));
    world.answerFor = () => ({ status: 502, body: '<html>' });

    const result = await world.export();

    expect(result).toMatchObject({ state: 'exportado', changed: 100, detailState: 'fallido' });
    expect(result.detailReason).toMatch(/the ones stored before stay/);
    // Five failures in a row, and those in flight. Each is asked six times, but counted once here.
    expect(new Set(world.asked).size).toBeLessThan(5 + 4);
    expect(await world.store.find(world.key)).toEqual(before);

    world.answerFor = () => undefined;
    expect(await world.export()).toMatchObject({ detailState: 'completo', detailsRead: 100 });
  });

  it('in the middle loses nothing of what was read', async () => {
    const world = await newDetailWorld(100);
    world.answerFor = (id) => (id > 60 ? { status: 500 } : undefined);
    expect(await world.export()).toMatchObject({ state: 'exportado', detailState: 'fallido' });
    expect(await world.details()).toHaveLength(60);
    world.answerFor = () => undefined;
    expect(await world.export()).toMatchObject({
      state: 'exportado',
      detailState: 'completo',
      detailsStored: 100,
    });
    expect(world.asked.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 61));
    expect(await world.details()).toHaveLength(100);
  });

  it('by refusing the token is not asked for the rest', async () => {
    const world = await newDetailWorld(100);
    world.answerFor = () => ({ status: 401, body: '{}' });
    const result = await world.export();
    expect(result).toMatchObject({ state: 'exportado', detailState: 'fallido' });
    expect(result.detailReason).toMatch(/refused the token/);
    // Only those in flight when the first was refused.
    expect(world.asked.length).toBeLessThanOrEqual(4);
  });
});

it('values of a detail that do not fit are kept in otros and counted', async () => {
  const world = await newDetailWorld(1);
  world.fieldsOf = () => ({ items: { nombre: 'no list' }, totales: 'none', nuevo: 1, id_externo: 7 });
  const result = await world.export();
  expect(result).toMatchObject({ detailState: 'completo', conversionErrors: 3 });
  expect(await world.details()).toMatchObject([
    {
      items: null,
      totales: null,
      id_externo: null,
      motivo: null,
      otros: '{"id_externo":7,"items":{"nombre":"no list"},"nuevo":1,"totales":"none"}',
    },
  ]);
});
