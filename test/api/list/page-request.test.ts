import { describe, expect, it } from 'vitest';
import { HttpStatusError, PagingFaultError, UnexpectedBodyError } from '../../../lib/api/errors.ts';
import { windowOf } from '../../../lib/api/list/page.ts';
import { apiPages } from '../../../lib/api/list/page-request.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { DAY, freePermits, newClient, RUT } from '../../support/api/api-client.ts';
import { type Answer, inTurn, json, type Responder, startHttpServer } from '../../support/api/http-server.ts';

async function newSource(respond: Responder, direction: Direction = 'recibidos', signal?: AbortSignal) {
  const server = await startHttpServer(respond);
  const client = newClient(server.address);
  const filters = { FechaDesde: DAY, FechaHasta: DAY };
  const source = apiPages(client, direction, filters, signal);
  return { server, client, source };
}

const page = (pageNumber: number, ...ids: number[]): Answer =>
  json({ items: ids.map((id) => ({ id })), page_number: pageNumber, page_size: ids.length });

describe('a page', () => {
  it.each([
    ['recibidos', 'PageNumber', 'PageSize'],
    ['emitidos', 'pageNumber', 'pageSize'],
  ] as const)('of %s is asked for as %s and %s', async (direction, number, size) => {
    const { server, source } = await newSource(inTurn(page(3, 7)), direction);
    await source.read(windowOf(3, 97));
    expect(server.requests[0]?.path).toBe(`/v2/consulta/comprobantes/${direction}`);
    expect([...(server.requests[0]?.query ?? [])]).toEqual([
      ['FechaDesde', DAY],
      ['FechaHasta', DAY],
      [number, '3'],
      [size, '97'],
    ]);
  });

  it('comes as it is, its ids exact, and is counted', async () => {
    const body = '{"items":[{"id":1},{"id":9007199254740993}],"page_number":2,"page_size":"?","nuevo":1}';
    const { source, client } = await newSource(inTurn({ status: 500 }, { body }));
    const came = await source.read(windowOf(2, 100));
    expect({ pageNumber: came.pageNumber, ids: came.ids, firstItem: came.items[0] }).toEqual({
      pageNumber: 2,
      ids: [1, 9007199254740993n],
      firstItem: { id: 1 },
    });
    expect(client.counts).toEqual({ requests: 2, retries: 1, pages: 1 });
  });

  it('that says another number than the one asked for is a fault, also where it has no rows', async () => {
    const { source, server } = await newSource(inTurn(page(7, 1), page(1)));
    await expect(source.read(windowOf(1, 100))).rejects.toThrow('page 1 (100 rows a page) came as page 7');
    await expect(source.read(windowOf(2, 50))).rejects.toThrow(PagingFaultError);
    expect(server.requests).toHaveLength(2);
  });

  it('with rows past what any company has fails, and without rows is the end', async () => {
    const server = await startHttpServer(inTurn(page(5, 1), page(6, 2), page(6)));
    const client = newClient(server.address, { maxRowsPerList: 500 });
    const filters = { FechaDesde: DAY, FechaHasta: DAY };
    const source = apiPages(client, 'recibidos', filters);
    expect(await source.read(windowOf(5, 100))).toMatchObject({ ids: [1] });
    const past = await source.read(windowOf(6, 100)).catch((error: unknown) => error);
    expect(String(past)).toContain(
      `recibidos of ${RUT}, day ${DAY}, page 6: the list goes on past 500 rows. Nothing`,
    );
    expect(await source.read(windowOf(6, 100))).toMatchObject({ ids: [] });
  });

  it.each([400, 404, 416])('past the first one is empty where the API answers %i', async (status) => {
    const { source, client } = await newSource(inTurn({ status, body: '{"message":"no such page"}' }));
    expect(await source.read(windowOf(5, 100))).toEqual({ pageNumber: 5, items: [], ids: [] });
    expect(client.counts.pages).toBe(1);
  });

  it.each([400, 422])('of one row that is answered with %i was refused for its size', async (status) => {
    const { source } = await newSource(() => ({ status }));
    for (const pageNumber of [1, 5])
      expect(await source.read(windowOf(pageNumber, 1))).toMatchObject({ ids: [], isRefused: true });
  });

  it.each([400, 404, 416])('is an error where the first one is answered with %i', async (status) => {
    const { source } = await newSource(inTurn({ status }));
    await expect(source.read(windowOf(1, 100))).rejects.toThrow(HttpStatusError);
  });

  it.each([401, 403, 429, 500])('is never empty because of a status %i', async (status) => {
    const { source } = await newSource(() => ({ status }));
    await expect(source.read(windowOf(5, 100))).rejects.toThrow(new RegExp(`status ${status}`));
  });

  it.each([
    '{}',
    'null',
    '{"page_number":1}',
    '{"items":{},"page_number":1}',
    '{"items":[],"page_number":"1"}',
  ])('is not %s', async (body) => {
    const { source, server, client } = await newSource(() => ({ body }));
    const outcome = source.read(windowOf(1, 100));
    await expect(outcome).rejects.toThrow(UnexpectedBodyError);
    await expect(outcome).rejects.toThrow(`day ${DAY}, page 1: the API's answer could not be read`);
    expect({ requests: server.requests.length, pages: client.counts.pages }).toEqual({
      requests: 6,
      pages: 0,
    });
  });
});

it.each(['{}', '{"id":1.5}', '{"id":"x"}', '{"id":9223372036854775808}', 'null', '[7]'])(
  'a row without a usable id is an error that names page and position: %s',
  async (row) => {
    const { source, server } = await newSource(() => ({
      body: `{"items":[{"id":1},${row}],"page_number":4}`,
    }));
    const outcome = source.read(windowOf(4, 100));
    await expect(outcome).rejects.toThrow(
      `recibidos of ${RUT}, day ${DAY}, page 4: the row at position 2 of the page has no usable id`,
    );
    expect(server.requests).toHaveLength(1);
  },
);

it('that is read ahead waits behind the pages of all lists, until it is needed', async () => {
  const { source, client } = await newSource(({ query }) => page(Number(query.get('PageNumber'))));
  const permits = await Promise.all(Array.from({ length: 8 }, () => client.limiter.acquire()));
  const order: number[] = [];
  const turns = [{ isNeeded: false }, undefined, { isNeeded: false }];
  const read = turns.map(async (ahead, index) => {
    await source.read(windowOf(index + 1, 100), { ahead });
    order.push(index);
  });
  Object.assign(turns[2] ?? {}, { isNeeded: true });
  permits[0]?.('answered');
  await Promise.all(read);
  expect(order).toEqual([1, 2, 0]);
});

it('a page that is given up ends with the signal of the page, or else with that of the list, and gives the permit back', async () => {
  for (const isWhole of [true, false]) {
    const whole = new AbortController();
    const one = new AbortController();
    const { source, client } = await newSource(() => ({ fault: 'hang' }), 'emitidos', whole.signal);
    const outcome = source.read(windowOf(1, 100), isWhole ? {} : { signal: one.signal });
    (isWhole ? whole : one).abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    expect(await freePermits(client)).toBe(source.maxInFlight);
  }
});
