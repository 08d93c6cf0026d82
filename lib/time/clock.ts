import { setTimeout as resolveAfter } from 'node:timers/promises';

/** The source of time, which tests control. */
export interface Clock {
  /** Milliseconds since the epoch, to store and show. The clock may be set forward or back at any moment. */
  now(): number;
  /** Milliseconds since some moment of this process, to wait and measure. Never goes back. */
  monotonicMs(): number;
  /**
   * Resolves after `delayMs`; rejects with the signal's reason if it is aborted first. `isInBackground`: the process may
   * end meanwhile.
   */
  sleep(delayMs: number, signal?: AbortSignal, isInBackground?: boolean): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (delayMs, signal, isInBackground = false) => {
    try {
      await resolveAfter(Math.max(0, delayMs), undefined, { signal, ref: !isInBackground });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** With less than this left, no unit is begun and no page asked for. */
const PAUSE_BEFORE_END_MS = 60_000;
/** With less than this left, all work is aborted: the audit and the answer need the time. */
const ABORT_BEFORE_END_MS = 20_000;

/** The end of an invocation. */
export interface Deadline {
  isTimeUp(): boolean;
  signal: AbortSignal;
  /** Must be called: it stops the timer. */
  close(): void;
}

/** Watches how much time an invocation has left. */
export function watchDeadline(remainingMs: () => number): Deadline {
  const abortion = new AbortController();
  const timer = setTimeout(
    () => abortion.abort(new Error('the invocation ran out of time')),
    Math.max(0, remainingMs() - ABORT_BEFORE_END_MS),
  );
  return {
    isTimeUp: () => remainingMs() < PAUSE_BEFORE_END_MS,
    signal: abortion.signal,
    close: () => clearTimeout(timer),
  };
}
