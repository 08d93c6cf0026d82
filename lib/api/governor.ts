import type { Semaphore } from '../concurrency.ts';
import type { Clock } from '../time/clock.ts';
import { startPace } from './pace.ts';

/** How a request ended, as far as the governor needs to know. */
export type Outcome =
  | { kind: 'answered' }
  | { kind: 'failed' }
  /** The API asked for fewer requests, or did not keep up. */
  | { kind: 'throttled'; retryAfterMs?: number };

export type Release = (outcome: Outcome) => void;

interface Waiter {
  rank: number;
  resolve: (release: Release) => void;
}

/**
 * Limits how many requests of one company are in flight. The limit halves when the API throttles and grows back one by
 * one; nothing starts before a `Retry-After` has passed. Once the API has refused requests, they start one after
 * another, at the pace that the API seems to allow.
 */
export class Governor {
  readonly maxInFlight: number;
  private readonly clock: Clock;
  private readonly pace: ReturnType<typeof startPace>;
  private readonly shared: Semaphore | undefined;
  private readonly waiting: Waiter[] = [];
  /** Callbacks that use permits for which nobody waits. */
  private readonly users = new Set<() => void>();
  private ranks = 0;
  private allowed: number;
  private inFlight = 0;
  private pausedUntilMs = 0;
  /** Set while sleeping until a pause ends; aborting it ends the sleep. */
  private wakeUp: AbortController | undefined;
  /** Cuts so far. A request that started before the last cut says nothing about the new limit. */
  private cuts = 0;

  /** `shared`: permits for the requests of all companies together. */
  constructor(maxInFlight: number, clock: Clock, shared?: Semaphore) {
    this.shared = shared;
    this.pace = startPace(clock);
    this.maxInFlight = maxInFlight;
    this.allowed = maxInFlight;
    this.clock = clock;
  }

  /** The next rank, behind all earlier ones: lists that began earlier are read first, so that they end one by one. */
  nextRank(): number {
    this.ranks += 1;
    return this.ranks;
  }

  /** Waits for a permit, the lowest rank first. Rejects with the signal's reason if it is aborted first. */
  acquire(signal?: AbortSignal, rank = 0): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.leave(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        rank,
        resolve: (release) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const behind = this.waiting.findLastIndex((other) => other.rank <= rank);
      this.waiting.splice(behind + 1, 0, waiter);
      this.startWaiting();
    });
  }

  /** A permit if one is free and nobody waits, for requests that may be needless, such as reading ahead. */
  tryAcquire(): Release | undefined {
    return this.waiting.length === 0 && this.hasPermit() && this.acquireShared() ? this.start() : undefined;
  }

  /**
   * Calls `onFree` whenever permits may be free for which nobody waits; callbacks are called in the order in which they
   * were added. Returns a function that removes it.
   */
  whenFree(onFree: () => void): () => void {
    this.users.add(onFree);
    return () => this.users.delete(onFree);
  }

  /** Waits until a request that has its permit may start; rejects with the signal's reason. */
  async waitForPace(signal?: AbortSignal): Promise<void> {
    let startMs = this.pace.nextStart();
    for (;;) {
      const waitMs = Math.max(startMs, this.pausedUntilMs) - this.clock.monotonicMs();
      if (waitMs <= 0) return;
      // Requests that were held back by a pause start one after another, not all at the same moment.
      if (startMs < this.pausedUntilMs) {
        await this.clock.sleep(waitMs, signal);
        startMs = this.pace.nextStart();
      } else await this.clock.sleep(waitMs, signal);
    }
  }

  private hasPermit(): boolean {
    return (
      this.inFlight < Math.max(1, Math.floor(this.allowed)) && this.clock.monotonicMs() >= this.pausedUntilMs
    );
  }

  private start(): Release {
    this.inFlight += 1;
    const cutsBefore = this.cuts;
    let isReleased = false;
    return (outcome) => {
      if (isReleased) return;
      isReleased = true;
      this.inFlight -= 1;
      this.shared?.release();
      this.learn(outcome, cutsBefore);
      this.startWaiting();
    };
  }

  private learn(outcome: Outcome, cutsBefore: number): void {
    if (outcome.kind === 'answered') {
      this.pace.answered();
      this.allowed = Math.min(this.maxInFlight, this.allowed + 1 / this.allowed);
      return;
    }
    if (outcome.kind === 'failed') return;
    if (outcome.retryAfterMs !== undefined) {
      this.pausedUntilMs = Math.max(this.pausedUntilMs, this.clock.monotonicMs() + outcome.retryAfterMs);
    }
    if (cutsBefore < this.cuts) return;
    this.cuts += 1;
    this.pace.refused();
    this.allowed = Math.max(1, this.allowed / 2);
  }

  private startWaiting(): void {
    while (this.waiting.length > 0 && this.hasPermit()) {
      if (!this.acquireShared()) {
        this.shared?.onceFree(this.onSharedFree);
        return;
      }
      this.waiting.shift()?.resolve(this.start());
    }
    this.wakeUpAfterPause();
    for (const onFree of this.users) {
      if (this.waiting.length > 0 || !this.hasPermit()) return;
      onFree();
    }
  }

  private readonly onSharedFree = (): void => this.startWaiting();

  private acquireShared(): boolean {
    return this.shared === undefined || this.shared.tryAcquire();
  }

  private leave(waiter: Waiter): void {
    this.waiting.splice(this.waiting.indexOf(waiter), 1);
    if (this.waiting.length === 0) this.wakeUp?.abort();
  }

  private wakeUpAfterPause(): void {
    const pauseMs = this.pausedUntilMs - this.clock.monotonicMs();
    if (pauseMs <= 0 || this.waiting.length === 0 || this.wakeUp !== undefined) return;
    this.wakeUp = new AbortController();
    const onEnd = () => {
      this.wakeUp = undefined;
      this.startWaiting();
    };
    this.clock.sleep(pauseMs, this.wakeUp.signal).then(onEnd, onEnd);
  }
}
