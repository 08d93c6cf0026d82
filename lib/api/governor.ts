import type { Clock } from '../time/clock.ts';

/** What became of a request, as far as the governor cares. */
export type Outcome =
  | { kind: 'answered' }
  | { kind: 'failed' }
  /** The API asked for fewer requests, or did not keep up. */
  | { kind: 'throttled'; retryAfterMs?: number };

export type Release = (outcome: Outcome) => void;

interface Waiter {
  resolve: (release: Release) => void;
}

/**
 * How many requests of one company may be in flight. Halves when the API throttles, grows back one by one,
 * and lets nothing start before a `Retry-After` has passed.
 */
export class Governor {
  readonly maxInFlight: number;
  private readonly clock: Clock;
  private readonly waiting: Waiter[] = [];
  private allowed: number;
  private inFlight = 0;
  private pausedUntilMs = 0;
  private isWakeUpSet = false;
  /** Requests that started before the last cut say nothing about the new allowance. */
  private cutAtMs = Number.NEGATIVE_INFINITY;

  constructor(maxInFlight: number, clock: Clock) {
    this.maxInFlight = maxInFlight;
    this.allowed = maxInFlight;
    this.clock = clock;
  }

  /** Waits for a place. */
  acquire(): Promise<Release> {
    return new Promise((resolve) => {
      this.waiting.push({ resolve });
      this.startWaiting();
    });
  }

  /** A place if one is free and nobody waits: for requests that may turn out needless (read-ahead). */
  tryAcquire(): Release | undefined {
    return this.waiting.length === 0 && this.hasPlace() ? this.start() : undefined;
  }

  private hasPlace(): boolean {
    return this.inFlight < Math.max(1, Math.floor(this.allowed)) && this.clock.now() >= this.pausedUntilMs;
  }

  private start(): Release {
    this.inFlight += 1;
    const startedAtMs = this.clock.now();
    let isReleased = false;
    return (outcome) => {
      if (isReleased) return;
      isReleased = true;
      this.inFlight -= 1;
      this.learn(outcome, startedAtMs);
      this.startWaiting();
    };
  }

  private learn(outcome: Outcome, startedAtMs: number): void {
    if (outcome.kind === 'answered') {
      this.allowed = Math.min(this.maxInFlight, this.allowed + 1 / this.allowed);
      return;
    }
    if (outcome.kind === 'failed') return;
    const nowMs = this.clock.now();
    if (outcome.retryAfterMs !== undefined) {
      this.pausedUntilMs = Math.max(this.pausedUntilMs, nowMs + outcome.retryAfterMs);
    }
    if (startedAtMs < this.cutAtMs) return;
    this.cutAtMs = nowMs;
    this.allowed = Math.max(1, this.allowed / 2);
  }

  private startWaiting(): void {
    while (this.hasPlace()) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      next.resolve(this.start());
    }
    this.wakeUpAfterPause();
  }

  private wakeUpAfterPause(): void {
    const pauseMs = this.pausedUntilMs - this.clock.now();
    if (pauseMs <= 0 || this.waiting.length === 0 || this.isWakeUpSet) return;
    this.isWakeUpSet = true;
    this.clock.sleep(pauseMs).then(() => {
      this.isWakeUpSet = false;
      this.startWaiting();
    });
  }
}
