import { describe, expect, it } from 'vitest';
import { HttpStatusError, UnexpectedBodyError } from '../../lib/api/errors.ts';
import { readDetail } from '../../lib/api/unpaged.ts';
import { ExactNumber } from '../../lib/text/exact-json.ts';
import { newClient } from '../support/api/api-client.ts';
import { inTurn, startHttpServer } from '../support/api/http-server.ts';

const PAST_DOUBLES = 9007199254740993n;

describe('the detail of a receipt', () => {
  it.each(['recibidos', 'emitidos'] as const)('is read whole, at its own address: %s', async (direction) => {
    const body = `{"id":${PAST_DOUBLES},"items":[{"cantidad":0.125,"monto":123456789012345.67}],"nuevo":null}`;
    const server = await startHttpServer(inTurn({ body }));
    const detail = await readDetail(newClient(server.address), direction, PAST_DOUBLES);
    expect(detail).toEqual({
      id: new ExactNumber(String(PAST_DOUBLES)),
      items: [{ cantidad: 0.125, monto: new ExactNumber('123456789012345.67') }],
      nuevo: null,
    });
    expect(server.requests[0]?.path).toBe(`/v2/consulta/comprobantes/${direction}/${PAST_DOUBLES}`);
    expect([...(server.requests[0]?.query ?? [])]).toEqual([]);
  });

  it('of an id that the company does not have is status 404, named with the receipt', async () => {
    const server = await startHttpServer(() => ({ status: 404, body: '{}' }));
    const outcome = readDetail(newClient(server.address), 'emitidos', 7n);
    await expect(outcome).rejects.toThrow(HttpStatusError);
    await expect(outcome).rejects.toMatchObject({ status: 404, context: { id: '7' } });
    await expect(outcome).rejects.toThrow('emitidos of 219999830019, receipt 7: the API answered status 404');
    expect(server.requests).toHaveLength(1);
  });

  it.each(['{"id":8}', '{}', '[{"id":7}]', 'null', '{"id":9007199254740992}'])(
    'is not %s when another one was asked for',
    async (body) => {
      const id = body.includes('2540992') ? PAST_DOUBLES : 7n;
      const server = await startHttpServer(() => ({ body }));
      const outcome = readDetail(newClient(server.address), 'recibidos', id);
      await expect(outcome).rejects.toThrow(UnexpectedBodyError);
    },
  );

  it('is asked for again when the answer was another receipt’s', async () => {
    const server = await startHttpServer(inTurn({ body: '{"id":8}' }, { body: '{"id":7}' }));
    const client = newClient(server.address);
    expect(await readDetail(client, 'recibidos', 7n)).toEqual({ id: 7 });
    expect(client.counts).toMatchObject({ requests: 2, retries: 1 });
  });
});
