import type { Clock } from '../../lib/time/clock.ts';

interface Sleeper {
  dueMs: number;
  wake: () => void;
}

/** A clock that moves only when it is told to. Nothing really sleeps. */
export class FakeClock implements Clock {
  /** All delays that were asked for, in order. */
  readonly delays: number[] = [];
  private nowMs: number;
  private setForwardMs = 0;
  private sleepers: Sleeper[] = [];

  constructor(nowMs = Date.UTC(2026, 10, 20, 9)) {
    this.nowMs = nowMs;
  }

  now(): number {
    return this.nowMs + this.setForwardMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  /** Sets the wall clock back, as a person or a time server may do. No time passes. */
  setBack(byMs: number): void {
    this.setForwardMs -= byMs;
  }

  get sleeperCount(): number {
    return this.sleepers.length;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    this.delays.push(delayMs);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = { dueMs: this.nowMs + delayMs, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
      this.onSleep();
    });
  }

  /** Advances the clock, waking sleepers when they are due, the earliest first. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.nowMs + byMs;
    for (let next = this.nextDue(endMs); next !== undefined; next = this.nextDue(endMs)) {
      this.sleepers = this.sleepers.filter((other) => other !== next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.wake();
      await settled();
    }
    this.nowMs = endMs;
    await settled();
  }

  /** Advances the clock without waking sleepers, as if timers were late. The next `advance` wakes them. */
  passUnnoticed(byMs: number): void {
    this.nowMs += byMs;
  }

  /** Called when a sleep begins. */
  protected onSleep(): void {}

  private nextDue(untilMs: number): Sleeper | undefined {
    return this.sleepers
      .filter(({ dueMs }) => dueMs <= untilMs)
      .reduce<Sleeper | undefined>((a, b) => (a === undefined || b.dueMs < a.dueMs ? b : a), undefined);
  }
}

/** A clock on which every sleep ends immediately, and its time has passed. */
export class HurriedClock extends FakeClock {
  protected override onSleep(): void {
    void this.advance(Math.max(0, this.delays.at(-1) ?? 0));
  }
}

/** Resolves once all promises that need no event have settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
