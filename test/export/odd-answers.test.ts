import { expect, it } from 'vitest';
import type { ApiClient, ApiRequest } from '../../lib/api/client.ts';
import { isJsonObject } from '../../lib/text/exact-json.ts';
import { LISTED_ON } from '../support/api/fake-api.ts';
import { DAY, newWorld, received, type UnitWorld } from '../support/export/unit-world.ts';

/** The members that each page has besides the contract's. */
type Members = (page: { isEmpty: boolean }) => object;

/** Exports the unit, whose pages have these members too. */
async function exportWith(world: UnitWorld, members: Members) {
  return await world.export({ client: withMembers(world.api.client(), members) });
}

function withMembers(client: ApiClient, members: Members): ApiClient {
  const get = client.get.bind(client);
  client.get = <T>(request: ApiRequest<T>) =>
    get({
      ...request,
      decode: (body, bytes) => {
        if (!isJsonObject(body) || !Array.isArray(body.items)) return request.decode(body, bytes);
        const page = { isEmpty: body.items.length === 0 };
        return request.decode({ ...body, ...members(page) }, bytes);
      },
    });
  return client;
}

/** A unit with three receipts stored, of which the API lists two now. */
async function shrunk(): Promise<UnitWorld> {
  const world = newWorld();
  world.listed = [received(1), received(2), received(3)];
  await world.export();
  world.listed = [received(1), received(2)];
  return world;
}

it.each<[string, Members, string]>([
  ['more on its last page', ({ isEmpty }) => ({ isTruncated: !isEmpty }), '`isTruncated`'],
  ['a next page', ({ isEmpty }) => ({ NextPageToken: isEmpty ? null : 'QX' }), '`NextPageToken`'],
  ['more rows', () => ({ total_count: 3 }), '`total_count`: 3'],
  ['more pages', () => ({ pagination: { totalPages: 2 } }), '`pagination.totalPages`: 2'],
])('a list that says %s than it has fails by name, and nothing is gone', async (_what, members, named) => {
  const world = await shrunk();
  const { state, error } = await exportWith(world, members);
  expect({ state, error }).toEqual({ state: 'fallido', error: expect.stringContaining(named) });
  expect(await world.rows()).toHaveLength(3);
  expect(await world.changes()).toEqual([]);
});

it.each<[string, Members]>([
  ['that all is well', () => ({ success: true, error: null, errors: [], message: 'OK' })],
  ['that it ends', () => ({ hasMore: false, next: null, isLastPage: true })],
  ['how many rows it has', ({ isEmpty }) => ({ total: 2, count: isEmpty ? 0 : 2, last_page: 1 })],
])('a list that says %s is believed', async (_what, members) => {
  const world = await shrunk();
  expect(await exportWith(world, members)).toMatchObject({ state: 'exportado', receipts: 2, vanished: 1 });
});

it.each<[string, Members, string]>([
  ['a name', () => ({ request_id: 'a1' }), 'pagina:request_id'],
  ['a nested one', () => ({ meta: { version: 2 } }), 'pagina:meta.version'],
])('path', async (_what, members, told) => {
  const world = await shrunk();
  const result = await exportWith(world, members);
  expect(result).toMatchObject({ state: 'sin_cambios', receipts: 2, vanished: 0 });
  // Another list would tell no more.
  expect(world.api.firstPageCount).toBe(2);
  expect([...(result.unknownFields?.keys() ?? [])]).toEqual([told]);
  expect(await world.changes()).toEqual([]);
  world.listed = [];
  expect(await exportWith(world, members)).toMatchObject({ receipts: 0, vanished: 0 });
  expect(await world.rows()).toHaveLength(3);
  const audit = await world.audit();
  expect(JSON.parse(String(audit.at(-1)?.campos_desconocidos))).toEqual({ [told]: 1 });
});

it('a receipt that is not called gone is kept beside one that was', async () => {
  const world = await shrunk();
  await world.export();
  world.listed = [received(1)];
  await exportWith(world, () => ({ request_id: 'a1' }));
  expect((await world.rows()).map(({ id, visto_por_ultima_vez: mark }) => [id, mark !== null])).toEqual([
    [1n, false],
    [2n, false],
    [3n, true],
  ]);
});

const NEXT_DAY = '2026-11-20';

it.each([
  `${NEXT_DAY}T02:30:00Z`,
  `${NEXT_DAY}T02:30:00z`,
  `${NEXT_DAY}T02:30:00+00:00`,
  `${NEXT_DAY}T02:30:00.0000000+0000`,
  `${DAY}T23:30:00-0300`,
  `${DAY}T23:30:00-03`,
  `${NEXT_DAY}T04:30:00.000+02:00`,
])('a time with a zone is stored in Uruguayan time, kept as it came, and told: %s', async (issue) => {
  const world = newWorld();
  const signed = `${NEXT_DAY}T02:31:00.1234567Z`;
  world.listed = [received(1, { fecha_emision: issue, fecha_firma: signed, [LISTED_ON]: DAY })];
  expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 1, conversionErrors: 2 });
  const row = (await world.texts()).get('1')?.row;
  expect(row).toMatchObject({
    fecha_emision: `${DAY}T23:30:00`,
    fecha_firma: `${DAY}T23:31:00.123456`,
    otros: JSON.stringify({ fecha_emision: issue, fecha_firma: signed }),
  });
});
