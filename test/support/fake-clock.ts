import type { Clock } from '../../lib/time/clock.ts';

interface Sleeper {
  dueMs: number;
  wake: () => void;
}

/** A clock that stands still until it is told to go on; nothing sleeps for real. */
export class FakeClock implements Clock {
  /** Every delay that was asked for, in order. */
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

  /** As when somebody, or a time server, sets the machine's clock: no time goes by. */
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

  /** Goes on by so much, waking whoever is due on the way, the earliest first. */
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

  /** Goes on by so much without waking anybody, as when timers are late; the next `advance` wakes them. */
  passUnnoticed(byMs: number): void {
    this.nowMs += byMs;
  }

  /** What happens when somebody begins to sleep: here nothing. */
  protected onSleep(): void {}

  private nextDue(untilMs: number): Sleeper | undefined {
    return this.sleepers
      .filter(({ dueMs }) => dueMs <= untilMs)
      .reduce<Sleeper | undefined>((a, b) => (a === undefined || b.dueMs < a.dueMs ? b : a), undefined);
  }
}

/** A clock on which every sleep ends at once, the time gone by. */
export class HurriedClock extends FakeClock {
  protected override onSleep(): void {
    void this.advance(Math.max(0, this.delays.at(-1) ?? 0));
  }
}

/** Resolves when the promises that can go on without an event have done so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
