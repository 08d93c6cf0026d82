import type { Clock } from '../../lib/time/clock.ts';

/** The machine's clock, except that every sleep ends at once and its time has passed. */
export function clockWithoutWaits(): Clock {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  return {
    now,
    monotonicMs: () => performance.now() + aheadMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const dueMs = now() + delayMs;
        setImmediate(() => {
          if (signal?.aborted === true) reject(signal.reason);
          else {
            // The wall clock has whole milliseconds.
            aheadMs += Math.max(0, Math.ceil(dueMs - now()));
            resolve();
          }
        });
      }),
  };
}
