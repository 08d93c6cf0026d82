import { describe, expect, it } from 'vitest';
import { HttpStatusError, PagingFaultError, UnexpectedBodyError } from '../../../lib/api/errors.ts';
import { apiPages } from '../../../lib/api/list/api-pages.ts';
import { windowOf } from '../../../lib/api/list/page.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { type ClientSettings, DAY, freePermits, newClient, RUT } from '../../support/api/api-client.ts';
import { type Answer, inTurn, json, type Responder, startHttpServer } from '../../support/api/http-server.ts';

const FILTERS = { FechaDesde: DAY, FechaHasta: DAY };

async function newSource(
  respond: Responder,
  direction: Direction = 'recibidos',
  signal?: AbortSignal,
  settings: ClientSettings = {},
) {
  const server = await startHttpServer(respond);
  const client = newClient(server.address, settings);
  return { server, client, source: apiPages(client, direction, FILTERS, { signal }) };
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
    const ids = [1, 9007199254740993n];
    const envelope = { unknown: ['nuevo'] };
    expect(came).toMatchObject({ pageNumber: 2, ids, items: [{ id: 1 }, {}], envelope });
    expect(client.counts).toEqual({ requests: 2, retries: 1, pages: 1 });
  });

  it('that says another number than the one asked for is a fault, also where it has no rows', async () => {
    const { source, server } = await newSource(inTurn(page(7, 1), page(1)));
    await expect(source.read(windowOf(1, 100))).rejects.toThrow('page 1 (100 rows a page) came as page 7');
    await expect(source.read(windowOf(2, 50))).rejects.toThrow(PagingFaultError);
    expect(server.requests).toHaveLength(2);
  });

  it('with rows past what any company has fails, and without rows is the end', async () => {
    const answers = inTurn(page(5, 1), page(6, 2), page(6, 2), page(6));
    const { source } = await newSource(answers, 'recibidos', undefined, { maxRowsPerList: 500 });
    expect(await source.read(windowOf(5, 100))).toMatchObject({ ids: [1] });
    const past = await source.read(windowOf(6, 100)).catch((error: unknown) => error);
    expect(String(past)).toContain(
      `recibidos of ${RUT}, day ${DAY}, page 6: the list goes on past 500 rows. Nothing`,
    );
    expect(await source.read(windowOf(6, 100), { isGlance: true })).toMatchObject({ ids: [2] });
    expect(await source.read(windowOf(6, 100))).toMatchObject({ ids: [] });
  });

  it('that brings more bytes than a list may have fails', async () => {
    const body = '{"items":[],"page_number":1}';
    const settings = { maxBytesPerList: 2 * body.length };
    const { source } = await newSource(() => ({ body }), 'recibidos', undefined, settings);
    for (const _ of [1, 2])
      expect(await source.read(windowOf(1, 100))).toMatchObject({ byteCount: body.length });
    await expect(source.read(windowOf(1, 100))).rejects.toThrow('more than 0 MB of rows');
  });

  it.each([
    ['the first, of a list that can be divided', 1, true, 2],
    ['the first, of one that can not', 1, false, 6],
    ['a later one', 2, true, 18],
  ])('that does not come is asked for again: %s', async (_what, pageNumber, isDivisible, times) => {
    const hang = () => ({ fault: 'hang' }) as const;
    const { client } = await newSource(hang, 'recibidos', undefined, { requestTimeoutMs: 2 });
    const source = apiPages(client, 'recibidos', FILTERS, { isDivisible });
    const outcome = source.read(windowOf(pageNumber, 100));
    await expect(outcome).rejects.toThrow(`(asked ${times} times)`);
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

  it.each(['null', '{"page_number":1}', '{"items":{},"page_number":1}', '{"items":[],"page_number":"1"}'])(
    'is not %s',
    async (body) => {
      const { source, server, client } = await newSource(() => ({ body }));
      const outcome = source.read(windowOf(1, 100));
      await expect(outcome).rejects.toThrow(UnexpectedBodyError);
      await expect(outcome).rejects.toThrow(`day ${DAY}, page 1: the API's answer could not be read`);
      expect({ requests: server.requests.length, pages: client.counts.pages }).toEqual({
        requests: 6,
        pages: 0,
      });
    },
  );
});

it.each([
  [FILTERS, DAY],
  [{ FechaDesde: DAY }, DAY],
  [{ ...FILTERS, FechaHasta: '2026-11-21' }, `${DAY}..2026-11-21`],
  [{ FechaHasta: DAY }, undefined],
])('an error of a list names its days: %o', async (filters, day) => {
  const { client } = await newSource(() => page(1));
  expect(apiPages(client, 'recibidos', filters).context.day).toBe(day);
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

it('that is read ahead waits behind the pages of all lists, until it is needed; each list in its turn', async () => {
  const { client } = await newSource(({ query }) => page(Number(query.get('PageNumber'))));
  const permits = await Promise.all(Array.from({ length: 8 }, () => client.limiter.acquire()));
  const order: string[] = [];
  const turns = [
    { name: 'later list, ahead', rank: 2, ahead: { isNeeded: false } },
    { name: 'list, ahead', rank: 1, ahead: { isNeeded: false } },
    { name: 'later list, needed', rank: 2, ahead: { isNeeded: false } },
    { name: 'list', rank: 1, ahead: undefined },
    { name: 'last list', rank: 3, ahead: undefined },
  ];
  const read = turns.map(async ({ name, rank, ahead }) => {
    const source = apiPages(client, 'recibidos', FILTERS, { rank });
    await source.read(windowOf(1, 100), { ahead });
    order.push(name);
  });
  Object.assign(turns[2]?.ahead ?? {}, { isNeeded: true });
  permits[0]?.('answered');
  await Promise.all(read);
  expect(order).toEqual(['list', 'later list, needed', 'last list', 'list, ahead', 'later list, ahead']);
});

it('a page that is given up ends with the signal of the page, or else with that of the list, and gives the permit back', async () => {
  for (const isWhole of [true, false]) {
    const whole = new AbortController();
    const single = new AbortController();
    const { source, client } = await newSource(() => ({ fault: 'hang' }), 'emitidos', whole.signal);
    const outcome = source.read(windowOf(1, 100), isWhole ? {} : { signal: single.signal });
    (isWhole ? whole : single).abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    expect(await freePermits(client)).toBe(source.maxInFlight);
  }
});
