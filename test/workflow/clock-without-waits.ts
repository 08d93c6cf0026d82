import type { Clock } from '../../lib/time/clock.ts';

/** In the night of the sandbox, an hour after its schedule. */
const BEGIN_MS = Date.parse('2026-12-20T06:00:00Z');

interface ClockWithoutWaits extends Clock {
  beginAgain(): void;
}

/** Sets such a clock back to its beginning. */
export function beginAgain(clock: Clock): void {
  if (isWithoutWaits(clock)) clock.beginAgain();
}

function isWithoutWaits(clock: Clock): clock is ClockWithoutWaits {
  return 'beginAgain' in clock;
}

/** A clock that begins there. Every sleep ends at once, and its time has passed. */
export function clockWithoutWaits(): ClockWithoutWaits {
  let aheadMs = BEGIN_MS - Date.now();
  let passedMs = 0;
  const now = () => Date.now() + aheadMs;
  return {
    now,
    monotonicMs: () => performance.now() + passedMs,
    beginAgain: () => {
      aheadMs = BEGIN_MS - Date.now();
    },
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const dueMs = now() + delayMs;
        setImmediate(() => {
          if (signal?.aborted === true) reject(signal.reason);
          else {
            // The wall clock has whole milliseconds.
            const leftMs = Math.max(0, Math.ceil(dueMs - now()));
            aheadMs += leftMs;
            passedMs += leftMs;
            resolve();
          }
        });
      }),
  };
}
