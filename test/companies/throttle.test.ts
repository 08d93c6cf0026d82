import { beforeEach, describe, expect, it } from 'vitest';
import { NoTokenError } from '../../lib/api/access.ts';
import { readLogin } from '../../lib/companies/login.ts';
import { openLogins } from '../../lib/companies/login-tokens.ts';
import { Throttle } from '../../lib/companies/throttle.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { FakeClock, HurriedClock } from '../support/fake-clock.ts';
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

/** Asks for a company's token of the shared login; gives why there is none in its place. */
function asker(signal?: AbortSignal) {
  const tokensOf = openLogins(
    loginOf('ana'),
    () => ({ read: async () => loginOf('ana'), keep: async () => true }),
    clock,
    signal,
  );
  return async (rut: string) => {
    const token = await tokensOf({ rut })?.sourceOf(rut, undefined).current().catch(String);
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

  it('is asked again for the first company alone where all waits were in vain', async () => {
    server.status = 429;
    const ask = asker();
    for (const outcome of await Promise.all(rutsOf(10).map((rut) => ask(rut))))
      expect(outcome).toContain('status 429');
    expect(server.asked).toHaveLength(17);
    expect(clock.delays.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 12_000, 12_000]);
    expect(Math.max(...clock.delays.slice(7))).toBeLessThanOrEqual(2_000);
  });

  it.each([61, 86_400])('and wants %i seconds is not waited for', async (seconds) => {
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

it.each([200, 429])(
  'no login is asked once the signal is aborted, whoever waits for its turn: %i',
  async (status) => {
    const abortion = new AbortController();
    const ask = asker(abortion.signal);
    server.status = status === 200 ? undefined : status;
    server.beforeAnswer = async () => abortion.abort(new Error('interrupted'));
    const outcomes = await Promise.all(rutsOf(10).map((rut) => ask(rut)));
    expect(server.asked).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome?.includes('interrupted')).length).toBeGreaterThanOrEqual(9);
  },
);

describe('logins of one address that are asked at once', () => {
  const throttled = (retryAfterMs?: number) =>
    new NoTokenError('fewer.', '', {
      reason: 'throttled',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  const FIRST = 8;

  /** What becomes of so many, of which some begin later, and when, in seconds. */
  async function played(ask: () => Promise<string>, clock: FakeClock, atOnce = FIRST, signal?: AbortSignal) {
    const throttle = new Throttle(clock);
    const outcomes: string[] = [];
    const beganMs = clock.now();
    const begin = async () => {
      outcomes.push(await throttle.ask(ask, signal).catch(String));
      if (begun < 40) {
        begun += 1;
        await begin();
      }
    };
    let begun = atOnce;
    let isOver = false;
    const all = Promise.all(Array.from({ length: atOnce }, begin)).finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(10);
    await all;
    return { outcomes, seconds: (clock.now() - beganMs) / 1000 };
  }

  describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'are all served by one that gives a token in %i seconds',
    (seconds) => {
      it.each([
        [8, true],
        [8, false],
        [40, true],
        [40, false],
      ])('%i at once, and says how long to wait: %s', async (atOnce, isSaid) => {
        const clock = new FakeClock();
        let freeAtMs = Number.NEGATIVE_INFINITY;
        let askedCount = 0;
        const answer = async () => {
          askedCount += 1;
          // On the way there, some take longer.
          await clock.sleep(20 + ((askedCount * 37) % 40));
          const leftMs = freeAtMs - clock.now();
          if (leftMs > 0) throw throttled(isSaid ? Math.ceil(leftMs / 1_000) * 1_000 : undefined);
          freeAtMs = clock.now() + seconds * 1_000;
          return 'token';
        };
        const { outcomes, seconds: took } = await played(answer, clock, atOnce);
        expect(outcomes).toEqual(Array.from({ length: 40 }, () => 'token'));
        expect(took).toBeLessThan(40 * Math.max(2.5, 2 * seconds));
        expect(askedCount).toBeLessThan(40 + 3 * atOnce);
      });
    },
  );

  it('are begun closer to one another again where it was throttled once', async () => {
    const clock = new FakeClock();
    let askedCount = 0;
    const answer = async () => {
      askedCount += 1;
      if (askedCount === 1) throw throttled(10_000);
      return 'token';
    };
    const { outcomes, seconds } = await played(answer, clock, 1);
    expect(outcomes).toHaveLength(40);
    expect(seconds).toBeLessThan(240);
  });

  it('wait for none that hangs', async () => {
    const clock = new FakeClock();
    let askedCount = 0;
    const hangs = async () => {
      askedCount += 1;
      if (askedCount === 1) throw throttled();
      await clock.sleep(30_000);
      throw new NoTokenError('failed.', '', { reason: 'failed' });
    };
    const { seconds } = await played(hangs, clock);
    expect(askedCount).toBe(41);
    // Eight at once, thirty seconds each, begun two seconds after one another.
    expect(seconds).toBeLessThanOrEqual((40 / FIRST) * 32 + 2 * FIRST);
  });

  it('are asked no more, and not waited for, once the signal is aborted', async () => {
    const clock = new FakeClock();
    const abortion = new AbortController();
    let askedCount = 0;
    const answer = async () => {
      askedCount += 1;
      if (askedCount === 1) throw throttled();
      if (askedCount === 10) abortion.abort(new Error('interrupted'));
      return 'token';
    };
    const { outcomes } = await played(answer, clock, FIRST, abortion.signal);
    expect(outcomes.filter((outcome) => outcome === 'Error: interrupted')).toHaveLength(31);
    expect({ askedCount, lastMs: clock.delays.at(-1) }).toEqual({ askedCount: 10, lastMs: 2_000 });
  });
});
