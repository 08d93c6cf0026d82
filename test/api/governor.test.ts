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

describe('permits', () => {
  it('are as many as may be in flight, and no more', async () => {
    const governor = new Governor(3, new FakeClock());
    const permits = await Promise.all([governor.acquire(), governor.acquire(), governor.acquire()]);
    let isGranted = false;
    const fourth = governor.acquire().then((permit) => {
      isGranted = true;
      return permit;
    });
    await settled();
    expect(isGranted).toBe(false);
    permits[1]?.({ kind: 'answered' });
    (await fourth)({ kind: 'answered' });
    permits[0]?.({ kind: 'answered' });
    permits[2]?.({ kind: 'answered' });
    expect(allowance(governor)).toBe(3);
  });

  it('are granted in the order of asking', async () => {
    const governor = new Governor(1, new FakeClock());
    const first = await governor.acquire();
    const order: number[] = [];
    const others = [1, 2, 3].map(async (number) => {
      const permit = await governor.acquire();
      order.push(number);
      permit({ kind: 'answered' });
    });
    first({ kind: 'answered' });
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
  });

  it('are given back only once, however often the caller releases them', () => {
    const governor = new Governor(2, new FakeClock());
    const [permit] = take(governor, 1);
    permit?.({ kind: 'failed' });
    permit?.({ kind: 'failed' });
    expect(allowance(governor)).toBe(2);
  });

  it('are not for reading ahead while somebody waits', async () => {
    const governor = new Governor(1, new FakeClock());
    const first = await governor.acquire();
    const waiting = governor.acquire();
    expect(governor.tryAcquire()).toBeUndefined();
    first({ kind: 'answered' });
    expect(governor.tryAcquire()).toBeUndefined();
    (await waiting)({ kind: 'answered' });
    expect(governor.tryAcquire()).toBeDefined();
  });
});

describe('throttling', () => {
  it('halves the permits once for all requests that were under way, even within one millisecond', () => {
    const governor = new Governor(8, new FakeClock());
    throttleAll(take(governor));
    expect(allowance(governor)).toBe(4);
  });

  it('halves them again for a request that began after the last cut', async () => {
    const clock = new FakeClock();
    const governor = new Governor(8, clock);
    throttleAll(take(governor));
    throttleAll(take(governor));
    expect(allowance(governor)).toBe(2);
    await clock.advance(1000);
    throttleAll(take(governor));
    expect(allowance(governor)).toBe(1);
  });

  it('never leaves less than one', () => {
    const governor = new Governor(8, new FakeClock());
    for (let wave = 0; wave < 10; wave += 1) throttleAll(take(governor));
    expect(allowance(governor)).toBe(1);
  });

  it('wears off: answered rounds give the permits back one by one, up to the original number', () => {
    const governor = new Governor(8, new FakeClock());
    throttleAll(take(governor));
    const allowances: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      for (const permit of take(governor)) permit({ kind: 'answered' });
      allowances.push(allowance(governor));
    }
    expect(allowances.slice(0, 4)).toEqual([4, 5, 6, 7]);
    expect(allowances.at(-1)).toBe(8);
  });

  it('is not caused by a plain failure', () => {
    const governor = new Governor(8, new FakeClock());
    for (const permit of take(governor)) permit({ kind: 'failed' });
    expect(allowance(governor)).toBe(8);
  });
});

describe('Retry-After', () => {
  it('lets nothing start before it has passed, then as many as are allowed', async () => {
    const clock = new FakeClock();
    const governor = new Governor(4, clock);
    throttleAll(take(governor), 5000);
    let granted = 0;
    const waiting = Array.from({ length: 3 }, () =>
      governor.acquire().then(() => {
        granted += 1;
      }),
    );
    await clock.advance(4999);
    expect([granted, governor.tryAcquire()]).toEqual([0, undefined]);
    await clock.advance(1);
    expect(granted).toBe(2);
    expect(waiting).toHaveLength(3);
  });

  it('is the longest of those given, even if that one comes later', async () => {
    const clock = new FakeClock();
    const governor = new Governor(4, clock);
    const permits = take(governor);
    permits[0]?.({ kind: 'throttled', retryAfterMs: 2000 });
    const waiting = governor.acquire();
    await clock.advance(1000);
    permits[1]?.({ kind: 'throttled', retryAfterMs: 10_000 });
    permits[2]?.({ kind: 'throttled', retryAfterMs: 10 });
    let isGranted = false;
    waiting.then(() => {
      isGranted = true;
    });
    await clock.advance(9999);
    expect(isGranted).toBe(false);
    await clock.advance(1);
    expect(isGranted).toBe(true);
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
  it('ends the waiting at once, and the others keep their turn', async () => {
    const governor = new Governor(1, new FakeClock());
    const first = await governor.acquire();
    const abort = new AbortController();
    const given = governor.acquire(abort.signal);
    const next = governor.acquire();
    abort.abort(new Error('no longer wanted'));
    await expect(given).rejects.toThrow('no longer wanted');
    first({ kind: 'answered' });
    (await next)({ kind: 'answered' });
    expect(allowance(governor)).toBe(1);
  });

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

  it('that came before takes no permit', async () => {
    const governor = new Governor(1, new FakeClock());
    await expect(governor.acquire(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(allowance(governor)).toBe(1);
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
