import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { holdsSecret } from '../../lib/api/body.ts';
import { ApiError } from '../../lib/api/errors.ts';
import { apiPages } from '../../lib/api/list/api-pages.ts';
import { DAY, FakeTokens, newClient, RUT } from '../support/api/api-client.ts';
import { startHttpServer } from '../support/api/http-server.ts';

const TOKEN = 'eyJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl';
const WINDOW = { pageNumber: 1, pageSize: 100, start: 0 };

function escaped(text: string): string {
  return Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
    '',
  );
}

async function reading(receipt: string, tokens = new FakeTokens(TOKEN)) {
  const body = `{"page_number":1,"page_size":100,"items":[${receipt}]}`;
  const server = await startHttpServer(() => ({ body }));
  const client = newClient(server.address, { tokens });
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
    expect((await reading(receipt, new FakeTokens(token))).outcome).toMatchObject({ ids: [1] });
  });

  it('fails alike with what the token was asked for with', async () => {
    const tokens = Object.assign(new FakeTokens(TOKEN), {
      secrets: () => [{ text: 'refresh-token-0' }, { text: 'una clave', isWord: true }],
    });
    for (const receipt of ['{"id":1,"nota":"x refresh-token-0"}', '{"id":1,"nota":"una clave"}'])
      expect(String((await reading(receipt, tokens)).outcome)).toContain('or another secret of its login');
    expect((await reading('{"id":1,"nota":"una clave más"}', tokens)).outcome).toMatchObject({ ids: [1] });
  });

  it('is told from a backslash that stands before it', () => {
    expect(holdsSecret('"a\\\\u0065yJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl"', { text: TOKEN })).toBe(false);
    expect(holdsSecret('"a\\\\\\u0065yJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl"', { text: TOKEN })).toBe(true);
    expect(holdsSecret('\\', { text: TOKEN })).toBe(false);
  });

  it('is found in what its escapes stand for, and not in what is left without them', () => {
    expect(holdsSecret('"se\\u00f1al-\\u0073ecreta"', { text: 'señal-secreta' })).toBe(true);
    expect(holdsSecret('"se\\u4e00cret-word"', { text: 'secret-word' })).toBe(false);
  });

  it('is found with quotes and backslashes, as JSON writes them', () => {
    const text = 's3cr"et\\value-0123';
    expect(holdsSecret(JSON.stringify({ x: text }), { text })).toBe(true);
    expect(holdsSecret(JSON.stringify({ x: `a ${text}` }).replace('s3', '\\u00733'), { text })).toBe(true);
    expect(holdsSecret(JSON.stringify({ x: text.slice(1) }), { text })).toBe(false);
  });

  it('is found whichever one of its characters is escaped', () => {
    const token = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (const [index, character] of Array.from(token).entries()) {
      const body = `"${token.slice(0, index)}${escaped(character)}${token.slice(index + 1)}"`;
      expect(holdsSecret(body, { text: token }), character).toBe(true);
      const inCapitals = body.replace(/\\u(....)/, (_, code: string) => `\\u${code.toUpperCase()}`);
      expect(holdsSecret(inCapitals, { text: token }), character).toBe(true);
    }
  });
});

describe('a password', () => {
  const password = { text: 'Montevideo/1', isWord: true };
  const number = { text: '1234567890', isWord: true };
  it.each([
    ['as a value', '{"a":"Montevideo/1"}', true],
    ['in a list', '{"a":[ "Montevideo/1" ]}', true],
    ['escaped', '{"a":"Monte\\u0076ideo\\/1"}', true],
    ['within a longer value', '{"a":"Montevideo/1, Uruguay"}', false],
    ['as the end of one', '{"a":"en \\"Montevideo/1"}', false],
    ['as a name', '{"Montevideo/1" : 1}', true],
    ['as the end of a name', '{"\\"Montevideo/1":1}', false],
  ])('is found only as a whole value or name: %s', (_where, body, isFound) => {
    expect(holdsSecret(body, password)).toBe(isFound);
  });

  it.each([
    ['as a number', '{"a":{"b":[1, 1234567890]}}', true],
    ['as a text', '{"a":"1234567890"}', true],
    ['within a number', '{"a":12345678901,"b":1234567890.5,"c":-1234567890}', false],
    ['in a text', '{"a":"cuenta: 1234567890, de hoy"}', false],
  ])('of digits alone is found whole: %s', (_where, body, isFound) => {
    expect(holdsSecret(body, number)).toBe(isFound);
  });

  it('of digits that no double holds is found as a number', () => {
    expect(holdsSecret('[12345678901234567891]', { text: '12345678901234567891', isWord: true })).toBe(true);
    expect(holdsSecret('[12345678901234567891]', { text: '12345678901234567890', isWord: true })).toBe(false);
  });

  it('of seven characters, or that is a RUT, is not looked for', () => {
    expect(holdsSecret('"1234567"', { text: '1234567', isWord: true })).toBe(false);
    expect(holdsSecret(`["${RUT}", ${RUT}]`, { text: RUT, isWord: true })).toBe(false);
  });
});
