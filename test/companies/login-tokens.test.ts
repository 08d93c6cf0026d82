import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files, { type FileHandle, open as openFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NoTokenError } from '../../lib/api/access.ts';
import { readCompaniesFile } from '../../lib/companies/company.ts';
import { readLogin } from '../../lib/companies/login.ts';
import { loginInFile, withRefreshToken } from '../../lib/companies/login-file.ts';
import { LoginTokens, openLogins } from '../../lib/companies/login-tokens.ts';
import { Token } from '../../lib/companies/token.ts';
import { type Answer, startHttpServer } from '../support/api/http-server.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { rutsOf } from '../support/ruts.ts';

const CAN_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;
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
  login?: Record<string, string>;
  companies?: readonly object[];
}

/** A companies file with this login. */
function write({ login, companies = RUTS.map((rut) => ({ rut })) }: Written): void {
  const shared = login && { tokenUrl: server.url, ...login };
  const text = JSON.stringify({ login: shared, companies }, null, 3);
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
    secrets: (rut: string) =>
      sources
        .get(rut)
        ?.secrets?.()
        .map(({ text }) => text),
    renew: async (refused: string, rut: string = A) => (await sources.get(rut)?.renew(refused)) ?? 'none',
  };
}

/** Keeps a file from being replaced until what it gives is called; undefined where that can't be done. */
const pinned = ((): ((path: string) => () => void) | undefined => {
  if (process.platform === 'win32') return undefined;
  if (process.getuid?.() !== 0) return (path) => withMode(dirname(path), 0o500, 0o700);
  const pin = (path: string) => {
    execFileSync('mount', ['--bind', path, path], { stdio: 'ignore' });
    const unpin = () => void execFileSync('umount', [path]);
    onTestFinished(() => {
      if (readFileSync('/proc/mounts', 'utf8').includes(path)) unpin();
    });
    return unpin;
  };
  return CAN_MOUNT ? pin : undefined;
})();

const areModesObeyed = process.platform !== 'win32' && process.getuid?.() !== 0;

/** Gives the file this text until what it gives is called, as an editor that saves in place does. */
function written(text: string): () => void {
  const before = readFileSync(file);
  writeFileSync(file, text);
  return () => writeFileSync(file, before);
}

/** The same of its name. */
function renamed(): () => void {
  const other = `${file}.old`;
  renameSync(file, other);
  return () => renameSync(other, file);
}

/** The same of its mode, or a folder's. */
function withMode(path: string, mode: number, before: number): () => void {
  chmodSync(path, mode);
  return () => chmodSync(path, before);
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
    await clock.advance(MINUTE_MS);
    const renewed = await Promise.all(sources.map((source) => source.renew('access-token-1')));
    expect(new Set(renewed)).toEqual(new Set(['access-token-2']));
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    [12 * 3_600, 72 * MINUTE_MS],
    [3_600, 6 * MINUTE_MS],
    [300, MINUTE_MS],
    [60, 0],
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

  it('is asked once a minute at most, and less often while each new token is refused, too', async () => {
    write({ login: user });
    const { current, renew } = await open();
    const first = await current();
    // Refused so soon, it is the company that is refused.
    expect(await renew(first)).toBe(first);
    await clock.advance(MINUTE_MS);
    const second = await renew(first);
    for (const rut of RUTS) expect(await renew(second, rut)).toBe(second);
    expect(await renew(first, B)).toBe(second);
    expect({ second, asked: server.asked.length }).toEqual({ second: 'access-token-2', asked: 2 });
    const minutes: number[] = [];
    for (let minute = 1; minute < 60; minute += 1) {
      await clock.advance(MINUTE_MS);
      const before = server.asked.length;
      for (const rut of RUTS) await renew(`access-token-${before}`, rut);
      if (server.asked.length > before) minutes.push(minute);
    }
    expect(minutes).toEqual([2, 6, 14, 24, 34, 44, 54]);
  });

  it.each([0.001, 1, 59])(
    'is asked once a minute for tokens of %d s, however many ask',
    async (lifeSeconds) => {
      server.lifeSeconds = lifeSeconds;
      write({ login: user });
      const { current } = await open();
      for (let second = 0; second < 300; second += 1) {
        await Promise.all(RUTS.map((rut) => current(rut)));
        await clock.advance(1_000);
      }
      expect(server.asked).toHaveLength(5);
    },
  );

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
    const ownLogin = { tokenUrl: server.url, username: 'eva', password: PASSWORD };
    write({ login: user, companies: [{ rut: A }, { rut: B, login: ownLogin }, { rut: C, token: 'own' }] });
    const { current } = await open();
    expect({ a: await current(A), b: await current(B), c: await current(C) }).toEqual({
      a: 'access-token-1',
      b: 'access-token-2',
      c: 'none',
    });
    expect(server.asked.map(({ username }) => username)).toEqual(['ana', 'eva']);
  });
});

describe('a login that is written for several companies', () => {
  const copies = (login: (rut: string) => object) =>
    writeFileSync(
      file,
      JSON.stringify({
        companies: RUTS.map((rut) => ({ rut, login: { tokenUrl: server.url, ...login(rut) } })),
      }),
      { mode: 0o600 },
    );
  const currents = async () => {
    const { current } = await open();
    return await Promise.all(RUTS.map((rut) => current(rut).catch(String)));
  };

  it('takes turns: no copy of its refresh token is sent after another', async () => {
    copies(() => ({ refreshToken: server.refreshToken }));
    expect(await currents()).toEqual(['access-token-1', 'access-token-2', 'access-token-3']);
    expect(readFileSync(file, 'utf8').match(/refresh-token-\d/g)).toEqual(RUTS.map(() => 'refresh-token-3'));
    expect(await currents()).toEqual(['access-token-4', 'access-token-5', 'access-token-6']);
    expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual(
      [0, 1, 2, 3, 4, 5].map((count) => `refresh-token-${count}`),
    );
  });

  it('has its newest refresh tokens among the secrets of each', async () => {
    copies(() => ({ refreshToken: server.refreshToken }));
    const { current, secrets } = await open();
    for (const rut of RUTS) await current(rut);
    expect(secrets(A)).toEqual(expect.arrayContaining(['refresh-token-2', 'refresh-token-3']));
  });

  it('may have one refresh token and differ otherwise', async () => {
    copies((rut) => ({ refreshToken: server.refreshToken, scope: `company-${rut}` }));
    expect(await currents()).toEqual(RUTS.map((rut, index) => `access-token-${index + 1}-company-${rut}`));
    expect(readFileSync(file, 'utf8').match(/refresh-token-\d/g)).toEqual(RUTS.map(() => 'refresh-token-3'));
  });

  it.each<[string, object[]]>([
    ['is gone', []],
    ['has a token', [{ rut: A, token: 'own' }]],
    ['has another user', [{ rut: A, login: { username: 'eva', password: PASSWORD } }]],
  ])('is the one of its company, once the first company %s', async (_what, first) => {
    copies(() => user);
    const { current } = await open();
    for (const rut of RUTS) await current(rut);
    const rest = { tokenUrl: server.url, ...user };
    const companies = [...first, { rut: B, login: rest }].map((company) =>
      'login' in company ? { ...company, login: { ...rest, ...Object(company.login) } } : company,
    );
    write({ companies });
    await clock.advance(60 * MINUTE_MS);
    server.asked.length = 0;
    // With the refresh token of its own first answer, which the service no longer takes.
    expect(await current(B)).toBe('access-token-2');
    expect(server.asked.at(-1)).toMatchObject({ username: 'ana' });
  });

  it.each([
    ['a refresh token of its own', undefined],
    ['one for all, which gives no token of the first', A],
  ])('is asked with %s, though its password is refused', async (_which, refusedRut) => {
    server.areRefreshTokensNew = false;
    if (refusedRut !== undefined) server.refusedScopes.add(refusedRut);
    const wrong = { ...user, password: 'wrong', refreshToken: server.refreshToken };
    if (refusedRut === undefined) copies((rut) => (rut === A ? { ...wrong, refreshToken: 'spent' } : wrong));
    else write({ login: { ...wrong, scope: 'rut' } });
    const [first, ...others] = await currents();
    expect(first).toContain(
      refusedRut === undefined ? 'Check its user and password' : `no token for RUT ${A} (status 400)`,
    );
    for (const outcome of others) expect(outcome).toMatch(/^access-token/);
    expect(grants().filter((grant) => grant === 'password')).toHaveLength(refusedRut === undefined ? 1 : 0);
  });

  it('is tried again for others once its password is another', async () => {
    copies(() => ({ ...user, password: 'wrong' }));
    const { current } = await open();
    await expect(current(A)).rejects.toThrow('Check its user');
    copies(() => user);
    expect(await current(B)).toBe('access-token-2');
  });

  it.each<[string, (rut: string) => object]>([
    ['alike', () => ({})],
    ['each with a scope of its own', (rut) => ({ scope: `company-${rut}` })],
    ['each after a refresh token of its own', (rut) => ({ refreshToken: `spent-${rut}` })],
  ])('tries a wrong password once, %s', async (_how, more) => {
    copies((rut) => ({ ...user, password: 'wrong', ...more(rut) }));
    for (const outcome of await currents()) expect(outcome).toContain('Check its user and password');
    expect(server.asked.filter(({ grant_type }) => grant_type === 'password')).toHaveLength(1);
  });

  it('asks for each scope, and one that is refused fails its company alone', async () => {
    copies((rut) => ({ ...user, scope: `company-${rut}` }));
    server.refusedScopes.add(`company-${A}`);
    expect(await currents()).toEqual([
      expect.stringContaining('Check its "scope"'),
      expect.stringMatching(`^access-token-[123]-company-${B}$`),
      expect.stringMatching(`^access-token-[123]-company-${C}$`),
    ]);
  });
});

describe('a login that fails', () => {
  it('is no outage of its address where what it gave could not be stored: others of the address are asked', async () => {
    const loginOfUser = (username: string) => {
      const { login } = readLogin({ tokenUrl: server.url, username, password: PASSWORD });
      if (login === undefined) throw new Error('no login');
      return login;
    };
    const [one, other] = [loginOfUser('one'), loginOfUser('other')];
    const retry = { reason: 'failed', isUnstored: true } as const;
    const full = { read: () => Promise.reject(new NoTokenError('It is full.', 'Make room.', retry)) };
    const right = { read: async () => other };
    const loginOf = openLogins(
      undefined,
      (rut) => ({ keep: async () => true, ...(rut === A ? full : right) }),
      clock,
    );
    const [failing, good] = [
      loginOf({ rut: A, login: one })?.sourceOf(A, undefined),
      loginOf({ rut: B, login: other })?.sourceOf(B, undefined),
    ];
    for (let minutes = 0; minutes < 25; minutes += 1) {
      await expect(failing?.current()).rejects.toThrow('It is full.');
      await clock.advance(MINUTE_MS);
    }
    expect(await good?.current()).toBe('access-token-1');
  });

  it.each([400, 401, 403])('is asked once for all companies, if it is refused: %i', async (status) => {
    server.status = status;
    write({ login: user });
    const { current } = await open();
    const failed = await Promise.allSettled(RUTS.map((rut) => current(rut)));
    failed.push(...(await Promise.allSettled([current()])));
    const reasons = failed.map((result) =>
      result.status === 'rejected' ? String(result.reason.message) : '',
    );
    expect(new Set(reasons)).toEqual(
      new Set([expect.stringContaining(`the login was refused (status ${status}). Check`)]),
    );
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['once in all where it says that it knows nobody', undefined, 1],
    ['twice where it does not say why, as that may be the first company’s', 401, 2],
  ])('is asked %s, however many companies it is asked for', async (_what, status, times) => {
    server.status = status;
    write({ login: { ...user, password: 'wrong', scope: 'rut' } });
    const { current } = await open();
    await Promise.all(RUTS.map((rut) => expect(current(rut)).rejects.toThrow('refused')));
    expect(server.asked).toHaveLength(times);
  });

  it.each<[string, Answer, number]>([
    ['unprocessable content', { status: 422 }, 2],
    ['a locked user', { status: 423 }, 2],
    ['an error with a status of success', { status: 200, body: '{"error":"invalid_grant"}' }, 1],
    ['an error with a status of failure', { status: 500, body: '{"error":"invalid_grant"}' }, 1],
    ['a redirect', { status: 302, headers: { location: '/login' } }, 5],
    ['nothing at this address', { status: 404 }, 5],
    ['JSON without a token', { status: 200, body: '{}' }, 5],
  ])('is sent a wrong password no more often where it answers with %s', async (_what, answer, most) => {
    const other = await startHttpServer(() => answer);
    const tokenUrl = `${other.address.href}token`;
    const ruts = rutsOf(20);
    write({ login: { ...user, tokenUrl, scope: 'rut' }, companies: ruts.map((rut) => ({ rut })) });
    const { current } = await open();
    for (const rut of [...ruts, ...ruts]) await expect(current(rut)).rejects.toThrow(/^the login/);
    expect(other.requests).toHaveLength(most);
  });

  it('that answers twice as while it is deployed gives the other companies their tokens', async () => {
    const ruts = rutsOf(9);
    write({ login: { ...user, scope: 'rut' }, companies: ruts.map((rut) => ({ rut })) });
    server.beforeAnswer = async () => {
      server.status = server.asked.length <= 2 ? 404 : undefined;
    };
    const { current } = await open();
    const tokens = await Promise.allSettled(ruts.map((rut) => current(rut)));
    expect(tokens.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  });

  it.each([422, 404, 302])(
    'is sent the password after a refresh token that it answers with %i',
    async (status) => {
      write({ login: { ...user, refreshToken: 'dead' } });
      server.beforeAnswer = async () => {
        server.status = server.asked.at(-1)?.grant_type === 'refresh_token' ? status : undefined;
      };
      expect(await (await open()).current()).toBe('access-token-2');
    },
  );

  it.each([302, 404])(
    'and gave a token before is asked less often each time it answers %i',
    async (status) => {
      write({ login: { ...user, scope: 'rut' } });
      const { current } = await open();
      await current();
      server.status = status;
      await clock.advance(60 * MINUTE_MS);
      const before = server.asked.length;
      for (let minute = 0; minute < 60; minute += 1) {
        await expect(current()).rejects.toThrow(`(status ${status})`);
        await clock.advance(MINUTE_MS);
      }
      expect(server.asked.length - before).toBeLessThan(20);
    },
  );

  it('for another user, or at another address, is sent nothing of the one before', async () => {
    write({ login: user });
    const { current } = await open();
    await current();
    const other = await startHttpServer(() => ({ body: '{"access_token":"theirs","token_type":"bearer"}' }));
    write({ login: { ...user, username: 'bea', tokenUrl: other.address.href } });
    for (let times = 0; times < 3; times += 1) {
      await clock.advance(60 * MINUTE_MS);
      expect(await current()).toBe('theirs');
    }
    expect(other.requests).toHaveLength(3);
    for (const { body } of other.requests)
      expect(JSON.parse(body)).toMatchObject({ grant_type: 'password', username: 'bea' });
  });

  it('that does not say why it refuses the first company is asked for the others', async () => {
    write({ login: { ...user, scope: 'rut' } });
    server.beforeAnswer = async () => {
      server.status = server.asked.at(-1)?.scope === A ? 403 : undefined;
    };
    const { current } = await open();
    await expect(current()).rejects.toThrow('refused (status 403)');
    expect(await current(B)).toBe(`access-token-2-${B}`);
    expect(await current(C)).toBe(`access-token-3-${C}`);
  });

  it('for twenty minutes is asked once in ten, though each company has its own', async () => {
    server.status = 500;
    const login = (rut: string) => ({ tokenUrl: server.url, username: rut, password: PASSWORD });
    write({ companies: RUTS.map((rut) => ({ rut, login: login(rut) })) });
    const { current } = await open();
    for (let minute = 0; minute < 20; minute += 10) {
      for (const rut of [A, B]) await expect(current(rut)).rejects.toThrow('status 500');
      await clock.advance(10 * MINUTE_MS);
    }
    await expect(current()).rejects.toThrow('status 500');
    const asked = server.asked.length;
    for (let times = 0; times < 2; times += 1)
      await expect(current(B)).rejects.toMatchObject({ retry: { isPause: true, retryAfterMs: 600_000 } });
    expect(server.asked).toHaveLength(asked);
    await expect(current(C)).rejects.toMatchObject({ retry: { isPause: true, retryAfterMs: 600_000 } });
    expect(server.asked).toHaveLength(asked);
    server.status = undefined;
    await clock.advance(10 * MINUTE_MS);
    expect(await current(C)).toBe(`access-token-${asked + 1}`);
    expect(await current(B)).toBe(`access-token-${asked + 2}`);
  });

  it.each<[string, () => object]>([
    ['one user', () => user],
    ['one refresh token', () => ({ refreshToken: server.refreshToken })],
  ])(
    'is no longer asked by own logins of %s, one after another, that have waited for twenty minutes',
    async (_of, own) => {
      server.fault = 'reset';
      server.beforeAnswer = async () => await clock.advance(MINUTE_MS);
      const ruts = rutsOf(40);
      write({ companies: ruts.map((rut) => ({ rut, login: { tokenUrl: server.url, ...own() } })) });
      const { current } = await open();
      const outcomes = await Promise.all(ruts.map((rut) => current(rut).catch(String)));
      for (const outcome of outcomes) expect(outcome).toContain('the login could not be asked');
      expect(server.asked.length).toBeLessThan(25);
    },
  );

  it('and that gives some of them a new refresh token gives it to nobody else', async () => {
    const ruts = rutsOf(8);
    const login = (rut: string) => ({ ...user, tokenUrl: other.address.href, refreshToken: `dead-${rut}` });
    const other = await startHttpServer(({ body }) => {
      const { grant_type } = JSON.parse(body);
      if (grant_type === 'refresh_token') return { status: 400, body: '{"error":"invalid_grant"}' };
      return { body: `Notice: {"refresh_token": "next-${other.requests.length}", "access_token": "a` };
    });
    write({ companies: ruts.map((rut) => ({ rut, login: login(rut) })) });
    const { current } = await open();
    await Promise.all(ruts.map((rut) => current(rut).catch(String)));
    const kept = readFileSync(file, 'utf8').match(/next-\d+/g) ?? [];
    expect(kept.length).toBeGreaterThan(4);
    expect(new Set(kept).size).toBe(kept.length);
  });

  it('for one company gives another its next token all the same', async () => {
    const login = (rut: string) => ({ tokenUrl: server.url, username: rut, password: PASSWORD });
    write({ companies: [A, B].map((rut) => ({ rut, login: login(rut) })) });
    server.beforeAnswer = async () => {
      server.status = server.asked.at(-1)?.username === A ? 500 : undefined;
    };
    const { current } = await open();
    const given = await current(B);
    for (let minute = 0; minute < 55; minute += 5) {
      await current(A).catch(() => undefined);
      await clock.advance(5 * MINUTE_MS);
    }
    expect(await current(B)).not.toBe(given);
  });

  it('fails the companies alone that it gives no token of, the first too, and names them', async () => {
    write({ login: { ...user, scope: 'rut' } });
    for (const rut of [A, C]) server.refusedScopes.add(rut);
    const { current } = await open();
    for (const rut of [A, C, A])
      await expect(current(rut)).rejects.toThrow(
        `the login gives no token for RUT ${rut} (status 400). Check that its user may read this company`,
      );
    expect(await current(B)).toBe(`access-token-3-${B}`);
    expect(server.asked).toHaveLength(3);
  });

  it('is asked for no other company once its password is wrong, though some have a token', async () => {
    write({ login: { ...user, scope: 'rut' } });
    const { current } = await open();
    await current(A);
    write({ login: { ...user, password: 'wrong', scope: 'rut' } });
    for (const rut of [B, C]) await expect(current(rut)).rejects.toThrow('Check its user and password');
    expect(await current(A)).toBe(`access-token-1-${A}`);
    expect(server.asked).toHaveLength(2);
  });

  it('is asked again if it could not be asked, but not by everybody at once', async () => {
    server.status = 502;
    write({ login: user });
    const { current } = await open();
    const down = { name: 'NoTokenError', retry: { reason: 'failed' } };
    await expect(current()).rejects.toMatchObject(down);
    await expect(current(B)).rejects.toMatchObject(down);
    expect(server.asked).toHaveLength(1);
    server.status = undefined;
    await clock.advance(MINUTE_MS);
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
    expect(server.asked).toHaveLength(3);
    await expect(current()).rejects.toThrow('status 500');
  });
});

/** A program that reads the login and is killed as it calls a function of node:fs/promises. */
function killedReading(path: string, at: string): string {
  const login = new URL('../../lib/companies/login-file.ts', import.meta.url).href;
  return `
    import files from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const before = files.${at};
    files.${at} = async (...given) => {
      await before(...given);
      process.kill(process.pid, 'SIGKILL');
    };
    if ('${at}' === 'rename') files.rename = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
    const { loginInFile } = await import('${login}');
    const place = loginInFile(${JSON.stringify(path)}, undefined);
    await place.reserve(await place.read());
  `;
}

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
    const tokens = await open();
    const other = await open();
    await tokens.current();
    expect(await other.current()).toBe('access-token-2');
    // Or while it is asked with.
    await clock.advance(59 * MINUTE_MS);
    server.beforeAnswer = async () => {
      server.beforeAnswer = async () => undefined;
      write({ login: { refreshToken: 'by hand', password: PASSWORD, username: 'ana' } });
    };
    expect(await tokens.current()).toBe('access-token-5');
    expect(grants().slice(2)).toEqual(['refresh_token', 'refresh_token', 'password']);
  });

  it('is not sent from a file that nothing can replace', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    const link = join(newFolder(), 'companies.json');
    symlinkSync(file, link);
    const place = loginInFile(link, undefined);
    await expect(new LoginTokens(place, {}, clock).sourceOf(A, undefined).current()).rejects.toThrow(
      /no refresh token was sent, because .* it is a link/,
    );
    expect(server.asked).toHaveLength(0);
  });

  it('has room for the next one beside it before it is sent, which is gone afterwards', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    const { size } = statSync(file);
    const room: number[] = [];
    server.beforeAnswer = async () => {
      const [part = ''] = filesIn(dirname(file)).filter((name) => name.endsWith('.part'));
      const { size: reserved, mode } = statSync(join(dirname(file), part));
      room.push(reserved, mode & 0o777);
    };
    await (await open()).current();
    expect(room).toEqual([size + 16 * 1024, 0o600]);
    expect(filesIn(dirname(file))).toEqual(['companies.json']);
    server.status = 500;
    await expect((await open()).current()).rejects.toThrow('status 500');
    expect(filesIn(dirname(file))).toEqual(['companies.json']);
  });

  /** Writes to files by this, in place of the system, until the test ends or what it gives is called. */
  async function writing(lengthAt: (length: number, place: number) => number): Promise<() => void> {
    const handle = await openFile(file);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const { write: writeWhole } = prototype;
    const unpatch = () => void Object.assign(prototype, { write: writeWhole });
    Object.assign(prototype, {
      async write(this: FileHandle, bytes: Buffer, at: number, length: number, place: number) {
        return await Reflect.apply(writeWhole, this, [bytes, at, lengthAt(length, place), place]);
      },
    });
    onTestFinished(unpatch);
    return unpatch;
  }

  it('is written whole, though the disk takes it in parts', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    await writing((length) => Math.min(length, 7));
    await (await open()).current();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      login: { refreshToken: server.refreshToken },
    });
  });

  const noSpace = () => Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });

  it('is kept where a full disk writes what is written over elsewhere first', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    let isFull = true;
    const unpatch = await writing((length) => {
      if (isFull) throw noSpace();
      return length;
    });
    const handle = await openFile(file);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const { truncate } = prototype;
    onTestFinished(() => void Object.assign(prototype, { truncate }));
    Object.assign(prototype, {
      async truncate(this: FileHandle, length: number) {
        if (length === 0) isFull = false;
        await Reflect.apply(truncate, this, [length]);
      },
    });
    await expect((await open()).current()).rejects.toThrow('By hand: copy the "refreshToken" of "login"');
    unpatch();
    expect(await (await open()).current()).toBe('access-token-2');
    expect(server.asked.at(-1)).toMatchObject({ refresh_token: 'refresh-token-1' });
  });

  it('is kept in the least of its place where what was written can’t be synced', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    const handle = await openFile(file);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const { sync } = prototype;
    let failures = 0;
    const unpatch = () => void Object.assign(prototype, { sync });
    onTestFinished(unpatch);
    server.beforeAnswer = async () => {
      server.beforeAnswer = async () => undefined;
      Object.assign(prototype, {
        async sync(this: FileHandle) {
          failures += 1;
          if (failures <= 2) throw noSpace();
          await Reflect.apply(sync, this, []);
        },
      });
    };
    await expect((await open()).current()).rejects.toThrow('By hand: copy the "refreshToken" of "login"');
    unpatch();
    expect(failures).toBe(3);
    expect(await (await open()).current()).toBe('access-token-2');
  });

  it('that could be written nowhere is said to be lost', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    await writing(() => {
      throw noSpace();
    });
    const failed = await (await open()).current().then(String, String);
    expect(failed).toMatch(
      /is lost.* Get a new refresh token, and write it as the "refreshToken" of "login"/,
    );
    expect(filesIn(dirname(file))).toEqual(['companies.json']);
  });

  it.each<[string, (name: string) => void]>([
    ['all', (name) => write({ login: { refreshToken: 'refresh-token-0' }, companies: [{ rut: A, name }] })],
    [
      'one',
      (name) =>
        write({
          companies: [
            { rut: B, name, token: 'own' },
            { rut: A, login: { tokenUrl: server.url, refreshToken: 'refresh-token-0' } },
          ],
        }),
    ],
  ])(
    'of %s is not lost where the disk is full and the file has grown meanwhile',
    async (_whose, writeNamed) => {
      writeNamed('short');
      const roomBytes = statSync(file).size + 16 * 1024;
      const unpatch = await writing((length, place) => {
        if (place < roomBytes) return Math.min(length, roomBytes - place);
        throw noSpace();
      });
      server.beforeAnswer = async () => {
        server.beforeAnswer = async () => undefined;
        writeNamed('a name '.repeat(5_000));
      };
      const failed = await (await open()).current().then(String, String);
      expect(failed).toMatch(/gave a new refresh token, but .* By hand: copy the "refreshToken" of /);
      unpatch();
      expect(await (await open()).current()).toBe('access-token-2');
      expect(server.asked.at(-1)).toMatchObject({ refresh_token: 'refresh-token-1' });
      expect(filesIn(dirname(file))).toEqual(['companies.json']);
    },
  );

  it.skipIf(pinned === undefined)(
    'that could not take its place is kept beside it, told, and used by the next start',
    async () => {
      write({ login: { refreshToken: server.refreshToken } });
      let unpin = () => {};
      server.beforeAnswer = async () => {
        unpin = pinned?.(file) ?? unpin;
        server.beforeAnswer = async () => undefined;
      };
      const failed = await (await open()).current().then(String, String);
      const [part = ''] = filesIn(dirname(file)).filter((name) => name.endsWith('.part'));
      expect(failed).toContain(
        `What it should hold is in ${join(dirname(file), part)}, which the next start`,
      );
      expect(failed).not.toContain('refresh-token');
      await expect((await open()).current()).rejects.toThrow(
        /the newest refresh token is in .*\.part, which could/,
      );
      expect(server.asked).toHaveLength(1);
      unpin();
      expect(await (await open()).current()).toBe('access-token-2');
      expect(filesIn(dirname(file))).toEqual(['companies.json']);
    },
  );

  /** What may be wrong with the file as the next one comes; each gives what mends it. */
  const unread: [string, boolean, () => () => void][] = [
    ['has another name', true, renamed],
    ['is empty', true, () => written('')],
    ['is half written', true, () => written(readFileSync(file, 'utf8').slice(0, -9))],
    ['may not be read', areModesObeyed, () => withMode(file, 0o000, 0o600)],
    ['is in a folder that may not be read', areModesObeyed, () => withMode(dirname(file), 0o000, 0o700)],
  ];
  it.each(unread.filter(([, isPossible]) => isPossible))(
    'that comes while the file %s is kept beside it, told, and used by the next start',
    async (_what, _isPossible, harm) => {
      write({ login: { refreshToken: server.refreshToken } });
      const before = readFileSync(file, 'utf8');
      let mend = () => {};
      server.beforeAnswer = async () => {
        mend = harm();
        server.beforeAnswer = async () => undefined;
      };
      const failed = await (await open()).current().then(String, String);
      mend();
      const [part = ''] = filesIn(dirname(file)).filter((name) => name.endsWith('.part'));
      expect(failed).toContain(
        `What it should hold is in ${join(dirname(file), part)}, which the next start`,
      );
      expect(failed).not.toContain('refresh-token');
      const kept = before.replace('refresh-token-0', 'refresh-token-1');
      expect(readFileSync(join(dirname(file), part), 'utf8')).toBe(kept);
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(await (await open()).current()).toBe('access-token-2');
      expect(filesIn(dirname(file))).toEqual(['companies.json']);
    },
  );

  describe('that a kill left beside it', () => {
    let part: string;
    let before: string;
    /** As after a kill before the new file is in its place. */
    beforeEach(async () => {
      write({ login: { refreshToken: server.refreshToken } });
      before = readFileSync(file, 'utf8');
      server.beforeAnswer = async () => {
        part = join(dirname(file), filesIn(dirname(file)).find((name) => name.endsWith('.part')) ?? '');
        server.beforeAnswer = async () => undefined;
      };
      await (await open()).current();
      renameSync(file, part);
      writeFileSync(file, before, { mode: 0o600 });
    });

    it('is taken into what the file holds by then, however new that is', async () => {
      expect(part).not.toContain('refresh-token');
      const edited = before.replace(C, '211003420017');
      writeFileSync(file, edited);
      utimesSync(part, 0, 0);
      expect(await (await open()).current()).toBe('access-token-2');
      expect(readFileSync(file, 'utf8')).toBe(edited.replace('refresh-token-0', 'refresh-token-2'));
      expect(filesIn(dirname(file))).toEqual(['companies.json']);
    });

    it.each(['link', 'rename', 'rm'])(
      'outlives a kill of its taking up, at %s, which leaves nothing behind',
      async (at) => {
        const { status, signal } = spawnSync(process.execPath, [
          '--input-type=module',
          '-e',
          killedReading(file, at),
        ]);
        expect({ status, signal }).toEqual({ status: null, signal: 'SIGKILL' });
        expect(await (await open()).current()).toBe('access-token-2');
        expect(filesIn(dirname(file))).toEqual(['companies.json']);
      },
    );

    it('is removed, and changes nothing, once the file has another', async () => {
      write({ login: { ...user, refreshToken: 'by hand' } });
      utimesSync(file, 0, 0);
      expect(await (await open()).current()).toBe('access-token-3');
      expect(readFileSync(file, 'utf8')).toContain(PASSWORD);
      expect(filesIn(dirname(file))).toEqual(['companies.json']);
    });

    it('is named if it can’t be read and the login is refused', async () => {
      writeFileSync(part, readFileSync(part, 'utf8').slice(0, -9));
      const failed = await (await open()).current().then(String, String);
      expect(failed).toContain(
        '(status 400). Its newest refresh token may be the "refreshToken" of "login" in',
      );
      expect(failed).toContain(part);
      expect(failed).not.toContain('refresh-token');
      expect(filesIn(dirname(file))).toHaveLength(2);
    });
  });

  describe('that is left beside a file of several logins', () => {
    const other = { refreshToken: 'of-another' };
    const own = { refreshToken: 'refresh-token-0' };
    const writeOwn = (...logins: object[]) =>
      write({
        companies: logins.map((login, index) => ({
          rut: RUTS[index],
          login: { tokenUrl: server.url, ...login },
        })),
      });
    const parts = () => filesIn(dirname(file)).filter((name) => name.endsWith('.part'));
    const written = (): unknown[] =>
      JSON.parse(readFileSync(file, 'utf8')).companies.map(
        ({ login }: { login: { refreshToken: string } }) => login.refreshToken,
      );

    /** Company B's, as its file was moved away while it was asked for. */
    async function leave(...logins: object[]): Promise<void> {
      writeOwn(...logins);
      server.beforeAnswer = async () => {
        server.beforeAnswer = async () => undefined;
        renamed();
      };
      await expect((await open()).current(B)).rejects.toThrow(
        `which the next start takes up. By hand: copy the "refreshToken" of the login of RUT ${B} from there into ${file}, and nothing else.`,
      );
      expect(parts()).toHaveLength(1);
    }

    it.each([
      ['another', 'https://other.example/token'],
      ['the same', undefined],
    ])('is its login’s, whoever has that by then, and no other’s of %s address', async (_which, tokenUrl) => {
      const its = { ...other, ...(tokenUrl && { tokenUrl }) };
      await leave(its, own);
      writeOwn(own, its, own);
      const { current } = await open();
      expect(await current(A)).toBe('access-token-2');
      expect(written()).toEqual(['refresh-token-2', 'of-another', 'refresh-token-2']);
      expect(parts()).toEqual([]);
    });

    it.each<[string, () => void]>([
      ['the address is another', () => writeOwn(other, { ...own, tokenUrl: `${server.url}s` })],
      [
        'another one follows the same',
        () => {
          writeOwn(other, own);
          const [part = ''] = parts();
          const text = readFileSync(join(dirname(file), part), 'utf8');
          const rival = part.replace(/[\da-f]{12}\.part$/, '000000000000.part');
          writeFileSync(join(dirname(file), rival), text.replace('refresh-token-1', 'rival'), {
            mode: 0o600,
          });
        },
      ],
      [
        'its name tells no place',
        () => {
          writeOwn(other, own);
          const [part = ''] = parts();
          renameSync(join(dirname(file), part), join(dirname(file), part.replace(/_\d+/, '')));
        },
      ],
    ])('stays there, and is told, where %s', async (_what, change) => {
      await leave(other, own);
      change();
      const before = [readFileSync(file, 'utf8'), ...parts()];
      const failed = await (await open()).current(B).then(String, String);
      for (const part of parts()) expect(failed).toContain(part);
      expect(failed).toMatch(
        /Its newest refresh token may be (the "refreshToken" of the login of RUT 214844360018|a "refreshToken") in/,
      );
      expect([readFileSync(file, 'utf8'), ...parts()]).toEqual(before);
    });

    it('is not told of another login that is refused', async () => {
      await leave(other, own);
      writeOwn({ refreshToken: 'spent' }, own);
      const [part = ''] = parts();
      writeFileSync(join(dirname(file), part), '{');
      const failed = await (await open()).current(A).then(String, String);
      expect(failed).toContain('the login was refused (status 400). Check');
    });

    it('is not told of a place that was given back meanwhile', async () => {
      writeOwn({ refreshToken: 'spent' });
      const place = loginInFile(file, undefined, A);
      await place.reserve?.(await place.read());
      const [part = ''] = parts();
      // As if another process had made it.
      renameSync(
        join(dirname(file), part),
        join(dirname(file), part.replace(/[\da-f]{12}\.part$/, '0.part'.padStart(17, '0'))),
      );
      const { lstat } = files;
      const unpatch = () => {
        files.lstat = lstat;
        syncBuiltinESMExports();
      };
      onTestFinished(unpatch);
      const gone: string[] = [];
      const goes = async (path: string) => {
        const found = await lstat(path);
        if (!path.endsWith('.part')) return found;
        gone.push(path);
        rmSync(path);
        return found;
      };
      Object.assign(files, { lstat: goes });
      syncBuiltinESMExports();
      const failed = await (await open()).current(A).then(String, String);
      expect(failed).toContain('the login was refused (status 400). Check');
      expect(gone.length).toBeGreaterThan(0);
    });

    it('has its place though its login is gone from the file for a moment, while another is read', async () => {
      writeOwn(own, other);
      const { current } = await open();
      server.beforeAnswer = async () => {
        server.beforeAnswer = async () => undefined;
        write({ companies: [{ rut: B, login: { tokenUrl: server.url, ...other } }] });
        await loginInFile(file, undefined, B).read();
        writeOwn(own, other);
      };
      expect(await current(A)).toBe('access-token-1');
      expect(written()).toEqual(['refresh-token-1', 'of-another']);
      expect(parts()).toEqual([]);
    });

    it('is there once its login has moved to another company, and follows it', async () => {
      writeOwn(other, own);
      server.beforeAnswer = async () => {
        server.beforeAnswer = async () => undefined;
        writeOwn(own, other);
      };
      await expect((await open()).current(B)).rejects.toThrow('the login was moved to another company');
      expect(written()).toEqual(['refresh-token-0', 'of-another']);
      expect(await (await open()).current(A)).toBe('access-token-2');
      expect(written()).toEqual(['refresh-token-2', 'of-another']);
      expect(parts()).toEqual([]);
    });
  });

  it('is kept though the rest of the answer can’t be used', async () => {
    write({ login: { refreshToken: server.refreshToken } });
    server.tokenType = 'mac';
    const { current } = await open();
    await expect(current()).rejects.toThrow('token_type is not bearer');
    expect(readFileSync(file, 'utf8')).toContain('"refresh-token-1"');
    server.tokenType = 'bearer';
    expect(await (await open()).current()).toBe('access-token-2');
  });

  it('is replaced alone, byte for byte, whatever else the file holds', () => {
    const old = { tokenUrl: new URL('https://a.example/t'), refreshToken: new Token('a/b') };
    const anew = new Token('c"d');
    const json = (token: string) =>
      `\ufeff{ "login" :{"refreshToken"\t:\r\n${token} , "body": "\\"refreshToken\\": \\"a/b\\"", "tokenUrl":"https://a.example/t"},
      "companies":[{"name":"{\\"}ñ","login":{"tokenUrl":"https://A.example:443/t","refresh\\u0054oken":${token}}},
      {"login":{"tokenUrl":"https://b.example/t","refreshToken":"a/b"}}],"x":"a/b"}`;
    expect(withRefreshToken(json(String.raw`"a\u002fb"`), old, anew)).toBe(json(String.raw`"c\"d"`));
    write({ login: { ...user, refreshToken: 'void' } });
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0x0d, 0x0a])]));
    expect(readFileSync(file, 'latin1').endsWith('}\r\n')).toBe(true);
  });
});

it('says which secrets no answer may hold: of its last two logins, and no user name', async () => {
  write({ login: { ...user, refreshToken: server.refreshToken } });
  const { login = {} } = await readCompaniesFile(file);
  const source = new LoginTokens(loginInFile(file, undefined), login, clock).sourceOf(A, undefined);
  for (let time = 0; time < 3; time += 1) {
    await source.current();
    await clock.advance(59 * MINUTE_MS);
  }
  const secrets = source.secrets?.() ?? [];
  expect(new Set(secrets.map(({ text }) => text))).toEqual(
    new Set([
      'access-token-2',
      'access-token-3',
      'refresh-token-1',
      'refresh-token-2',
      'refresh-token-3',
      PASSWORD,
    ]),
  );
  expect(new Set(secrets.flatMap(({ text, isWord }) => (isWord === true ? text : [])))).toEqual(
    new Set([PASSWORD]),
  );
});

describe('the secrets that no answer may hold', () => {
  const secrets = async (scope?: string) => {
    write({ login: { refreshToken: server.refreshToken, ...(scope && { scope }) } });
    const { login = {} } = await readCompaniesFile(file);
    const tokens = new LoginTokens(loginInFile(file, undefined), login, clock);
    const source = (rut: string) => tokens.sourceOf(rut, undefined);
    return {
      source,
      texts: (rut: string) =>
        source(rut)
          .secrets?.()
          .map(({ text }) => text),
    };
  };

  it('have the file’s newest refresh tokens, whichever company they were asked for', async () => {
    const { source, texts } = await secrets('rut');
    for (const rut of RUTS) await source(rut).current();
    expect(texts(A)).toEqual(
      expect.arrayContaining([
        `access-token-1-${A}`,
        ...['refresh-token-0', 'refresh-token-1', 'refresh-token-2', 'refresh-token-3'],
      ]),
    );
    expect(texts(A)).not.toContain(`access-token-2-${B}`);
  });

  it('have one that came without an access token', async () => {
    const { source, texts } = await secrets();
    await source(A).current();
    server.tokenType = 'mac';
    await clock.advance(55 * MINUTE_MS);
    expect(await source(A).current()).toBe('access-token-1');
    expect(texts(A)).toContain('refresh-token-2');
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
