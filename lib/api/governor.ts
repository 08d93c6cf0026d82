import type { Semaphore } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';

/** How a request ended, as far as the governor needs to know. */
export type Outcome =
  | { kind: 'answered' }
  | { kind: 'failed' }
  /** The API asked for fewer requests, or did not keep up. */
  | { kind: 'throttled'; retryAfterMs?: number };

/** Gives a permit back. `sent` only notes that the request is on its way. */
export type Release = (outcome: Outcome | { kind: 'sent' }) => void;

interface Waiter {
  rank: number;
  begin: (release: Release) => void;
}

/** Who took the last turn lets others take the next one. */
const YIELD_MS = 1;

/**
 * Turns to send a request, one after another: each begins a fixed time after the request of the last one was sent, or
 * was given up. So no stretch of time has more requests than turns fit into it, and one. Several governors may share it.
 */
export class RateLimiter {
  private readonly intervalMs: number;
  private readonly clock: Clock;
  private readonly waiting = new Set<() => void>();
  private nextMs: number;
  private isTaken = false;
  private last: Governor | undefined;

  constructor(perSecond: number, clock: Clock) {
    this.intervalMs = 1000 / perSecond;
    this.clock = clock;
    // Whoever had these turns before may have sent its last request just now.
    this.nextMs = clock.monotonicMs() + this.intervalMs;
  }

  /** When the next turn begins, by the monotonic clock; never while one is taken. */
  dueMs(by: Governor): number {
    if (this.isTaken) return Number.POSITIVE_INFINITY;
    return this.nextMs + (by === this.last ? YIELD_MS : 0);
  }

  /** Takes the turn that is due. Returns what ends it. */
  take(by: Governor): () => void {
    this.isTaken = true;
    this.last = by;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.isTaken = false;
      this.nextMs = this.clock.monotonicMs() + this.intervalMs;
      const waiting = [...this.waiting];
      this.waiting.clear();
      for (const onFree of waiting) onFree();
    };
  }

  /** Calls `onFree` once, when the turn that is taken ends. */
  onceFree(onFree: () => void): void {
    this.waiting.add(onFree);
  }
}

/**
 * Limits how many requests of one company are in flight, and when each may start. The limit halves when the API
 * throttles and grows back one by one; nothing starts before a `Retry-After` has passed. Once the API has refused
 * requests, they start one after another, at the rate that it seems to allow.
 */
export class Governor {
  readonly maxInFlight: number;
  private readonly clock: Clock;
  private readonly shared: Semaphore | undefined;
  private readonly estimate: AllowedRate;
  private readonly limiter: RateLimiter | undefined;
  private readonly waiting: Waiter[] = [];
  /** Callbacks that use permits for which nobody waits. */
  private readonly users = new Set<() => void>();
  private ranks = 0;
  private allowed: number;
  private inFlight = 0;
  private pausedUntilMs = 0;
  /** Set while sleeping until the next request may start; aborting it ends the sleep. */
  private wakeUp: AbortController | undefined;
  /** Cuts so far. A request that started before the last cut says nothing about the new limit. */
  private cuts = 0;

  /** `shared` and `limiter`: permits for the requests of all companies together, and their turns. */
  constructor(maxInFlight: number, clock: Clock, shared?: Semaphore, limiter?: RateLimiter) {
    this.shared = shared;
    this.maxInFlight = maxInFlight;
    this.allowed = maxInFlight;
    this.clock = clock;
    this.estimate = new AllowedRate(clock);
    this.limiter = limiter;
  }

  /** The next rank, behind all earlier ones: lists that began earlier are read first, so that they end one by one. */
  nextRank(): number {
    this.ranks += 1;
    return this.ranks;
  }

  /**
   * Waits until a request may start, the lowest rank first. It must start at once. Rejects with the signal's reason if
   * it is aborted first.
   */
  acquire(signal?: AbortSignal, rank = 0): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        if (this.waiting.length === 0) this.wakeUp?.abort();
        reject(signal?.reason);
      };
      const begin = (release: Release) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(release);
      };
      const waiter = { rank, begin };
      signal?.addEventListener('abort', onAbort, { once: true });
      const behind = this.waiting.findLastIndex((other) => other.rank <= rank);
      this.waiting.splice(behind + 1, 0, waiter);
      this.startWaiting();
    });
  }

  /** A permit if one is free and nobody waits, for requests that may be needless, such as reading ahead. */
  tryAcquire(): Release | undefined {
    const nowMs = this.clock.monotonicMs();
    const isFree = this.waiting.length === 0 && this.hasPermit(nowMs) && this.acquireShared();
    if (isFree) return this.start();
    this.wakeUpWhenDue(nowMs);
    return undefined;
  }

  /**
   * Calls `onFree` whenever permits may be free for which nobody waits; callbacks are called in the order in which they
   * were added. Returns a function that removes it.
   */
  whenFree(onFree: () => void): () => void {
    this.users.add(onFree);
    return () => this.users.delete(onFree);
  }

  private hasPermit(nowMs: number): boolean {
    return this.inFlight < Math.max(1, Math.floor(this.allowed)) && nowMs >= this.dueMs();
  }

  private dueMs(): number {
    return Math.max(this.pausedUntilMs, this.estimate.dueMs, this.limiter?.dueMs(this) ?? 0);
  }

  private start(): Release {
    this.inFlight += 1;
    this.estimate.noteStart();
    const endTurn = this.limiter?.take(this);
    const cutsBefore = this.cuts;
    let isReleased = false;
    return (outcome) => {
      endTurn?.();
      if (outcome.kind === 'sent' || isReleased) return;
      isReleased = true;
      this.inFlight -= 1;
      this.shared?.release();
      this.learn(outcome, cutsBefore);
      this.startWaiting();
    };
  }

  private learn(outcome: Outcome, cutsBefore: number): void {
    if (outcome.kind === 'failed') return;
    if (outcome.kind === 'answered') {
      this.estimate.noteAnswer();
      this.allowed = Math.min(this.maxInFlight, this.allowed + 1 / this.allowed);
      return;
    }
    const { retryAfterMs = 0 } = outcome;
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.clock.monotonicMs() + retryAfterMs);
    if (cutsBefore < this.cuts) return;
    this.cuts += 1;
    this.estimate.noteRefusal();
    this.allowed = Math.max(1, this.allowed / 2);
  }

  /** The same function each time: it waits for a shared permit once. */
  private readonly startWaiting = (): void => {
    // One look for all: what is not due by it is waited for, however much time passes meanwhile.
    const nowMs = this.clock.monotonicMs();
    while (this.waiting.length > 0 && this.hasPermit(nowMs)) {
      if (!this.acquireShared()) {
        this.shared?.onceFree(this.startWaiting);
        return;
      }
      this.waiting.shift()?.begin(this.start());
    }
    for (const onFree of this.users) {
      if (this.waiting.length > 0 || !this.hasPermit(nowMs)) break;
      onFree();
    }
    this.wakeUpWhenDue(nowMs);
  };

  private acquireShared(): boolean {
    return this.shared === undefined || this.shared.tryAcquire();
  }

  private wakeUpWhenDue(nowMs: number): void {
    const waitMs = this.dueMs() - nowMs;
    if (waitMs <= 0 || this.wakeUp !== undefined || this.waiting.length + this.users.size === 0) return;
    if (waitMs === Number.POSITIVE_INFINITY) {
      this.limiter?.onceFree(this.startWaiting);
      return;
    }
    this.wakeUp = new AbortController();
    const onEnd = () => {
      this.wakeUp = undefined;
      this.startWaiting();
    };
    this.clock.sleep(waitMs, this.wakeUp.signal).then(onEnd, onEnd);
  }
}

/** Up to this share of the last outcomes, refusals cost less than a slower rate would. */
const HARMLESS_SHARE = 0.03;
const LAST_OUTCOMES = 200;
/** The first estimate counts the answers of the last seconds, over at least one second, if there are enough. */
const WINDOW_S = 10;
const LEAST_ANSWERS = 20;
/** Each refusal multiplies the rate by this; each second without adds this share of it. */
const CUT = 0.95;
const GROWTH_PER_S = 0.004;
/** Refusals that go on at this share of the first rate come at any rate. They are left alone for so many outcomes. */
const MUCH_SLOWER = 0.4;
const LEFT_ALONE_OUTCOMES = 1_000;

/**
 * How many requests a second the API seems to allow, once it has refused some: with short latencies, even one in flight
 * may be too many. The first estimate is the rate of recent answers; it falls a little with every refusal and rises
 * slowly without. Refusals that are few, or go on at a much slower rate, are not caused by the rate and don't change it:
 * otherwise it would fall without end.
 */
class AllowedRate {
  private readonly clock: Clock;
  /** Of the last outcomes, the newest last: whether each was a refusal. */
  private readonly outcomes: boolean[] = [];
  /** When the answers of the last seconds came. */
  private readonly answeredAtMs: number[] = [];
  private firstRate = Number.POSITIVE_INFINITY;
  private rate = Number.POSITIVE_INFINITY;
  private ratedAtMs = 0;
  private leftAlone = 0;
  /** When the next request may start. */
  dueMs = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  noteStart(): void {
    if (this.rate === Number.POSITIVE_INFINITY) return;
    const intervalMs = 1000 / this.perSecond();
    // Timers fire a little late; that much is made up for.
    this.dueMs = Math.max(this.dueMs, this.clock.monotonicMs() - intervalMs) + intervalMs;
  }

  private perSecond(): number {
    return this.rate * (1 + (GROWTH_PER_S * (this.clock.monotonicMs() - this.ratedAtMs)) / 1000);
  }

  noteAnswer(): void {
    this.note(false);
    const nowMs = this.clock.monotonicMs();
    this.answeredAtMs.push(nowMs);
    while ((this.answeredAtMs[0] ?? nowMs) <= nowMs - WINDOW_S * 1000) this.answeredAtMs.shift();
  }

  noteRefusal(): void {
    this.note(true);
    const refusedCount = this.outcomes.filter((isRefusal) => isRefusal).length;
    if (this.leftAlone > 0 || refusedCount <= HARMLESS_SHARE * this.outcomes.length) return;
    const isFirst = this.rate === Number.POSITIVE_INFINITY;
    const before = isFirst ? this.answeredPerS() : this.perSecond();
    if (isFirst) this.firstRate = before;
    this.rate = CUT * before;
    this.ratedAtMs = this.clock.monotonicMs();
    if (this.rate >= MUCH_SLOWER * this.firstRate) return;
    this.rate = Number.POSITIVE_INFINITY;
    this.leftAlone = LEFT_ALONE_OUTCOMES;
  }

  private note(isRefusal: boolean): void {
    this.outcomes.push(isRefusal);
    if (this.outcomes.length > LAST_OUTCOMES) this.outcomes.shift();
    this.leftAlone = Math.max(0, this.leftAlone - 1);
  }

  private answeredPerS(): number {
    const { length: count, 0: firstMs = 0 } = this.answeredAtMs;
    if (count < LEAST_ANSWERS) return Number.POSITIVE_INFINITY;
    return count / Math.max(1, (this.clock.monotonicMs() - firstMs) / 1000);
  }
}
