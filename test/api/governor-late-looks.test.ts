import { expect, it } from 'vitest';
import { Governor, RateLimiter, type Release } from '../../lib/api/governor.ts';
import type { Clock } from '../../lib/time/clock.ts';

/** A clock on which some time passes between two looks at it, and whose timers are up to a millisecond early. */
function passingClock(lookMs: number, earlyMs: number): Clock {
  let nowMs = 0;
  const monotonicMs = () => {
    nowMs += lookMs;
    return nowMs;
  };
  return {
    now: monotonicMs,
    monotonicMs,
    sleep: async (delayMs) => {
      await new Promise(setImmediate);
      nowMs += Math.max(0, delayMs - earlyMs);
    },
  };
}

/** How many of ten requests, one after the other, may be sent before nothing happens any more. */
async function sentOf(clock: Clock, governor: Governor): Promise<number> {
  let sent = 0;
  const ask = async () => {
    for (; sent < 10; sent += 1) {
      const permit: Release = await governor.acquire();
      permit({ kind: 'sent' });
      clock.monotonicMs();
      permit({ kind: 'answered' });
    }
  };
  void ask();
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
  return sent;
}

it.each([0.01, 0.05, 0.2, 0.3, 0.4, 0.7, 0.9])(
  'a request that is due at the very moment in which it is looked at is sent: %d ms a look',
  async (lookMs) => {
    for (const earlyMs of [0, 0.15, 0.35, 0.55, 0.8, 1]) {
      const limited = passingClock(lookMs, earlyMs);
      const byLimit = new Governor(2, limited, undefined, new RateLimiter(2, limited));
      const paused = passingClock(lookMs, earlyMs);
      const byPause = new Governor(1, paused);
      (await byPause.acquire())({ kind: 'throttled', retryAfterMs: 500 });
      const counts = [await sentOf(limited, byLimit), await sentOf(paused, byPause)];
      expect([earlyMs, ...counts]).toEqual([earlyMs, 10, 10]);
    }
  },
);
