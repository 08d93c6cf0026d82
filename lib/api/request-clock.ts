import { Semaphore } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';
import type { AdaptiveLimiter } from './adaptive-limiter.ts';

/**
 * Turns to send a request, one after another, for all companies: each begins a fixed time after the request of the last
 * one was sent, or was given up. So no stretch of time has more requests than turns fit into it, and one.
 */
export class RequestClock {
  private readonly intervalMs: number;
  private readonly clock: Clock;
  private readonly turn = new Semaphore(1);
  private nextMs: number;

  constructor(perSecond: number, clock: Clock) {
    this.intervalMs = 1000 / perSecond;
    this.clock = clock;
    // Whoever had these turns before may have sent its last request just now.
    this.nextMs = clock.monotonicMs() + this.intervalMs;
  }

  /** Waits for a turn, and for one outside the limiter's pauses. Resolves to what ends it; only its first call counts. */
  async take(limiter: AdaptiveLimiter, signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      await limiter.pause(signal);
      await this.turn.acquire(signal);
      try {
        for (let nowMs = this.clock.monotonicMs(); nowMs < this.nextMs; nowMs = this.clock.monotonicMs())
          await this.clock.sleep(this.nextMs - nowMs, signal);
      } catch (error) {
        this.turn.release();
        throw error;
      }
      if (!limiter.isPaused) return this.end();
      this.turn.release();
    }
  }

  private end(): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.nextMs = this.clock.monotonicMs() + this.intervalMs;
      this.turn.release();
    };
  }
}
