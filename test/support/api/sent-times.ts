import { vi } from 'vitest';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import type { Clock } from '../../../lib/time/clock.ts';

/** When each request of this process to an API was sent, from now on; until all mocks are restored. */
export function sentTimes(clock: Pick<Clock, 'monotonicMs'>): number[] {
  const times: number[] = [];
  const { get } = ConnectionPool.prototype;
  vi.spyOn(ConnectionPool.prototype, 'get').mockImplementation(function (this: ConnectionPool, ...request) {
    return get.apply(this, request).once('finish', () => times.push(clock.monotonicMs()));
  });
  return times;
}

/** The most of these times within any so many milliseconds, both ends included. */
export function mostWithin(spanMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, atMs] of sorted.entries()) {
    while ((sorted[first] ?? atMs) < atMs - spanMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
