import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BodyError } from '../../lib/api/body.ts';
import { apiPages } from '../../lib/api/list/api-pages.ts';
import { readDetail, readLegacyList } from '../../lib/api/unpaged.ts';
import { anyRequest, DAY, FakeTokens, newClient } from '../support/api/api-client.ts';
import { type Answer, type ReceivedRequest, startHttpServer } from '../support/api/http-server.ts';

/** Letters that none of our messages has in a row, so that any fragment of the token or the body is found. */
const SECRET = /[QXZJKWV]{3}/;
const TOKEN = 'QXZJKWVQXZJKWV.ZZZQQQXXXJJJ.KKKWWWVVV';
const BODY = 'VVVWWWKKK JJJXXXQQQ';

/** All that a log, a console or a serialiser could show of an error. */
function shown(error: unknown): string {
  const texts = [inspect(error, { depth: null, showHidden: true }), String(error), JSON.stringify(error)];
  if (error instanceof Error)
    texts.push(error.stack ?? '', inspect(error.cause), JSON.stringify({ ...error }));
  return texts.join('\n');
}

/** Answers that repeat what the request carried, as careless servers do. */
const ANSWERS: readonly [name: string, answer: (token: string) => Answer][] = [
  ['400 that repeats the token', (token) => ({ status: 400, body: `{"message":"${BODY} ${token}"}` })],
  ['401', (token) => ({ status: 401, body: `{"error":"${token} ${BODY}"}` })],
  ['404', () => ({ status: 404, body: BODY })],
  ['a redirect', (token) => ({ status: 302, headers: { location: `http://127.0.0.1:1/?token=${token}` } })],
  ['429', (token) => ({ status: 429, body: BODY, headers: { 'x-echo': token } })],
  ['500', (token) => ({ status: 500, body: `${BODY} ${token}` })],
  ['HTML with 200', (token) => ({ body: `<html>${BODY} ${token}</html>` })],
  ['broken JSON', (token) => ({ body: `{"items": [{"id": ${BODY}${token}` })],
  ['short broken JSON', () => ({ body: 'VVVWWW' })],
  ['JSON of another shape', (token) => ({ body: JSON.stringify({ message: `${BODY} ${token}` }) })],
  ['a list of another shape', (token) => ({ body: JSON.stringify([`${BODY} ${token}`]) })],
  [
    'a row without an id',
    (token) => ({
      body: JSON.stringify({ page_number: 1, items: [{ id: `${BODY}${token}`, nombre: BODY }] }),
    }),
  ],
  ['a body cut short', (token) => ({ body: `{"items":["${BODY}${token}"]}`, fault: 'truncate' })],
  ['a reset', () => ({ fault: 'reset' })],
  ['no answer', () => ({ fault: 'hang' })],
];

function tokenOf({ headers }: ReceivedRequest): string {
  return (headers.authorization ?? '').replace('Bearer ', '');
}

/** The errors from every way of reading the API. */
async function errorsOf(answer: (token: string) => Answer, token = TOKEN): Promise<unknown[]> {
  const server = await startHttpServer((request) => answer(tokenOf(request)));
  const client = newClient(server.address, { tokens: new FakeTokens(token), requestTimeoutMs: 15 });
  const filters = { FechaDesde: DAY, FechaHasta: DAY };
  const window = { pageNumber: 1, pageSize: 100, start: 0 };
  const decode = () => {
    throw new BodyError('it is something else');
  };
  const outcomes = await Promise.allSettled([
    client.get(anyRequest({ decode })),
    apiPages(client, 'recibidos', filters).read(window),
    readDetail(client, 'emitidos', 7n),
    readLegacyList(client, 'emitidos', filters),
  ]);
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : new Error('no error')));
}

describe('no error shows a token or a body', () => {
  it.each(ANSWERS)('of %s', async (_name, answer) => {
    for (const error of await errorsOf(answer)) {
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toBe('Error: no error');
      expect(shown(error)).not.toMatch(SECRET);
    }
  });

  it.each(['a line\nbreak', 'a zero\0', 'Ñandú', '€'])(
    'of a token that no header can carry: %j',
    async (odd) => {
      for (const error of await errorsOf(() => ({ status: 500 }), `${TOKEN}${odd}${TOKEN}`)) {
        expect(error).toBeInstanceOf(Error);
        expect(shown(error)).not.toMatch(SECRET);
      }
    },
  );

  it('of an API that is not there', async () => {
    const client = newClient(new URL('http://127.0.0.1:1/'), { tokens: new FakeTokens(TOKEN) });
    const error = await client.get(anyRequest()).catch((reason: unknown) => reason);
    expect(shown(error)).toContain('ECONNREFUSED');
    expect(shown(error)).not.toMatch(SECRET);
  });
});
