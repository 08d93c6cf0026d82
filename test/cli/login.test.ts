import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { json, startHttpServer } from '../support/api/http-server.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, runUntil, wordsOf } from '../support/program/run-main.ts';
import { endOf, startProgram } from '../support/program/run-program.ts';

const NIGHT = Date.parse('2026-11-20T05:00:00Z');
const NOW = '2026-11-20T02:00:00';

let sandbox: Sandbox;
let folder: string;
let file: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NIGHT });
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 2, companyCount: 3 });
  folder = newFolder();
  file = join(folder, 'companies.json');
});
afterEach(() => sandbox.close());

/** A companies file with this login for all companies of the sandbox. */
function write(login: object = {}, api = sandbox.url): void {
  const companies = sandbox.companies.map(({ rut, name }) => ({ rut, name }));
  writeFileSync(file, JSON.stringify({ api, login: { ...sandbox.login, ...login }, companies }, null, 2), {
    mode: 0o600,
  });
}

/** The same with a refresh token in place of user and password. Returns it. */
async function writeRefreshToken(): Promise<string> {
  const body = JSON.stringify({ grant_type: 'password', ...sandbox.login });
  const answer = await fetch(sandbox.login.tokenUrl, { method: 'POST', body });
  const { refresh_token: refreshToken } = (await answer.json()) as { refresh_token: string };
  write({ username: undefined, password: undefined, refreshToken });
  return refreshToken;
}

const run = (...words: string[]) => runMain(...words, '--companies', file);
const exportDays = (...words: string[]) => run('export', '--lake', join(folder, 'lake'), ...words);

/** All bytes of all files below a folder. */
function bytesIn(path: string): string {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('companies check with a login', () => {
  it('says that it works, until when, and for how many companies the API answered', async () => {
    write();
    const { code, stdout } = await run('companies', 'check');
    expect(stdout).toContain(
      'The login works; its token is valid until 2026-11-20T14:00:00 (Uruguay), and the API answered for 3 of 3 companies.',
    );
    expect(stdout).not.toContain('Renew soon');
    expect({ code, logins: sandbox.stats().logins }).toEqual({ code: 0, logins: 1 });
  });

  it('says whom its user may not read', async () => {
    const [first] = sandbox.companies;
    write({ username: first?.rut });
    const { code, stdout } = await run('companies', 'check');
    expect(stdout).toContain('and the API answered for 1 of 3 companies.');
    expect(code).toBe(1);
  });

  it('says once that it is refused, and what to do', async () => {
    write({ password: 'a wrong one' });
    const { code, stdout, stderr } = await run('companies', 'check');
    const said = `${stdout}${stderr}`.match(/the login was refused/g);
    expect(stdout).toContain('the login was refused (status 400). Check its user and password');
    expect({ code, refusals: said?.length, logins: sandbox.stats().logins }).toEqual({
      code: 1,
      refusals: 1,
      logins: 1,
    });
  });

  it('is told by probe, too', async () => {
    write();
    const { stdout } = await run('probe', '--out', join(folder, 'probe.json'));
    expect(stdout).toContain('and the API answered for 1 of 1 company.');
  });
});

describe('an export with a login', () => {
  it('runs thirty nights with tokens of twelve hours, with nobody there and one login a night', async () => {
    sandbox.behave({ tokenSeconds: 43_200 });
    await writeRefreshToken();
    for (let night = 0; night < 30; night += 1) {
      const nowMs = NIGHT + night * 86_400_000;
      vi.setSystemTime(nowMs);
      sandbox.setNow(new Date(nowMs - 3 * 3_600_000).toISOString().slice(0, 19));
      sandbox.resetStats();
      const { code, stderr } = await exportDays(
        '--date',
        new Date(nowMs - 86_400_000).toISOString().slice(0, 10),
      );
      expect({ code, stderr }, `night ${night}`).toEqual({ code: 0, stderr: expect.any(String) });
      expect(sandbox.stats().logins).toBe(1);
    }
  });

  it('takes an hour with tokens of two minutes', async () => {
    sandbox.behave({
      tokenSeconds: 120,
      intercept: (request, usual) => {
        const answer = usual(request);
        vi.setSystemTime(Date.now() + 20_000);
        return answer;
      },
    });
    write();
    const words = wordsOf('--from 2026-10-11 --to 2026-11-19 --concurrency 1 --details emitidos --json');
    const { code, stdout } = await exportDays(...words);
    const { totals } = JSON.parse(stdout);
    expect({ code, fallido: totals.fallido }).toEqual({ code: 0, fallido: 0 });
    expect(Date.now() - NIGHT).toBeGreaterThan(3_600_000);
    const { logins, byStatus } = sandbox.stats();
    expect(byStatus[401] ?? 0).toBeLessThan(5);
    expect(logins).toBeGreaterThan(30);
    expect(logins).toBeLessThanOrEqual((Date.now() - NIGHT) / 60_000 + 1);
  });

  it('fails its companies with one sentence if the login is refused, and leaves the others alone', async () => {
    write({ password: 'a wrong one' });
    const [first, ...others] = sandbox.companies;
    const { tokenUrl, username } = sandbox.login;
    const companies = [first, ...others.map(({ rut }) => ({ rut }))];
    writeFileSync(
      file,
      JSON.stringify({ api: sandbox.url, login: { tokenUrl, username, password: 'a wrong one' }, companies }),
      { mode: 0o600 },
    );
    const { code, stdout } = await exportDays('--from', '2026-11-17', '--to', '2026-11-19');
    expect(stdout.match(/the login was refused/g)).toHaveLength(1);
    expect(stdout).toContain('Failed: 12');
    expect({ code, logins: sandbox.stats().logins }).toEqual({ code: 1, logins: 1 });
    expect(stdout).toMatch(/219999830019 .* emitidos +3/);
  });

  it('waits for a login that is down as for the API', async () => {
    write();
    sandbox.behave({ loginStatus: 503 });
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(async (delayMs) => {
      vi.setSystemTime(Date.now() + delayMs);
      // The wait for an API that is down: no retry is as long, and a login's own pause is longer.
      if (delayMs === 30_000) sandbox.behave({ loginStatus: 0 });
    });
    const { code, stderr } = await exportDays('--date', '2026-11-19');
    expect(stderr).toContain('the API is down (the login answered status 503). Asking again in');
    expect({ code, hasWaited: waits.mock.calls.length > 3 }).toEqual({ code: 0, hasWaited: true });
  });

  it('goes on after a kill between a new refresh token and its use', async () => {
    const token = await writeRefreshToken();
    const kill = new AbortController();
    sandbox.behave({
      intercept: () => {
        kill.abort();
        return 'reset';
      },
    });
    const words = ['export', '--lake', join(folder, 'lake'), '--date', '2026-11-19', '--companies', file];
    expect((await runUntil(kill.signal, ...words)).code).toBe(130);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    sandbox.behave({ intercept: (request, usual) => usual(request) });
    expect((await runMain(...words)).code).toBe(0);
  });

  it('leaves no password and no token anywhere but in the file', async () => {
    const password = sandbox.login.password;
    vi.stubEnv('CFE_TEST_PASSWORD', password);
    const { tokenUrl, username } = sandbox.login;
    const companies = sandbox.companies.map(({ rut }) => ({ rut }));
    writeFileSync(
      file,
      JSON.stringify({
        api: sandbox.url,
        login: { tokenUrl, username, passwordFrom: 'env:CFE_TEST_PASSWORD' },
        companies,
      }),
      { mode: 0o600 },
    );
    const seen: string[] = [];
    sandbox.behave({
      intercept: (request, usual) => {
        seen.push(request.authorization?.replace('Bearer ', '') ?? '');
        return seen.length > 6 ? { status: 500, body: password } : usual(request);
      },
    });
    vi.spyOn(systemClock, 'sleep').mockImplementation(async (delayMs) => {
      vi.setSystemTime(Date.now() + delayMs);
    });
    const { code, stdout, stderr } = await exportDays('--date', '2026-11-19', '--json');
    expect(code).toBe(1);
    const shown = `${stdout}${stderr}${bytesIn(folder)}`;
    for (const secret of [password, ...new Set(seen)]) expect(shown).not.toContain(secret);
    vi.stubEnv('CFE_TEST_PASSWORD', undefined);
    sandbox.behave({ intercept: (request, usual) => usual(request) });
    expect((await exportDays('--date', '2026-11-19')).stdout).toContain('the variable is not set');
  });
});

it.each([
  ['each answer has the next refresh token', { refreshToken: 'refresh-token-1', scope: 'rut' }, true],
  ['who waits for the same password, neither', { username: 'ana', password: 'a password' }, false],
])(
  'a login that was asked is waited for when the program is told to end, and none is asked then: %s',
  async (_why, its, isShared) => {
    const server = await startHttpServer(async () => {
      const said = once(child.stderr ?? child, 'data');
      child.kill('SIGINT');
      await said;
      // Whoever sees nothing happen presses it again.
      child.kill('SIGINT');
      // Longer than the program stays for what nobody reads.
      await new Promise((answer) => setTimeout(answer, 1_500));
      return json({ access_token: 'access', token_type: 'bearer', refresh_token: 'refresh-token-2' });
    });
    const login = { tokenUrl: `${server.address.href}token`, ...its };
    const companies = sandbox.companies.map(({ rut }) => ({ rut, ...(!isShared && { login }) }));
    const text = JSON.stringify({ api: server.address.href, ...(isShared && { login }), companies });
    writeFileSync(file, text, { mode: 0o600 });
    const child = startProgram(['companies', 'check', '--companies', file], folder);
    const { code, stderr } = await endOf(child);
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('its answer is waited for'),
    });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('refresh-token-1', 'refresh-token-2'));
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  },
);
