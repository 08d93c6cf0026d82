import { setTimeout } from 'node:timers/promises';

/** The source of time, which tests control. */
export interface Clock {
  /** Milliseconds since the epoch, to store and show. The clock may be set forward or back at any moment. */
  now(): number;
  /** Milliseconds since some moment of this process, to wait and measure. Never goes back. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason if it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (delayMs, signal) => {
    try {
      await setTimeout(delayMs, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
