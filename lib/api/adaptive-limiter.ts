import type { Semaphore } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';

/** How a request ended. `throttled`: the API asked for fewer requests, or did not keep up. */
export type Outcome = 'answered' | 'failed' | 'throttled';

/** Gives a permit back; only the first call counts. After `throttled`, no request starts for `pauseMs`. */
export type Release = (outcome: Outcome, pauseMs?: number) => void;

/** Who goes first of those that wait: the lowest number, as it is then. */
export type Rank = () => number;

interface Waiter {
  rank: Rank;
  begin: () => void;
}

/** What a round of answers, one for each permit, adds to the permits. */
const GROWTH = 0.1;

/**
 * Limits how many requests of one company are in flight: additive increase, multiplicative decrease. A refusal halves the
 * permits and pauses all requests of the company, answers bring the permits back.
 */
export class AdaptiveLimiter {
  readonly maxInFlight: number;
  private readonly clock: Clock;
  private readonly shared: Semaphore | undefined;
  /** Who waits, the first who asked first. */
  private readonly waiting: Waiter[] = [];
  private ranks = 0;
  private allowed: number;
  private inFlight = 0;
  private pausedUntilMs = 0;
  /** A request that started before the last cut says nothing about the new limit. */
  private cuts = 0;

  /** `shared`: permits for the requests of all companies together. */
  constructor(maxInFlight: number, clock: Clock, shared?: Semaphore) {
    this.maxInFlight = maxInFlight;
    this.allowed = maxInFlight;
    this.clock = clock;
    this.shared = shared;
  }

  /** The next rank, behind all earlier ones: lists that began earlier are read first, so that they end one by one. */
  nextRank(): number {
    this.ranks += 1;
    return this.ranks;
  }

  /** Waits until a request may start, the lowest rank first. Rejects with the signal's reason if it is aborted first. */
  async acquire(signal?: AbortSignal, rank: Rank = () => 0): Promise<Release> {
    await this.permit(rank, signal);
    try {
      for (;;) {
        await this.pause(signal);
        await this.shared?.acquire(signal);
        if (!this.isPaused) return this.start();
        this.shared?.release();
      }
    } catch (error) {
      this.giveBack();
      throw error;
    }
  }

  get isPaused(): boolean {
    return this.clock.monotonicMs() < this.pausedUntilMs;
  }

  /** Waits until no pause is left. */
  async pause(signal?: AbortSignal): Promise<void> {
    while (this.isPaused) await this.clock.sleep(this.pausedUntilMs - this.clock.monotonicMs(), signal);
  }

  private get hasPermit(): boolean {
    return this.inFlight < Math.max(1, Math.floor(this.allowed));
  }

  private permit(rank: Rank, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      const begin = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { rank, begin };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(waiter);
      this.serve();
    });
  }

  private serve(): void {
    while (this.hasPermit) {
      const ranks = this.waiting.map(({ rank }) => rank());
      const [next] = this.waiting.splice(ranks.indexOf(Math.min(...ranks)), 1);
      if (next === undefined) break;
      this.inFlight += 1;
      next.begin();
    }
  }

  private start(): Release {
    const cutsBefore = this.cuts;
    let isReleased = false;
    return (outcome, pauseMs = 0) => {
      if (isReleased) return;
      isReleased = true;
      this.shared?.release();
      if (outcome === 'answered') {
        this.allowed = Math.min(this.maxInFlight, this.allowed + GROWTH / this.allowed);
      } else if (outcome === 'throttled') {
        this.pausedUntilMs = Math.max(this.pausedUntilMs, this.clock.monotonicMs() + pauseMs);
        if (cutsBefore === this.cuts) {
          this.cuts += 1;
          this.allowed = Math.max(1, this.allowed / 2);
        }
      }
      this.giveBack();
    };
  }

  private giveBack(): void {
    this.inFlight -= 1;
    this.serve();
  }
}
