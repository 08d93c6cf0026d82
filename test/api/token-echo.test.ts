import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { holdsToken } from '../../lib/api/body.ts';
import { ApiError } from '../../lib/api/errors.ts';
import { apiPages } from '../../lib/api/list/page-request.ts';
import { DAY, FakeTokens, newClient, RUT } from '../support/api/api-client.ts';
import { startHttpServer } from '../support/api/http-server.ts';

const TOKEN = 'eyJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl';
const WINDOW = { pageNumber: 1, pageSize: 100, start: 0 };

function escaped(text: string): string {
  return Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

async function reading(receipt: string, token = TOKEN) {
  const body = `{"page_number":1,"page_size":100,"items":[${receipt}]}`;
  const server = await startHttpServer(() => ({ body }));
  const client = newClient(server.address, { tokens: new FakeTokens(token) });
  const filters = { FechaDesde: DAY, FechaHasta: DAY };
  const source = apiPages(client, 'recibidos', filters);
  const outcome = await source.read(WINDOW).catch((error: unknown) => error);
  return { outcome, requests: server.requests.length };
}

describe('an answer with the token that was sent', () => {
  it.each([
    ['as a value', `{"id":1,"nombre":"${TOKEN}"}`],
    ['within a value', `{"id":1,"nombre":"Bearer ${TOKEN}, thank you"}`],
    ['as a name', `{"id":1,"${TOKEN}":null}`],
    ['with its slash escaped', `{"id":1,"nombre":"${TOKEN.replace('/', '\\/')}"}`],
    ['all escaped', `{"id":1,"nombre":"${escaped(TOKEN)}"}`],
    [
      'escaped in part, in capitals',
      `{"id":1,"nombre":"${escaped('eyJ').toUpperCase().replaceAll('U', 'u')}${TOKEN.slice(3)}"}`,
    ],
    ['as JSON in a value', JSON.stringify({ id: 1, nombre: JSON.stringify({ token: `"${TOKEN}` }) })],
  ])('fails, and shows nothing of it: %s', async (_where, receipt) => {
    const { outcome, requests } = await reading(receipt);
    expect(outcome).toBeInstanceOf(ApiError);
    expect(String(outcome)).toContain('holds the token that was sent with the request');
    expect(inspect(outcome, { depth: null, showHidden: true })).not.toContain(TOKEN.slice(3, 12));
    expect(requests).toBe(1);
  });

  it.each([
    ['none of it', '{"id":1,"nombre":"another"}', TOKEN],
    ['a RUT, which is no secret', `{"id":1,"receptor":{"nro_doc":"${RUT}"}}`, RUT],
    ['one so short that it is there by chance', '{"id":1,"nombre":"a test"}', 'test'],
  ])('is read where that is %s', async (_what, receipt, token) => {
    expect((await reading(receipt, token)).outcome).toMatchObject({ ids: [1] });
  });

  it('is told from a backslash that stands before it', () => {
    expect(holdsToken('"a\\\\u0065yJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl"', TOKEN)).toBe(false);
    expect(holdsToken('"a\\\\\\u0065yJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl"', TOKEN)).toBe(true);
    expect(holdsToken('\\', TOKEN)).toBe(false);
  });

  it('is found in what its escapes stand for, and not in what is left without them', () => {
    expect(holdsToken('"se\\u00f1al-\\u0073ecreta"', 'señal-secreta')).toBe(true);
    expect(holdsToken('"se\\u4e00cret-word"', 'secret-word')).toBe(false);
  });

  it('is found whichever one of its characters is escaped', () => {
    const token = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (const [index, character] of Array.from(token).entries()) {
      const body = `"${token.slice(0, index)}${escaped(character)}${token.slice(index + 1)}"`;
      expect([character, holdsToken(body, token)]).toEqual([character, true]);
      const inCapitals = body.replace(/\\u(....)/, (_, code: string) => `\\u${code.toUpperCase()}`);
      expect([character, holdsToken(inCapitals, token)]).toEqual([character, true]);
    }
  });
});
