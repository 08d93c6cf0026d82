import { expect, it } from 'vitest';
import { AdaptiveLimiter } from '../../lib/api/adaptive-limiter.ts';
import { RequestClock } from '../../lib/api/request-clock.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

it('holds for all companies together, is used whole, and lets none starve', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const requestClock = new RequestClock(10, clock);
  const starts: { company: number; atMs: number }[] = [];
  for (const company of [0, 1, 2]) {
    const limiter = new AdaptiveLimiter(4, clock);
    for (let request = 0; request < 100; request += 1) {
      void limiter.acquire().then(async (release) => {
        const endTurn = await requestClock.take(limiter);
        starts.push({ company, atMs: clock.now() - startMs });
        endTurn();
        await clock.sleep(250);
        release('answered');
      });
    }
  }
  await settled();
  await clock.advance(10_000);
  expect(starts).toHaveLength(100);
  for (const [index, { atMs }] of starts.slice(1).entries())
    expect(atMs - (starts[index]?.atMs ?? 0)).toBeGreaterThanOrEqual(100);
  for (const company of [0, 1, 2])
    expect(starts.filter((start) => start.company === company).length).toBeGreaterThan(20);
});

it('counts from the end of a turn, however late, and a turn that is given up or in a pause is nobody’s', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const requestClock = new RequestClock(1, clock);
  const [limiter, other] = [new AdaptiveLimiter(4, clock), new AdaptiveLimiter(4, clock)];
  const sentAtMs: number[] = [];
  const send = async (from: AdaptiveLimiter, preparingMs = 0, signal?: AbortSignal) => {
    const endTurn = await requestClock.take(from, signal);
    await clock.sleep(preparingMs);
    sentAtMs.push(clock.now() - startMs);
    endTurn();
    endTurn();
  };
  const abort = new AbortController();
  void send(limiter, 5_000);
  const givenUp = expect(send(other, 0, abort.signal)).rejects.toThrow('enough');
  void send(other);
  void send(limiter);
  void send(limiter);
  await settled();
  clock.passUnnoticed(2_000);
  abort.abort(new Error('enough'));
  await givenUp;
  await clock.advance(5_000);
  expect(sentAtMs).toEqual([7_000]);
  (await limiter.acquire())('throttled', 3_500);
  await clock.advance(20_000);
  expect(sentAtMs).toEqual([7_000, 8_000, 10_500, 11_500]);
});

/** A clock on which some time passes between two looks at it, and whose timers are up to a millisecond early. */
function passingClock(lookMs: number, earlyMs: number): Clock {
  let nowMs = 0;
  const monotonicMs = () => {
    nowMs += lookMs;
    return nowMs;
  };
  const sleep = async (delayMs: number) => {
    await new Promise(setImmediate);
    nowMs += Math.max(0, delayMs - earlyMs);
  };
  return { now: monotonicMs, monotonicMs, sleep };
}

it.each([0.01, 0.3, 0.9])('turns and pauses end on a clock that passes by %d ms a look', async (lookMs) => {
  for (const earlyMs of [0, 0.35, 1]) {
    const clock = passingClock(lookMs, earlyMs);
    const requestClock = new RequestClock(2, clock);
    const limiter = new AdaptiveLimiter(1, clock);
    for (let request = 0; request < 10; request += 1) {
      const release = await limiter.acquire();
      (await requestClock.take(limiter))();
      release(request % 2 === 0 ? 'throttled' : 'answered', 500);
    }
    expect(clock.now()).toBeGreaterThan(9 * 500 - 10);
  }
});
