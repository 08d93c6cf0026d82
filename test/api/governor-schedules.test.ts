import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Governor, type Outcome, RateLimiter, type Release } from '../../lib/api/governor.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

type Step =
  | { kind: 'acquire' }
  | { kind: 'tryAcquire' }
  | { kind: 'abort'; which: number }
  | { kind: 'release'; which: number; outcome: Outcome }
  | { kind: 'sent'; which: number }
  | { kind: 'pass'; ms: number }
  /** Time passes, but the timers are late. */
  | { kind: 'passUnnoticed'; ms: number };

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Outcome>({ kind: 'answered' }) },
  fc.constant<Outcome>({ kind: 'failed' }),
  fc.constant<Outcome>({ kind: 'throttled' }),
  fc.nat(5000).map((retryAfterMs): Outcome => ({ kind: 'throttled', retryAfterMs })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'acquire' }) },
  fc.constant<Step>({ kind: 'tryAcquire' }),
  fc.record({ kind: fc.constant('abort' as const), which: fc.nat(20) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(20), outcome }) },
  fc.record({ kind: fc.constant('sent' as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constantFrom('pass' as const, 'passUnnoticed' as const), ms: fc.nat(3000) }),
);

/** A permit, and the number of cuts before it was granted. */
interface Held {
  release: Release;
  cutsBefore: number;
}

/** Plays a schedule, and checks independently whether the governor keeps its promises. */
class Schedule {
  readonly clock = new FakeClock();
  readonly held: Held[] = [];
  readonly waiting: { abort: AbortController }[] = [];
  /** Promises that were not kept. */
  private readonly broken: string[] = [];
  private readonly governor: Governor;
  private readonly maxInFlight: number;
  private readonly isCapped: boolean;
  private allowed: number;
  private cuts = 0;
  private pausedUntilMs = 0;

  constructor(maxInFlight: number, perSecond?: number) {
    this.maxInFlight = maxInFlight;
    this.allowed = maxInFlight;
    this.isCapped = perSecond !== undefined;
    const limiter = perSecond === undefined ? undefined : new RateLimiter(perSecond, this.clock);
    this.governor = new Governor(maxInFlight, this.clock, undefined, limiter);
  }

  async play(next: Step): Promise<void> {
    if (next.kind === 'acquire') this.acquire();
    else if (next.kind === 'tryAcquire') this.tryAcquire();
    else if (next.kind === 'abort') this.waiting[next.which]?.abort.abort();
    else if (next.kind === 'release') this.release(next.which, next.outcome);
    else if (next.kind === 'sent') this.held[next.which]?.release({ kind: 'sent' });
    else if (next.kind === 'pass') await this.clock.advance(next.ms);
    else this.clock.passUnnoticed(next.ms);
    await settled();
    if (next.kind === 'pass') this.checkNobodyWaitsInVain();
    this.check();
  }

  /** Ends everything under way. Every waiter must get a permit. */
  async finish(): Promise<void> {
    for (let round = 0; round < 200 && this.held.length + this.waiting.length > 0; round += 1) {
      this.release(0, { kind: 'answered' });
      await this.clock.advance(5000);
    }
    this.check();
    expect([this.held.length, this.waiting.length, this.clock.sleeperCount]).toEqual([0, 0, 0]);
  }

  private acquire(): void {
    const waiter = { abort: new AbortController() };
    this.waiting.push(waiter);
    this.governor.acquire(waiter.abort.signal).then(
      (release) => {
        if (this.waiting.shift() !== waiter) this.broken.push('not in the order of asking');
        this.hold(release);
      },
      () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
      },
    );
  }

  private tryAcquire(): void {
    const isFree = this.isFree();
    const release = this.governor.tryAcquire();
    if (release === undefined) {
      if (isFree && this.waiting.length === 0) this.broken.push('refused although there is a permit');
      return;
    }
    if (this.waiting.length > 0) this.broken.push('overtook a waiting one');
    this.hold(release);
  }

  private hold(release: Release): void {
    if (this.held.length >= this.permits()) this.broken.push('more in flight than allowed');
    if (this.clock.now() < this.pausedUntilMs) this.broken.push('begun during a pause');
    this.held.push({ release, cutsBefore: this.cuts });
  }

  private release(which: number, outcome: Outcome): void {
    const [held] = this.held.splice(which, 1);
    if (held === undefined) return;
    if (outcome.kind === 'answered') {
      this.allowed = Math.min(this.maxInFlight, this.allowed + 1 / this.allowed);
    }
    if (outcome.kind === 'throttled') {
      this.pausedUntilMs = Math.max(this.pausedUntilMs, this.clock.now() + (outcome.retryAfterMs ?? 0));
      if (held.cutsBefore === this.cuts) {
        this.cuts += 1;
        this.allowed = Math.max(1, this.allowed / 2);
      }
    }
    held.release(outcome);
    held.release(outcome);
  }

  private permits(): number {
    return Math.max(1, Math.floor(this.allowed));
  }

  private checkNobodyWaitsInVain(): void {
    if (this.isFree() && this.waiting.length > 0) this.broken.push('waits although there is a permit');
  }

  /** Whether it must be given. Under a cap, it may be no turn yet. */
  private isFree(): boolean {
    return !this.isCapped && this.held.length < this.permits() && this.clock.now() >= this.pausedUntilMs;
  }

  private check(): void {
    expect(this.broken).toEqual([]);
  }
}

describe('any schedule of requests', () => {
  it('respects permits and pauses, serves in the order of asking, and forgets nobody', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
        fc.array(step, { minLength: 30, maxLength: 60 }),
        async (maxInFlight, perSecond, steps) => {
          const schedule = new Schedule(maxInFlight, perSecond);
          for (const next of steps) await schedule.play(next);
          await schedule.finish();
        },
      ),
      { numRuns: campaign({ quick: 40, long: 300 }) },
    );
  });
});
