import { describe, expect, it } from 'vitest';
import { UnexpectedBodyError } from '../../lib/api/errors.ts';
import { readLegacyList } from '../../lib/api/unpaged.ts';
import { DAY, newClient, RUT, TOKEN } from '../support/api/api-client.ts';
import { inTurn, json, startHttpServer } from '../support/api/http-server.ts';
import { campaign } from '../support/campaign.ts';

const filters = { FechaDesde: DAY, FechaHasta: DAY };

describe('a legacy list', () => {
  it.each<[string, string]>([
    ['a bare array', '[{"id":9007199254740993},{"id":2}]'],
    ['wrapped as comprobantes', '{"comprobantes":[{"id":9007199254740993},{"id":2}]}'],
    ['wrapped as items', '{"items":[{"id":9007199254740993},{"id":2}],"otro":1}'],
  ])('is read whole: %s', async (_name, body) => {
    const server = await startHttpServer(inTurn({ body }));
    const list = await readLegacyList(newClient(server.address), 'emitidos', filters);
    expect(list.ids).toEqual([9007199254740993n, 2]);
    expect(list.items).toHaveLength(2);
  });

  it('is asked for at the old address, repeatable names with brackets, with the same headers', async () => {
    const server = await startHttpServer(inTurn(json([])));
    const more = { ...filters, TipoComprobante: [101, 111], EstadoEmisor: ['AE'] };
    await readLegacyList(newClient(server.address), 'recibidos', more);
    const [request] = server.requests;
    expect(request?.path).toBe('/consulta/comprobantes/recibidos');
    expect([...(request?.query ?? [])]).toEqual([
      ['FechaDesde', DAY],
      ['FechaHasta', DAY],
      ['TipoComprobante[]', '101'],
      ['TipoComprobante[]', '111'],
      ['EstadoEmisor[]', 'AE'],
    ]);
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-emisor': RUT });
  });

  it('may be larger than any page', async () => {
    // Of a page, 4 MB are read.
    const ROWS = campaign({ quick: 300, long: 2_000 });
    const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, nombre: 'x'.repeat(20_000) }));
    const server = await startHttpServer(inTurn(json(rows)));
    const list = await readLegacyList(newClient(server.address), 'recibidos', filters);
    expect(list.ids).toHaveLength(ROWS);
  });

  it.each(['{}', 'null', '{"message":"no"}', '{"items":{}}', '7'])('is not %s', async (body) => {
    const server = await startHttpServer(() => ({ body }));
    const outcome = readLegacyList(newClient(server.address), 'recibidos', filters);
    await expect(outcome).rejects.toThrow(UnexpectedBodyError);
    await expect(outcome).rejects.toThrow('it is not a list of receipts (asked 6 times)');
  });

  it('with a row that has no id is an error that names its position, and is not asked again', async () => {
    const server = await startHttpServer(() => json([{ id: 1 }, { id: null }]));
    const outcome = readLegacyList(newClient(server.address), 'recibidos', filters);
    await expect(outcome).rejects.toThrow(`day ${DAY}: the row at position 2 of the page has no usable id`);
    expect(server.requests).toHaveLength(1);
  });
});
