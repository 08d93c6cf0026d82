import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { NoTokenError } from '../../lib/api/access.ts';
import { readCompaniesFile } from '../../lib/companies/company.ts';
import { loginInFile, withRefreshToken } from '../../lib/companies/login-file.ts';
import { type LoginPlace, LoginTokens, openLogins } from '../../lib/companies/login-tokens.ts';
import { Token } from '../../lib/companies/token.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const RUTS = ['219999830019', '214844360018', '218617380010'] as const;
const [A, B, C] = RUTS;
const MINUTE_MS = 60_000;

let clock: FakeClock;
let server: TokenServer;
let file: string;
beforeEach(async () => {
  clock = new FakeClock();
  server = await TokenServer.start(clock);
  file = join(newFolder(), 'companies.json');
});

interface Written {
  login: Record<string, string>;
  companies?: readonly object[];
}

/** A companies file with this login. */
function write({ login, companies = RUTS.map((rut) => ({ rut })) }: Written): void {
  const text = JSON.stringify({ login: { tokenUrl: server.url, ...login }, companies }, null, 3);
  writeFileSync(file, text, { mode: 0o600 });
}

/** A process that uses the file: the tokens of its companies. */
async function open() {
  const { companies, login } = await readCompaniesFile(file);
  const loginOf = openLogins(login, (rut) => loginInFile(file, undefined, rut), clock);
  const sources = new Map(
    companies.map((company) => [String(company.rut), loginOf(company)?.sourceOf(company.rut, undefined)]),
  );
  return {
    current: async (rut: string = A) => (await sources.get(rut)?.current()) ?? 'none',
    renew: async (refused: string, rut: string = A) => (await sources.get(rut)?.renew(refused)) ?? 'none',
  };
}

const user = { username: 'ana', password: PASSWORD };
const grants = () => server.asked.map(({ grant_type }) => grant_type);

describe('one login', () => {
  it('serves a hundred companies that ask at once', async () => {
    write({ login: user });
    const place = loginInFile(file, undefined);
    const tokens = new LoginTokens(place, {}, clock);
    const sources = Array.from({ length: 100 }, (_, index) => tokens.sourceOf(String(index), undefined));
    expect(new Set(await Promise.all(sources.map((source) => source.current())))).toEqual(
      new Set(['access-token-1']),
    );
    const renewed = await Promise.all(sources.map((source) => source.renew('access-token-1')));
    expect(new Set(renewed)).toEqual(new Set(['access-token-2']));
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    [12 * 3_600, 72 * MINUTE_MS],
    [3_600, 6 * MINUTE_MS],
    [300, MINUTE_MS],
    [60, MINUTE_MS / 2],
  ])('of tokens of %i s is renewed so long before their end: %i ms', async (lifeSeconds, restMs) => {
    server.lifeSeconds = lifeSeconds;
    write({ login: user });
    const { current } = await open();
    await current();
    await clock.advance(lifeSeconds * 1000 - restMs - 1);
    expect(await current()).toBe('access-token-1');
    await clock.advance(1);
    expect(await current()).toBe('access-token-2');
    // With the refresh token of the first answer, which no file keeps.
    expect(grants()).toEqual(['password', 'refresh_token']);
    expect(readFileSync(file, 'utf8')).not.toContain('refresh');
  });

  it('is renewed once after a refusal, and not again for each request while its new token is refused, too', async () => {
    write({ login: user });
    const { current, renew } = await open();
    const first = await current();
    const second = await renew(first);
    expect([first, second]).toEqual(['access-token-1', 'access-token-2']);
    for (const rut of RUTS) expect(await renew(second, rut)).toBe(second);
    expect(await renew(first, B)).toBe(second);
    expect(server.asked).toHaveLength(2);
    await clock.advance(7 * MINUTE_MS);
    expect(await renew(second)).toBe('access-token-3');
  });

  it('gives each company a token of its own where the scope is its RUT', async () => {
    write({ login: { ...user, scope: 'rut' } });
    const { current } = await open();
    expect(await Promise.all(RUTS.map((rut) => current(rut)))).toEqual([
      `access-token-1-${A}`,
      `access-token-2-${B}`,
      `access-token-3-${C}`,
    ]);
    expect(grants()).toEqual(['password', 'password', 'password']);
  });

  it('goes behind the login and the token of a company', async () => {
    const own = { tokenUrl: server.url, username: 'eva', password: PASSWORD };
    write({ login: user, companies: [{ rut: A }, { rut: B, login: own }, { rut: C, token: 'own' }] });
    const { current } = await open();
    expect([await current(A), await current(B), await current(C)]).toEqual([
      'access-token-1',
      'access-token-2',
      'none',
    ]);
    expect(server.asked.map(({ username }) => username)).toEqual(['ana', 'eva']);
  });
});

describe('a login that fails', () => {
  it.each([400, 401, 403])('is asked once for all companies, if it is refused: %i', async (status) => {
    server.status = status;
    write({ login: user });
    const { current } = await open();
    const failed = await Promise.allSettled(RUTS.map((rut) => current(rut)));
    failed.push(...(await Promise.allSettled([current()])));
    const reasons = failed.map((one) => (one.status === 'rejected' ? String(one.reason.message) : ''));
    expect(new Set(reasons)).toEqual(
      new Set([expect.stringContaining(`the login was refused (status ${status}). Check`)]),
    );
    expect(server.asked).toHaveLength(1);
  });

  it('is asked once for each company that is refused alone, and once in all if none is admitted', async () => {
    write({ login: { ...user, password: 'wrong', scope: 'rut' } });
    const { current } = await open();
    for (const rut of RUTS) await expect(current(rut)).rejects.toThrow('refused');
    expect(server.asked).toHaveLength(1);
  });

  it('is asked again if it could not be asked, but not by everybody at once', async () => {
    server.status = 503;
    write({ login: user });
    const { current } = await open();
    const down = { name: 'NoTokenError', retry: { reason: 'throttled' } };
    await expect(current()).rejects.toMatchObject(down);
    await expect(current(B)).rejects.toMatchObject(down);
    expect(server.asked).toHaveLength(1);
    server.status = undefined;
    await clock.advance(1_000);
    expect(await current()).toBe('access-token-2');
  });

  it('leaves the token in use until its end', async () => {
    write({ login: user });
    const { current } = await open();
    await current();
    await clock.advance(55 * MINUTE_MS);
    server.status = 500;
    for (let minute = 55; minute < 60; minute += 1) {
      expect(await current()).toBe('access-token-1');
      await clock.advance(MINUTE_MS);
    }
    expect(server.asked).toHaveLength(6);
    await expect(current()).rejects.toThrow('status 500');
  });
});

describe('a refresh token in the file', () => {
  it('is asked with first, and the one that comes anew is in the file before its access token is given', async () => {
    write({ login: { ...user, refreshToken: server.refreshToken } });
    const before = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    const { current } = await open();
    expect(await current()).toBe('access-token-1');
    expect(readFileSync(file, 'utf8')).toBe(before.replace('refresh-token-0', 'refresh-token-1'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // As after a kill at any later moment.
    expect(await (await open()).current()).toBe('access-token-2');
    expect(grants()).toEqual(['refresh_token', 'refresh_token']);
  });

  it('stays where the service gives it again', async () => {
    server.areRefreshTokensNew = false;
    write({ login: { refreshToken: server.refreshToken } });
    const { mtimeNs } = statSync(file, { bigint: true });
    expect(await (await open()).current()).toBe('access-token-1');
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  it('is followed by the password if it is refused, and replaced by the one that comes then', async () => {
    write({ login: { ...user, refreshToken: 'void' } });
    expect(await (await open()).current()).toBe('access-token-2');
    expect(grants()).toEqual(['refresh_token', 'password']);
    expect(readFileSync(file, 'utf8')).toContain(`"refreshToken": "${server.refreshToken}"`);
  });

  it('may be changed by another program meanwhile: that one is tried', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    const one = await open();
    const other = await open();
    await one.current();
    expect(await other.current()).toBe('access-token-2');
    // Or while it is asked with.
    await clock.advance(59 * MINUTE_MS);
    server.beforeAnswer = async () => {
      server.beforeAnswer = async () => undefined;
      write({ login: { refreshToken: 'by hand', password: PASSWORD, username: 'ana' } });
    };
    expect(await one.current()).toBe('access-token-5');
    expect(grants().slice(2)).toEqual(['refresh_token', 'refresh_token', 'password']);
  });

  it('is not sent from a file that can not be written, and a failure to write is said at once', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    const link = join(newFolder(), 'companies.json');
    symlinkSync(file, link);
    const place = loginInFile(link, undefined);
    await expect(new LoginTokens(place, {}, clock).sourceOf(A, undefined).current()).rejects.toThrow(
      'it is a link',
    );
    expect(server.asked).toHaveLength(0);
    const failing: LoginPlace = {
      ...loginInFile(file, undefined),
      keep: async () => {
        throw new NoTokenError('it could not be stored.', 'The old one may be void.');
      },
    };
    await expect(new LoginTokens(failing, {}, clock).sourceOf(A, undefined).current()).rejects.toThrow(
      'may be void',
    );
  });

  it('is replaced alone, byte for byte, whatever else the file holds', () => {
    const [old, anew] = [new Token('a/b'), new Token('c"d')];
    expect(
      withRefreshToken(
        '\ufeff{ "login" :{"refreshToken"\t:\r\n"a\\/b" , "name": "\\"refreshToken\\": \\"a/b\\""},"x":"a/b"}',
        old,
        anew,
      ),
    ).toBe(
      '\ufeff{ "login" :{"refreshToken"\t:\r\n"c\\"d" , "name": "\\"refreshToken\\": \\"a/b\\""},"x":"a/b"}',
    );
    write({ login: { ...user, refreshToken: 'void' } });
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0x0d, 0x0a])]));
    expect(readFileSync(file, 'latin1').endsWith('}\r\n')).toBe(true);
  });
});

it('shows nothing of what it logs in with', async () => {
  write({ login: { ...user, refreshToken: server.refreshToken } });
  const { companies, login } = await readCompaniesFile(file);
  const tokens = new LoginTokens(loginInFile(file, undefined), {}, clock);
  const token = await tokens.sourceOf(A, undefined).current();
  const shown = [
    inspect({ companies, login, tokens }, { depth: null, showHidden: true }),
    JSON.stringify({ companies, login, tokens }),
  ];
  for (const secret of [PASSWORD, token, server.refreshToken, 'ana'])
    expect(shown.join()).not.toContain(`'${secret}'`);
  expect(shown.join()).not.toMatch(/QXZJ|access-token|refresh-token-\d/);
});
