import { describe, expect, it } from 'vitest';
import { Governor, RateLimiter } from '../../lib/api/governor.ts';
import { rateLimit } from '../../sandbox/service.ts';
import { oneIn } from '../support/campaign.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

interface Sent {
  atMs: number;
  isRefused: boolean;
}

/** Returns the requests of workers that keep asking a rate-limited API for this many simulated seconds. */
async function askedFor(
  seconds: number,
  api: {
    perSecond: number;
    latencyMs: number;
    retryAfterMs?: number;
    maxInFlight?: number;
    /** Whether a request is refused, whatever the pace. */
    isRefusedAnyway?: () => boolean;
  },
): Promise<Sent[]> {
  const { perSecond, latencyMs, retryAfterMs = 1000, maxInFlight = 8, isRefusedAnyway } = api;
  const clock = new FakeClock();
  const startMs = clock.now();
  const secondsToWait = rateLimit(perSecond, () => clock.now());
  const governor = new Governor(maxInFlight, clock);
  const sent: Sent[] = [];
  const work = async () => {
    while (clock.now() < startMs + seconds * 1000) {
      const permit = await governor.acquire();
      const isRefused = secondsToWait() > 0 || isRefusedAnyway?.() === true;
      sent.push({ atMs: clock.now() - startMs, isRefused });
      await clock.sleep(latencyMs);
      permit(isRefused ? { kind: 'throttled', retryAfterMs } : { kind: 'answered' });
      if (isRefused) await clock.sleep(retryAfterMs);
    }
  };
  const workers = Promise.all(Array.from({ length: maxInFlight }, work));
  await settled();
  await clock.advance((seconds + 60) * 1000);
  await workers;
  return sent;
}

function between(sent: readonly Sent[], fromS: number, toS: number) {
  const part = sent.filter(({ atMs }) => atMs >= fromS * 1000 && atMs < toS * 1000);
  const refused = part.filter(({ isRefused }) => isRefused).length;
  return { answeredPerS: (part.length - refused) / (toS - fromS), refusedShare: refused / part.length };
}

describe('a limit of requests a second', () => {
  it.each([
    { perSecond: 20, latencyMs: 5 },
    { perSecond: 20, latencyMs: 50 },
    { perSecond: 20, latencyMs: 300 },
    { perSecond: 5, latencyMs: 5 },
    { perSecond: 100, latencyMs: 20 },
  ])('of $perSecond at $latencyMs ms is used to nine tenths, and rarely exceeded', async (api) => {
    const { answeredPerS, refusedShare } = between(await askedFor(100, api), 10, 100);
    expect(answeredPerS / api.perSecond).toBeGreaterThanOrEqual(0.9);
    expect(refusedShare).toBeLessThan(0.05);
  });

  it('that is never reached slows nothing down', async () => {
    const sent = await askedFor(10, { perSecond: 0, latencyMs: 50 });
    expect(between(sent, 0, 10)).toEqual({ answeredPerS: 160, refusedShare: 0 });
  });

  it('spaces requests out, and starts none before a Retry-After has passed', async () => {
    const sent = await askedFor(60, { perSecond: 20, latencyMs: 5 });
    const settled = sent.filter(({ atMs }) => atMs > 10_000);
    const gaps = settled.slice(1).map(({ atMs }, index) => atMs - (settled[index]?.atMs ?? 0));
    // Two requests may begin together if one was late; three never do.
    expect(Math.min(...gaps.slice(1).map((gap, index) => gap + (gaps[index] ?? 0)))).toBeGreaterThan(0);
    for (const [index, { isRefused }] of settled.slice(0, -1).entries()) {
      // Requests already under way when the refusal arrives are not cancelled.
      if (isRefused) expect(gaps.slice(index, index + 2).some((gap) => gap >= 900)).toBe(true);
    }
  });
});

describe('a limit of this program itself', () => {
  it('holds for all companies together, is used whole, and lets none starve', async () => {
    const clock = new FakeClock();
    const startMs = clock.now();
    const limiter = new RateLimiter(10, clock);
    const starts: { company: number; atMs: number }[] = [];
    for (const company of [0, 1, 2]) {
      const governor = new Governor(4, clock, undefined, limiter);
      for (let request = 0; request < 100; request += 1) {
        void governor.acquire().then(async (permit) => {
          starts.push({ company, atMs: clock.now() - startMs });
          permit({ kind: 'sent' });
          await clock.sleep(250);
          permit({ kind: 'answered' });
        });
      }
    }
    await settled();
    await clock.advance(10_000);
    expect(starts).toHaveLength(100);
    for (const [index, { atMs }] of starts.slice(1).entries()) {
      expect(atMs - (starts[index]?.atMs ?? 0)).toBeGreaterThanOrEqual(100);
    }
    for (const company of [0, 1, 2]) {
      expect(starts.filter((start) => start.company === company).length).toBeGreaterThan(20);
    }
  });

  it('counts from the moment a request is sent, however long that took, and a late one is not made up for', async () => {
    const clock = new FakeClock();
    const startMs = clock.now();
    const limiter = new RateLimiter(1, clock);
    const [one, other] = [
      new Governor(4, clock, undefined, limiter),
      new Governor(4, clock, undefined, limiter),
    ];
    const sentAtMs: number[] = [];
    for (const [governor, preparingMs] of [
      [one, 5_000],
      [other, 0],
      [one, 0],
      [other, 0],
    ] as const) {
      void governor.acquire().then(async (permit) => {
        await clock.sleep(preparingMs);
        sentAtMs.push(clock.now() - startMs);
        permit({ kind: 'sent' });
      });
    }
    await settled();
    clock.passUnnoticed(2_000);
    await clock.advance(20_000);
    expect(sentAtMs).toEqual([7_000, 8_000, 9_000, 10_000]);
  });

  it('lets the next one begin after a request that was never sent', async () => {
    const clock = new FakeClock();
    const governor = new Governor(4, clock, undefined, new RateLimiter(1, clock));
    const given = governor.acquire();
    const next = governor.acquire();
    await clock.advance(1_000);
    expect(governor.tryAcquire()).toBeUndefined();
    (await given)({ kind: 'failed' });
    await clock.advance(1_001);
    (await next)({ kind: 'answered' });
    expect(clock.sleeperCount).toBe(0);
  });
});

describe('refusals that no pace avoids', () => {
  /** Refuses one request in `count` on average, in the same sequence each time. */
  function refusedOnce(count: number): () => boolean {
    let state = 1;
    return () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % count === 0;
    };
  }

  it.each(
    oneIn(2, [
      [100, 100],
      [20, 30],
      [5, 12],
      [2, 5],
    ]),
  )('of one request in %d leave at least %d answers a second', async (count, least) => {
    const api = { perSecond: 0, latencyMs: 50, retryAfterMs: 0, isRefusedAnyway: refusedOnce(count) };
    const { answeredPerS } = between(await askedFor(300, api), 60, 300);
    expect(answeredPerS).toBeGreaterThanOrEqual(least);
  });
});
