import { describe, expect, it } from 'vitest';
import { Governor, type Release } from '../../lib/api/governor.ts';
import { Semaphore } from '../../lib/system/concurrency.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

describe('permits that companies share', () => {
  it('never exceed their number, and waiters are served in turn', async () => {
    const shared = new Semaphore(3);
    const clock = new FakeClock();
    const governors = Array.from({ length: 4 }, () => new Governor(2, clock, shared));
    const held: Release[] = [];
    const order: number[] = [];
    let [inFlight, most] = [0, 0];
    const asked = governors.flatMap((governor, company) =>
      [0, 1].map(async () => {
        const release = await governor.acquire();
        order.push(company);
        inFlight += 1;
        most = Math.max(most, inFlight);
        held.push((outcome) => {
          inFlight -= 1;
          release(outcome);
        });
      }),
    );
    for (let turn = 0; turn < 8; turn += 1) {
      await settled();
      held.shift()?.({ kind: 'answered' });
    }
    await Promise.all(asked);
    expect(most).toBe(3);
    expect(order.toSorted()).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    // No company is served twice while another still waits for its first permit.
    expect(new Set(order.slice(0, 5)).size).toBeGreaterThanOrEqual(3);
  });

  it('are not for reading ahead when they are all taken, and come back even after a failure', () => {
    const shared = new Semaphore(1);
    const clock = new FakeClock();
    const [one, other] = [new Governor(8, clock, shared), new Governor(8, clock, shared)];
    const permit = one.tryAcquire();
    expect([other.tryAcquire(), one.tryAcquire()]).toEqual([undefined, undefined]);
    permit?.({ kind: 'failed' });
    permit?.({ kind: 'failed' });
    expect(other.tryAcquire()).toBeDefined();
    expect(one.tryAcquire()).toBeUndefined();
  });

  it('that are no longer wanted go to the next waiter', async () => {
    const shared = new Semaphore(1);
    const clock = new FakeClock();
    const [one, other, third] = [0, 1, 2].map(() => new Governor(1, clock, shared));
    const permit = await one?.acquire();
    const abort = new AbortController();
    const given = other?.acquire(abort.signal);
    const waiting = third?.acquire();
    abort.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    permit?.({ kind: 'answered' });
    (await waiting)?.({ kind: 'answered' });
    expect(shared.tryAcquire()).toBe(true);
  });
});
