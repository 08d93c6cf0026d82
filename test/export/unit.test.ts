import { describe, expect, it } from 'vitest';
import type { ExportTools } from '../../lib/export/export-tools.ts';
import { readFileMetadata } from '../../lib/lake/parquet/reader.ts';
import { CONTENT_HASH } from '../../lib/lake/rows/receipt-rows.ts';
import { ROW_COUNT } from '../../lib/lake/stored-rows.ts';
import { newClient } from '../support/api/api-client.ts';
import { type ServedApi, servedApi, type WireReceipt } from '../support/api/fake-api.ts';
import { exportTools } from '../support/export/export-tools.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { DAY, issued, newWorld, RUT, received } from '../support/export/unit-world.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const receipt = (id: number, changes: Partial<WireReceipt> = {}) =>
  received(id, { totales: { total: id + 0.25 }, ...changes });
const receipts = (count: number) => Array.from({ length: count }, (_, index) => receipt(index + 1));

describe('a unit', () => {
  it.each([
    ['recibidos', received, { type: 111, currency: 'UYU', total: '266997.50' }, 'Empresa SRL'],
    ['emitidos', issued, { type: 101, currency: null, total: '266997.50' }, undefined],
  ] as const)('is exported whole: %s', async (direction, made, totals, companyName) => {
    const world = newWorld(direction);
    world.listed = receipts(730).map(({ id, totales }) => made(id, { totales }));
    world.api.beforeAnswer = async (request) => {
      if (request === 1) await world.clock.advance(1000);
    };
    const { sha256, bytes, ...result } = await world.export();
    expect(result).toEqual({
      ...world.unit,
      state: 'exportado',
      receipts: 730,
      isStable: true,
      conversionErrors: 0,
      isFirstReading: true,
      appeared: 0,
      changed: 0,
      vanished: 0,
      rejected: 0,
      retries: 0,
      requests: world.api.requestCount,
      pages: world.api.requestCount,
      totals: [{ ...totals, receipts: 730, withoutTotal: 0 }],
      companyName,
      startedAt: '2026-11-20T07:00:00',
      endedAt: '2026-11-20T07:00:01',
    });
    const rows = await world.rows();
    expect(rows.map(({ id, rut, totales_total }) => [id, rut, totales_total])).toEqual(
      receipts(730).map(({ id }) => [BigInt(id), RUT, BigInt(id) * 100n + 25n]),
    );
    expect(await world.store.find(world.key)).toMatchObject({
      byteCount: bytes,
      metadata: {
        [CONTENT_HASH]: sha256,
        [ROW_COUNT]: '730',
        'cfe-lake.writes': expect.stringContaining('"primera_lectura":true'),
      },
    });
    // No changes were staged with it.
    const { metadata } = await readFileMetadata(await world.store.open(world.key));
    expect(metadata).toStrictEqual({ [CONTENT_HASH]: sha256, [ROW_COUNT]: '730' });
  });

  it('with the same content is not written again, in whatever order it comes', async () => {
    const world = newWorld();
    world.listed = receipts(250);
    const first = await world.export();
    const before = await world.store.find(world.key);
    world.listed.reverse();
    const second = await world.export();
    expect(second).toMatchObject({ state: 'sin_cambios', receipts: 250, bytes: 0, sha256: first.sha256 });
    expect(await world.store.find(world.key)).toEqual(before);
  });

  it('without receipts is empty and leaves no object', async () => {
    const world = newWorld();
    const { requests, pages, startedAt: _start, endedAt: _end, ...result } = await world.export();
    expect({ requests, pages }).toEqual({ requests: world.api.requestCount, pages: requests });
    expect(result).toEqual({
      ...world.unit,
      state: 'vacio',
      receipts: 0,
      isStable: true,
      isFirstReading: false,
      bytes: 0,
      conversionErrors: 0,
      appeared: 0,
      changed: 0,
      vanished: 0,
      rejected: 0,
      retries: 0,
    });
    expect(await world.store.find(world.key)).toBeUndefined();
  });

  it('has its odd values counted and kept', async () => {
    const world = newWorld();
    world.listed = [receipt(1, { numero: 'siete', totales: { total: 0.125 }, nuevo: 1 }), receipt(2)];
    expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 2, conversionErrors: 2 });
    expect((await world.rows())[0]).toMatchObject({
      numero: null,
      totales_total: null,
      otros: '{"nuevo":1,"numero":"siete","totales.total":0.125}',
    });
  });
});

describe('a unit that fails', () => {
  it.each([
    ['recibidos', received, { receptor: { nro_doc: '211003420017' } }, 'recipient'],
    ['emitidos', issued, { emisor: { ruc: '211003420017' } }, 'issuer'],
  ] as const)(
    'by another company’s receipt leaves its object as it was: %s',
    async (direction, made, otherParty, party) => {
      const world = newWorld(direction);
      world.listed = [made(1), made(2), made(3)];
      await world.export();
      const before = await world.store.find(world.key);
      world.listed = [made(1), made(2, otherParty)];
      const {
        pages: _pages,
        requests: _requests,
        startedAt: _start,
        endedAt: _end,
        ...result
      } = await world.export();
      expect(result).toEqual({
        ...world.unit,
        state: 'fallido',
        conversionErrors: 0,
        bytes: 0,
        retries: 0,
        error: expect.stringContaining(`receipt 2 has another company as its ${party}`),
      });
      expect(await world.store.find(world.key)).toEqual(before);
    },
  );

  const unforeseen = (words: string) =>
    `recibidos of ${RUT}, day ${DAY}: unexpected error (${words}). What was stored before is unchanged. ` +
    'Report the error with this sentence.';

  it.each<[unknown, string]>([
    [new Error('the disk is full'), 'the disk is full'],
    ['no words', 'no words'],
    [
      new TypeError("Cannot read 'a.b' of undefined."),
      unforeseen("TypeError: Cannot read 'a.b' of undefined"),
    ],
    [new SyntaxError('Unexpected token "a secret"'), unforeseen('SyntaxError')],
  ])('says of what, and if nobody foresaw it, what to do: %s', async (thrown, error) => {
    const world = newWorld();
    world.listed = receipts(3);
    const writer: ExportTools['writer'] = () => {
      throw thrown;
    };
    const result = await exportUnit(world.unit, world.tools({ writer }));
    expect(result).toMatchObject({ state: 'fallido', error });
    expect(world.store.replaced).toEqual([]);
  });

  it('still counts its requests: of the day with the next one, and by itself', async () => {
    const server = await servedApi();
    server.statusFor = () => 500;
    expect(await exportServed(server)).toMatchObject({
      state: 'fallido',
      requests: 12,
      retries: 10,
      pages: 0,
    });
  });
});

it('a list of as many receipts as one may have is stored, and the look at the day after it is no fault', async () => {
  const server = await servedApi();
  server.lists.recibidos = [
    ...receipts(200),
    ...receipts(100).map(({ id }) =>
      receipt(1_000 + id, { numero: id, fecha_emision: '2026-11-20T00:00:00' }),
    ),
  ];
  expect(await exportServed(server)).toMatchObject({ state: 'exportado', receipts: 200 });
});

function exportServed(server: ServedApi) {
  const clock = new HurriedClock();
  const tools = exportTools({
    client: newClient(server.address, { clock, maxRowsPerList: 200 }),
    store: new MemoryStore(() => clock.now()),
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    clock,
  });
  return exportUnit({ rut: RUT, direction: 'recibidos', day: DAY }, tools);
}
