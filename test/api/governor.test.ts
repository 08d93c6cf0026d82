import { describe, expect, it } from 'vitest';
import { Governor, type Release } from '../../lib/api/governor.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

/** Takes permits until none is left, or `count` of them. */
function take(governor: Governor, count = Number.POSITIVE_INFINITY): Release[] {
  const permits: Release[] = [];
  while (permits.length < count) {
    const permit = governor.tryAcquire();
    if (permit === undefined) break;
    permits.push(permit);
  }
  return permits;
}

/** The number of permits available now, assuming that none is taken. */
function allowance(governor: Governor): number {
  const permits = take(governor);
  for (const permit of permits) permit({ kind: 'failed' });
  return permits.length;
}

function throttleAll(permits: readonly Release[], retryAfterMs?: number): void {
  for (const permit of permits) permit({ kind: 'throttled', retryAfterMs });
}

describe('Retry-After', () => {
  it('that has passed, before any timer noticed, lets nobody overtake those who wait', async () => {
    const clock = new FakeClock();
    const governor = new Governor(1, clock);
    throttleAll(take(governor), 5000);
    const waiting = governor.acquire();
    clock.passUnnoticed(5000);
    expect(governor.tryAcquire()).toBeUndefined();
    await clock.advance(0);
    (await waiting)({ kind: 'answered' });
    expect(governor.tryAcquire()).toBeDefined();
  });

  it('wakes up once for all waiters, not once for each', async () => {
    const clock = new FakeClock();
    const governor = new Governor(4, clock);
    throttleAll(take(governor), 5000);
    for (let waiter = 0; waiter < 50; waiter += 1) void governor.acquire();
    await clock.advance(4000);
    expect(clock.delays).toEqual([5000]);
  });
});

describe('an abort', () => {
  it('leaves no timer when nobody waits any more', async () => {
    const clock = new FakeClock();
    const governor = new Governor(4, clock);
    throttleAll(take(governor), 60_000);
    const abort = new AbortController();
    const given = [governor.acquire(abort.signal), governor.acquire(abort.signal)];
    expect(clock.sleeperCount).toBe(1);
    abort.abort();
    await Promise.allSettled(given);
    expect(clock.sleeperCount).toBe(0);
    // The next waiter is still woken.
    const next = governor.acquire();
    await clock.advance(60_000);
    (await next)({ kind: 'answered' });
  });

  it('that comes after the permit was given changes nothing', async () => {
    const governor = new Governor(1, new FakeClock());
    const abort = new AbortController();
    const permit = await governor.acquire(abort.signal);
    abort.abort();
    await settled();
    expect(governor.tryAcquire()).toBeUndefined();
    permit({ kind: 'answered' });
    expect(allowance(governor)).toBe(1);
  });
});
