import { beforeEach, describe, expect, it } from 'vitest';
import { readLogin } from '../../lib/companies/login.ts';
import { openLogins } from '../../lib/companies/login-tokens.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { HurriedClock, settled } from '../support/fake-clock.ts';
import { rutsOf } from '../support/ruts.ts';

let clock: HurriedClock;
let server: TokenServer;
beforeEach(async () => {
  clock = new HurriedClock();
  server = await TokenServer.start(clock);
});

function loginOf(username: string) {
  const { login } = readLogin({ tokenUrl: server.url, username, password: PASSWORD, scope: 'rut' });
  if (login === undefined) throw new Error('no login');
  return login;
}

/** Asks for a company's token, of the shared login or its own; gives why there is none in its place. */
function asker() {
  const tokensOf = openLogins(
    loginOf('ana'),
    (rut) => ({ read: async () => loginOf(rut ?? 'ana'), keep: async () => true }),
    clock,
  );
  return async (rut: string, hasOwn = false) => {
    const tokens = tokensOf({ rut, ...(hasOwn && { login: loginOf(rut) }) });
    const token = await tokens?.sourceOf(rut, undefined).current().catch(String);
    return token?.replace(/-\d+-/, '-');
  };
}

const tokenOf = (rut: string) => `access-token-${rut}`;

/** Answers with this status, but once a second. */
function giveOneASecond(status: number): void {
  let givenAtMs = Number.NEGATIVE_INFINITY;
  server.beforeAnswer = async () => {
    const isFree = clock.now() - givenAtMs >= 1_000;
    server.status = isFree ? undefined : status;
    if (isFree) givenAtMs = clock.now();
  };
}

describe('a login that asks for fewer requests', () => {
  it.each([
    [429, undefined],
    [429, 1],
    [503, 3],
  ])(
    'and gives one token a second serves forty companies at once: %i, Retry-After %s',
    async (status, seconds) => {
      giveOneASecond(status);
      server.retryAfterSeconds = seconds;
      const beganMs = clock.now();
      const ask = asker();
      expect(await Promise.all(rutsOf(40).map((rut) => ask(rut)))).toEqual(rutsOf(40).map(tokenOf));
      expect(server.asked.length).toBeLessThan(80);
      expect(clock.now() - beganMs).toBeLessThan(40 * 4_000);
    },
  );

  it('serves companies with logins of their own by turns, and those that come later', async () => {
    giveOneASecond(429);
    const [first, later] = [rutsOf(8), rutsOf(16).slice(8)];
    const ask = asker();
    const asked: ReturnType<typeof ask>[] = [];
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (...wait) => {
      while (server.asked.length < first.length) await settled();
      if (asked.length === first.length) asked.push(...later.map((rut) => ask(rut, true)));
      await sleep(...wait);
    };
    asked.push(...first.map((rut) => ask(rut, true)));
    await Promise.all(asked);
    expect(await Promise.all(asked)).toEqual([...first, ...later].map(tokenOf));
  });

  it('is asked twice for the first company alone where the wait was in vain', async () => {
    server.status = 429;
    const ask = asker();
    for (const outcome of await Promise.all(rutsOf(10).map((rut) => ask(rut))))
      expect(outcome).toContain('status 429');
    expect(server.asked).toHaveLength(11);
    expect(clock.delays).toEqual([2_000]);
  });

  it.each([11, 86_400])('and wants %i seconds is not waited for', async (seconds) => {
    server.status = 429;
    server.retryAfterSeconds = seconds;
    const [rut = ''] = rutsOf(1);
    await asker()(rut);
    expect({ asked: server.asked.length, delays: clock.delays }).toEqual({ asked: 1, delays: [] });
  });

  it('is sent no password again that it refuses after the wait', async () => {
    server.beforeAnswer = async () => {
      server.status = server.asked.length === 1 ? 429 : 401;
    };
    const ask = asker();
    await Promise.all(rutsOf(5).map((rut) => ask(rut)));
    expect(server.asked).toHaveLength(3);
  });
});
