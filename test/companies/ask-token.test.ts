import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoTokenError } from '../../lib/api/access.ts';
import { askToken, grantsOf, UnusableAnswerError } from '../../lib/companies/ask-token.ts';
import { readLogin } from '../../lib/companies/login.ts';
import { Token } from '../../lib/companies/token.ts';
import { type Answer, json, startHttpServer } from '../support/api/http-server.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const PASSWORD = 'QXZJ-the-password-KWVY';
const REFRESH = 'QXZJ-the-refresh-token-KWVY';
const JSON_TYPE = 'application/json';
const clock = new FakeClock();
const JWT = jwt({ exp: clock.now() / 1000 + 43_200 });

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** Asks a server that gives this answer, in the first way that the login has. */
async function ask(answer: Answer, more: object = {}, scope?: string) {
  const server = await startHttpServer(() => answer);
  const given = { tokenUrl: `${server.address.href}token`, username: 'ana', password: PASSWORD, ...more };
  const { login } = readLogin(given);
  if (login === undefined) throw new Error('the login is wrong');
  const [grant] = await grantsOf(login, login.refreshToken);
  if (grant === undefined) throw new Error('it has no grant');
  const asked = askToken(login, grant, scope, clock);
  return { server, asked };
}

/** What went wrong. */
async function fault(answer: Answer, more: object = {}): Promise<NoTokenError> {
  const { asked } = await ask(answer, more);
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NoTokenError)) throw new Error('it should have failed');
  for (const secret of [PASSWORD, REFRESH]) expect(`${error.message} ${error.stack}`).not.toContain(secret);
  return error;
}

/** Half of it, compressed, has the token. */
const CUT = JSON.stringify({ refresh_token: 'next+1', more: randomBytes(3_000).toString('base64') });
const right = { access_token: JWT, token_type: 'bearer', refresh_token: 'anew' };

it('asks at the address as it is written, with its slash at the end', async () => {
  const server = await startHttpServer(() => json(right));
  const { login } = readLogin({ tokenUrl: `${server.address.href}o/token/`, refreshToken: REFRESH });
  const [grant] = login === undefined ? [] : await grantsOf(login, login.refreshToken);
  if (login === undefined || grant === undefined) throw new Error('the login is wrong');
  await askToken(login, grant, undefined, clock);
  expect(server.requests.map(({ path }) => path)).toEqual(['/o/token/']);
});

it.each<[string, object, string, string]>([
  [
    'a user as JSON',
    {},
    JSON_TYPE,
    `{"grant_type":"password","username":"ana","password":"${PASSWORD}","scope":"s"}`,
  ],
  [
    'a user as a form',
    { body: 'form', password: 'a&b=ñ ' },
    'application/x-www-form-urlencoded',
    'grant_type=password&username=ana&password=a%26b%3D%C3%B1+&scope=s',
  ],
  [
    'a refresh token first',
    { refreshToken: REFRESH },
    JSON_TYPE,
    `{"grant_type":"refresh_token","refresh_token":"${REFRESH}","scope":"s"}`,
  ],
  [
    'a client',
    { username: undefined, password: undefined, clientId: 'c', clientSecret: 'x' },
    JSON_TYPE,
    '{"grant_type":"client_credentials","client_id":"c","client_secret":"x","scope":"s"}',
  ],
])('what is sent is %s', async (_, more, type, body) => {
  const { server, asked } = await ask(json(right), more, 's');
  await asked;
  expect(server.requests).toEqual([
    expect.objectContaining({
      method: 'POST',
      path: '/token',
      body,
      headers: expect.objectContaining({ 'content-type': type }),
    }),
  ]);
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

describe('how long a token lives', () => {
  it.each<[string, object, number]>([
    ['what expires_in says', { ...right, expires_in: 60 }, 60_000],
    ['in words', { ...right, expires_in: '60' }, 60_000],
    ['else its exp', right, 43_200_000],
    ['else its exp, where expires_in is none', { ...right, expires_in: -1 }, 43_200_000],
    ['else five minutes', { ...right, access_token: 'opaque' }, 300_000],
    [
      'what the token says of itself, where expires_in has milliseconds',
      { ...right, access_token: jwt({ iat: 0, exp: 43_200 }), expires_in: 43_200_000 },
      43_200_000,
    ],
    [
      'what expires_in says, where that is less',
      { ...right, access_token: jwt({ iat: 0, exp: 61 }), expires_in: 60 },
      60_000,
    ],
    ['with a type in another case', { ...right, token_type: 'Bearer', expires_in: 1 }, 1_000],
  ])('is %s', async (_, answer, lifeMs) => {
    const { asked } = await ask(json(answer));
    expect(await asked).toMatchObject({ lifeMs, issuedAtMs: clock.now() });
  });

  it('keeps a refresh token if it came', async () => {
    expect((await (await ask(json(right))).asked).refreshToken?.reveal()).toBe('anew');
    expect((await (await ask(json({ ...right, refresh_token: null }))).asked).refreshToken).toBeUndefined();
    const spaced = { ...right, refresh_token: ' next  one~' };
    expect((await (await ask(json(spaced))).asked).refreshToken?.reveal()).toBe(' next  one~');
    const cut = await fault({ body: `${JSON.stringify(spaced)},` }, { refreshToken: REFRESH });
    expect(cut instanceof UnusableAnswerError && cut.refreshToken?.reveal()).toBe(' next  one~');
    // The one that was sent is spent, whichever success the answer is.
    const created = await ask({ ...json(right), status: 201 }, { refreshToken: REFRESH });
    expect((await created.asked).refreshToken?.reveal()).toBe('anew');
  });
});

it.each(['', '   ', 0, false])(
  'a refresh token that is %j is none: the access token serves',
  async (none) => {
    const { asked } = await ask(json({ ...right, refresh_token: none }), { refreshToken: REFRESH });
    expect(await asked).toMatchObject({ token: expect.any(Token), refreshToken: undefined });
    const error = await fault(json({ refresh_token: none }), { refreshToken: REFRESH });
    expect(error instanceof UnusableAnswerError && error.refreshToken).toBeUndefined();
  },
);

describe('an answer that is refused', () => {
  it.each<[string, Answer, string, 'again' | 'final']>([
    ['400', { status: 400, body: PASSWORD }, 'was refused (status 400)', 'final'],
    ['401', { status: 401 }, 'was refused (status 401). Check its user and password', 'final'],
    [
      'its scope',
      { ...json({ error: 'invalid_scope' }), status: 400 },
      'status 400). Check its "scope"',
      'final',
    ],
    ['no code', { ...json({ error: PASSWORD }), status: 400 }, 'status 400). Check its user', 'final'],
    ['204', { status: 204 }, 'it is not JSON', 'again'],
    ['404', { status: 404 }, 'in an unknown way (status 404)', 'final'],
    ['a redirect', { status: 302, headers: { location: 'https://a.example' } }, 'never followed', 'final'],
    ['429', { status: 429, headers: { 'retry-after': '7' } }, 'status 429', 'again'],
    ['500', { status: 500 }, 'status 500', 'again'],
    ['a cut body', { ...json(right), fault: 'truncate' }, 'could not be asked', 'again'],
    ['no JSON', { body: 'access_token' }, 'it is not JSON', 'again'],
    ['a web page', { body: '<html>', headers: { 'content-type': 'text/html' } }, 'it is a web page', 'final'],
    ['no token', json({ token_type: 'bearer' }), 'another shape', 'final'],
    ['a line break', json({ ...right, access_token: 'a\nb' }), 'a character that no token has', 'final'],
    ['another type', json({ ...right, token_type: 'mac' }), 'token_type is not bearer', 'final'],
    ['too large', { body: `"${'x'.repeat(300_000)}"` }, 'larger than 262144 bytes', 'final'],
    ['the password in it', json({ ...right, echo: PASSWORD }), 'answered with what was sent', 'final'],
    ['the password', json({ ...right, access_token: PASSWORD }), 'answered with what was sent', 'final'],
    ['the password alone', json({ echo: PASSWORD }), 'answered with what was sent', 'final'],
  ])('is %s', async (_, answer, message, kind) => {
    const error = await fault(answer);
    expect(error.message).toContain(message);
    expect(error.retry === undefined ? 'final' : 'again').toBe(kind);
  });

  it('says how long it asks to wait', async () => {
    expect((await fault({ status: 429, headers: { 'retry-after': '7' } })).retry).toMatchObject({
      reason: 'throttled',
      retryAfterMs: 7_000,
    });
  });

  it('holds the refresh token that was sent, unless it is the one that stays', async () => {
    const login = { refreshToken: REFRESH };
    const stays = await ask(json({ ...right, refresh_token: REFRESH }), login);
    expect((await stays.asked).refreshToken?.reveal()).toBe(REFRESH);
    const escaped = JSON.stringify({ ...right, refresh_token: REFRESH, at: '' }).replace(
      '""',
      '"a\\/\\u0041"',
    );
    expect((await (await ask({ body: escaped }, login)).asked).refreshToken?.reveal()).toBe(REFRESH);
    expect((await fault(json({ ...right, access_token: REFRESH }), login)).message).toContain(
      'with what was sent',
    );
    expect((await fault(json({ ...right, refresh_token: REFRESH, old: REFRESH }), login)).message).toContain(
      'with what was sent',
    );
  });

  it.each<[string, object]>([
    ['beside it', { ...right, old: REFRESH }],
    ['as its access token', { ...right, access_token: REFRESH }],
    ['as what was asked', { ...right, request: { refresh_token: REFRESH } }],
    ['in place of an access token', { refresh_token: 'anew', old: REFRESH }],
  ])('holds the refresh token that was sent %s, and a new one, which alone is kept', async (_, answer) => {
    const error = await fault(json(answer), { refreshToken: REFRESH });
    expect(error.message).toContain('with what was sent to it, so nothing of it but its new refresh token');
    expect(error instanceof UnusableAnswerError && error.refreshToken?.reveal()).toBe('anew');
  });

  it.each([
    ['is the password that was sent', { ...right, refresh_token: PASSWORD }],
    ['has no place to be kept in', { ...right, echo: PASSWORD }],
  ])('holds a refresh token that %s: nothing of it is kept', async (_, answer) => {
    const error = await fault(json(answer));
    expect(error).not.toBeInstanceOf(UnusableAnswerError);
    expect(error.message).toContain('with what was sent to it, so nothing of it was kept');
  });

  it.each<[string, Answer]>([
    ['of another shape', json({ refresh_token: 'next+1' })],
    ['not in UTF-8', { body: Buffer.from('{"name":"Ñandú","refresh_token":"next\\u002b1"}', 'latin1') }],
    [
      'followed by something',
      { body: `${JSON.stringify({ ...right, refresh_token: 'next+1' })}<!-- 1 s -->` },
    ],
    ['in UTF-16', { body: Buffer.from(JSON.stringify({ ...right, refresh_token: 'next+1' }), 'utf16le') }],
    ['cut', { body: `{"refresh_token":"next+1","access_token":"${'x'.repeat(99)}"}`, fault: 'truncate' }],
    ['too large', json({ ...right, refresh_token: 'next+1', more: 'x'.repeat(300_000) })],
    [
      'compressed, and too large',
      { body: gzipSync(JSON.stringify({ ...right, refresh_token: 'next+1', more: 'x'.repeat(300_000) })) },
    ],
    // Of zstd, a block is read whole or not at all.
    ...Object.entries({ gzipSync, deflateSync, deflateRawSync, brotliCompressSync }).map(
      ([name, compress]): [string, Answer] => [
        `compressed by ${name}, and cut`,
        { body: compress(CUT).subarray(0, 1_500), fault: 'truncate' },
      ],
    ),
    [
      'said to be compressed, and is not',
      { ...json({ ...right, refresh_token: 'next+1' }), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'encoded in an unknown way',
      { ...json({ ...right, refresh_token: 'next+1' }), headers: { 'content-encoding': 'utf-8' } },
    ],
    ['too deep', { body: `{"refresh_token" : "next+1", "more":${'['.repeat(300)}${']'.repeat(300)}}` }],
  ])('still gives the next refresh token where it is %s', async (_, answer) => {
    const error = await fault(answer, { refreshToken: REFRESH });
    const refreshToken = error instanceof UnusableAnswerError ? error.refreshToken?.reveal() : error;
    expect(refreshToken).toBe('next+1');
  });

  it('is never trusted, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc
            .record(
              {
                access_token: fc.oneof(fc.string(), fc.constant(JWT), fc.integer()),
                token_type: fc.oneof(fc.constantFrom('bearer', 'BEARER', 'mac'), fc.integer()),
                expires_in: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null)),
                refresh_token: fc.oneof(fc.string(), fc.constant(null), fc.object()),
              },
              { requiredKeys: [] },
            )
            .map((value) => JSON.stringify(value)),
        ),
        async (body) => {
          const { asked: again } = await ask({ body });
          const result = await again.catch((error: unknown) => error);
          if (result instanceof NoTokenError) return;
          expect(result).toMatchObject({ token: expect.any(Token), lifeMs: expect.any(Number) });
          const { access_token, token_type } = JSON.parse(body);
          expect(access_token).toMatch(/^[\x21-\x7e]+$/);
          expect(token_type).toMatch(/^bearer$/i);
        },
      ),
      { numRuns: campaign({ quick: 40, long: 2_000 }) },
    );
  });
});

describe('a password from elsewhere', () => {
  it('is read from a variable or a file when it is needed, and missed by name', async () => {
    const grants = async (passwordFrom: string) => {
      const { login } = readLogin({ tokenUrl: 'https://login.example', username: 'ana', passwordFrom });
      if (login === undefined) throw new Error('the login is wrong');
      return (await grantsOf(login, undefined))[0]?.secrets.password?.reveal();
    };
    process.env.CFE_TEST_PASSWORD = 'from a variable';
    expect(await grants('env:CFE_TEST_PASSWORD')).toBe('from a variable');
    delete process.env.CFE_TEST_PASSWORD;
    await expect(grants('env:CFE_TEST_PASSWORD')).rejects.toThrow('the variable is not set');
    const file = join(newFolder(), 'password');
    const inFile = (bytes: Buffer) => {
      writeFileSync(file, bytes);
      return grants(`file:${file}`);
    };
    expect(await inFile(Buffer.from('\u{feff}contraseña\r\n'))).toBe('contraseña');
    await expect(inFile(Buffer.from('contraseña\n', 'latin1'))).rejects.toThrow('is not UTF-8 text');
    await expect(inFile(Buffer.from('contraseña\n', 'utf16le'))).rejects.toThrow(
      'it has a NUL, as no password has: if it is UTF-16, save it again',
    );
    await expect(grants('file:/nowhere/at/all')).rejects.toThrow('there is no such file');
  });

  it('is one line of an ordinary file: no key, no environment, and nothing that never ends', async () => {
    const folder = newFolder();
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const given = (path: string) => {
      const { login } = readLogin({
        tokenUrl: 'https://login.example',
        username: 'ana',
        passwordFrom: `file:${path}`,
      });
      return login === undefined ? undefined : grantsOf(login, undefined);
    };
    expect((await given(file('right', ' una clave \r\n')))?.[0]?.secrets.password?.reveal()).toBe(
      ' una clave ',
    );
    for (const [path, reason] of [
      [file('key', '-----BEGIN KEY-----\nabc\n-----END KEY-----\n'), 'it is more than one line'],
      [file('nul', 'a\0b'), 'it has a NUL'],
      [file('empty', '\n'), 'it is empty'],
      [file('long', 'x'.repeat(1_025)), 'it has more than 1024 bytes'],
      [folder, 'it is a folder'],
    ] as const)
      await expect(given(path)).rejects.toThrow(reason);
    if (process.platform !== 'linux') return;
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [join(folder, 'pipe'), '/dev/zero', '/proc/self/environ'])
      await expect(given(path)).rejects.toThrow(
        /it is not an ordinary file|it has a NUL|more than 1024 bytes/,
      );
  });
});
