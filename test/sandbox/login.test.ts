import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const [FIRST, SECOND] = ['219999830019', '214844360018'];
let nowMs = Date.UTC(2026, 10, 20, 5);

const sandbox = await sharedSandbox({ receiptsPerDay: 1, tokenClock: () => nowMs });

beforeEach(() => sandbox.resetStats());
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));

interface Answer {
  access_token?: string;
  token_type?: string;
  refresh_token?: string;
  error?: string;
}

async function logIn(fields: object, isForm = false): Promise<Answer> {
  const body = isForm ? new URLSearchParams(Object.entries(fields)) : JSON.stringify(fields);
  const headers = isForm ? undefined : { 'content-type': 'application/json' };
  const answer = await fetch(sandbox.login.tokenUrl, { method: 'POST', body, ...(headers && { headers }) });
  const json = (await answer.json()) as Answer;
  expect(answer.status).toBe(json.error === undefined ? 200 : 400);
  return json;
}

const { username, password } = { username: 'estudio', password: 'una-clave-de-prueba' };
const user = { grant_type: 'password', username, password };

/** The status of a list of this company. */
async function read(token: string | undefined, rut = FIRST): Promise<number> {
  const path = '/v2/consulta/comprobantes/emitidos?FechaDesde=2026-11-19&FechaHasta=2026-11-19';
  const headers = { authorization: `Bearer ${token}`, 'x-emisor': rut };
  return (await fetch(sandbox.url + path, { headers })).status;
}

describe("the sandbox's token address", () => {
  it.each([false, true])('gives tokens that end; as a form: %s', async (isForm) => {
    sandbox.behave({ tokenSeconds: 60 });
    const { access_token, token_type, refresh_token } = await logIn(user, isForm);
    expect(token_type).toBe('bearer');
    expect([await read(access_token), await read(access_token, SECOND)]).toEqual([200, 200]);
    nowMs += 60_000;
    expect(await read(access_token)).toBe(401);
    const renewed = await logIn({ grant_type: 'refresh_token', refresh_token }, isForm);
    expect(await read(renewed.access_token)).toBe(200);
    expect(sandbox.stats().logins).toBe(2);
  });

  it.each([
    ['anew', 'invalid_grant'],
    ['same', undefined],
  ] as const)('gives refresh tokens that come %s', async (refreshTokens, error) => {
    sandbox.behave({ refreshTokens });
    const { refresh_token } = await logIn(user);
    const again = await logIn({ grant_type: 'refresh_token', refresh_token });
    expect(again.refresh_token === refresh_token).toBe(refreshTokens === 'same');
    expect((await logIn({ grant_type: 'refresh_token', refresh_token })).error).toBe(error);
  });

  it('gives none if it is told to, and refuses what it does not know', async () => {
    sandbox.behave({ refreshTokens: 'none' });
    expect((await logIn(user)).refresh_token).toBeUndefined();
    for (const wrong of [{ ...user, password: 'x' }, { ...user, username: 'x' }, { grant_type: 'x' }, []])
      expect((await logIn(wrong)).error).toMatch(/^invalid_grant$|^unsupported_grant_type$/);
  });

  it('has a user for each company, a scope for one company, and clients', async () => {
    const first = await logIn({ ...user, username: FIRST });
    expect({ first: await read(first.access_token), second: await read(first.access_token, SECOND) }).toEqual(
      { first: 200, second: 403 },
    );
    const scoped = await logIn({ ...user, scope: SECOND });
    expect({
      first: await read(scoped.access_token),
      second: await read(scoped.access_token, SECOND),
    }).toEqual({ first: 403, second: 200 });
    const client = { grant_type: 'client_credentials', client_id: username, client_secret: password };
    expect(await read((await logIn(client)).access_token)).toBe(200);
  });
});
