import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AdaptiveLimiter, type Outcome, type Release } from '../../lib/api/adaptive-limiter.ts';
import { Semaphore } from '../../lib/system/concurrency.ts';
import { rateLimit } from '../../sandbox/service.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

type Step =
  | { kind: 'acquire' }
  | { kind: 'abort'; which: number }
  | { kind: 'release'; which: number; outcome: Outcome; pauseMs: number }
  | { kind: 'pass'; ms: number };

const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'acquire' }) },
  fc.record({ kind: fc.constant('abort' as const), which }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      which,
      outcome: fc.constantFrom<Outcome>('answered', 'answered', 'failed', 'throttled'),
      pauseMs: fc.constantFrom(0, 1, 700, 5000),
    }),
  },
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3000) }),
);

/** Plays a schedule of one company, beside others that share its permits, and checks what the limiter promises. */
class Schedule {
  private readonly clock = new FakeClock();
  private readonly held: Release[] = [];
  private readonly waiting: AbortController[] = [];
  private readonly broken: string[] = [];
  private readonly limiter: AdaptiveLimiter;
  private readonly most: number;
  private readonly shared: Semaphore;
  private pausedUntilMs = 0;

  constructor(maxInFlight: number, shared: number) {
    this.most = Math.min(maxInFlight, shared);
    this.shared = new Semaphore(shared);
    this.limiter = new AdaptiveLimiter(maxInFlight, this.clock, this.shared);
  }

  async play(next: Step): Promise<void> {
    if (next.kind === 'acquire') this.acquire();
    else if (next.kind === 'abort') this.waiting[next.which]?.abort();
    else if (next.kind === 'release') this.release(next.which, next.outcome, next.pauseMs);
    else await this.clock.advance(next.ms);
    await settled();
    expect(this.broken).toEqual([]);
  }

  /** Ends everything under way: every waiter gets a permit, and all permits come back. */
  async finish(): Promise<void> {
    for (let round = 0; round < 200 && this.held.length + this.waiting.length > 0; round += 1) {
      this.release(0, 'answered', 0);
      await this.clock.advance(5000);
    }
    expect({ broken: this.broken, held: this.held.length, waiting: this.waiting.length }).toEqual({
      broken: [],
      held: 0,
      waiting: 0,
    });
    expect(this.clock.sleeperCount).toBe(0);
    while (this.shared.tryAcquire()) this.held.push(() => undefined);
    expect(this.held.length).toBeGreaterThanOrEqual(this.most);
  }

  private acquire(): void {
    const abort = new AbortController();
    this.waiting.push(abort);
    this.limiter.acquire(abort.signal).then(
      (release) => {
        const isNext = this.waiting[0] === abort;
        this.waiting.splice(this.waiting.indexOf(abort), 1);
        // Those whom a pause has interrupted may change places.
        if (!isNext && this.pausedUntilMs === 0) this.broken.push('not in the order of asking');
        this.hold(release);
      },
      () => this.waiting.splice(this.waiting.indexOf(abort), 1),
    );
  }

  private get isPaused(): boolean {
    return this.clock.monotonicMs() < this.pausedUntilMs;
  }

  private hold(release: Release): void {
    if (this.held.length >= this.most) this.broken.push('more in flight than allowed');
    if (this.isPaused) this.broken.push('begun during a pause');
    this.held.push(release);
  }

  private release(index: number, outcome: Outcome, pauseMs: number): void {
    const [release] = this.held.splice(index, 1);
    if (release === undefined) return;
    const pausedUntilMs = this.clock.monotonicMs() + pauseMs;
    if (outcome === 'throttled') this.pausedUntilMs = Math.max(this.pausedUntilMs, pausedUntilMs);
    // A second call says nothing.
    for (const said of [outcome, 'throttled'] as const) release(said, pauseMs);
  }
}

it('any schedule of requests respects permits and pauses, serves in the order of asking, and forgets nobody', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(step, { minLength: 30, maxLength: 60 }),
      async (maxInFlight, shared, steps) => {
        const schedule = new Schedule(maxInFlight, shared);
        for (const next of steps) await schedule.play(next);
        await schedule.finish();
      },
    ),
    { numRuns: campaign({ quick: 40, long: 300 }) },
  );
});

it('lower ranks go first, as they are when a permit is free', async () => {
  const limiter = new AdaptiveLimiter(1, new FakeClock());
  const first = await limiter.acquire();
  const order: number[] = [];
  const ranks = [2, 1, 2, 9];
  const asked = ranks.map(async (_, index) => {
    const release = await limiter.acquire(undefined, () => ranks[index] ?? 0);
    order.push(index);
    release('answered');
  });
  ranks[3] = 0;
  first('answered');
  await Promise.all(asked);
  expect(order).toEqual([3, 1, 0, 2]);
});

it('companies that share permits are served in turn', async () => {
  const shared = new Semaphore(3);
  const limiters = Array.from({ length: 4 }, () => new AdaptiveLimiter(2, new FakeClock(), shared));
  const held: Release[] = [];
  const order: number[] = [];
  const asked = limiters.flatMap((limiter, company) =>
    [0, 1].map(async () => {
      held.push(await limiter.acquire());
      order.push(company);
    }),
  );
  for (let turn = 0; turn < 8; turn += 1) {
    await settled();
    held.shift()?.('answered');
  }
  await Promise.all(asked);
  expect(new Set(order.slice(0, 5)).size).toBeGreaterThanOrEqual(3);
});

interface Limited {
  perSecond: number;
  latencyMs: number;
  companies: number;
  /** Without, the API does not say how long to wait. */
  retryAfterMs?: number;
  /** Of so many requests, one is refused whatever the pace. */
  oneIn?: number;
}

/** Asks as fast as limiters allow, for a simulated minute; each refused request is sent again until it is answered. */
async function askedFor60s({ perSecond, latencyMs, companies, retryAfterMs, oneIn = 0 }: Limited) {
  const clock = new FakeClock();
  const endMs = clock.now() + 60_000;
  const secondsToWait = rateLimit(perSecond, () => clock.now());
  let [answers, refusals, seed] = [0, 0, 1];
  const work = async (limiter: AdaptiveLimiter) => {
    for (let attempt = 1; clock.now() < endMs; ) {
      const release = await limiter.acquire();
      seed = (seed * 48_271) % 2_147_483_647;
      const isRefused = secondsToWait() > 0 || (oneIn > 0 && seed % oneIn === 0);
      await clock.sleep(latencyMs);
      if (isRefused) {
        refusals += 1;
        release('throttled', retryAfterMs ?? (seed % 100) * 2 ** Math.min(attempt, 6));
      } else {
        answers += 1;
        release('answered');
      }
      attempt = isRefused ? attempt + 1 : 1;
    }
  };
  const limiters = Array.from({ length: companies }, () => new AdaptiveLimiter(8, clock));
  const working = Promise.all(limiters.flatMap((limiter) => Array.from({ length: 8 }, () => work(limiter))));
  await settled();
  await clock.advance(120_000);
  await working;
  return { perSecond: answers / 60, refusedShare: refusals / (answers + refusals) };
}

it.each<[Limited, used: number, refused: number]>([
  [{ perSecond: 0, latencyMs: 50, companies: 1 }, 159, 0],
  [{ perSecond: 10, latencyMs: 5, companies: 1, retryAfterMs: 1000 }, 9, 0.15],
  [{ perSecond: 10, latencyMs: 300, companies: 1, retryAfterMs: 1000 }, 9, 0.15],
  [{ perSecond: 100, latencyMs: 20, companies: 1, retryAfterMs: 1000 }, 90, 0.1],
  [{ perSecond: 10, latencyMs: 50, companies: 4, retryAfterMs: 1000 }, 9, 0.4],
  [{ perSecond: 10, latencyMs: 50, companies: 1 }, 9, 0.4],
  [{ perSecond: 0, latencyMs: 50, companies: 1, oneIn: 100 }, 70, 0.02],
  [{ perSecond: 0, latencyMs: 50, companies: 1, oneIn: 5 }, 8, 0.25],
])(
  'the limit %o of the API allows %d answers a second, with no more than %d refused',
  async (limited, used, refused) => {
    const found = await askedFor60s(limited);
    expect(found.perSecond).toBeGreaterThanOrEqual(used);
    expect(found.refusedShare).toBeLessThanOrEqual(refused);
  },
);
