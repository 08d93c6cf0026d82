import { describe, expect, it } from 'vitest';
import { WorkerWatch } from '../../lib/lambda/worker-watch.ts';
import { FakeClock } from '../support/fake-clock.ts';

const NOW_MS = Date.parse('2026-11-20T05:00:00Z');
const DAY_MS = 86_400_000;
const newWatch = () => new WorkerWatch(new FakeClock(NOW_MS));

function tokenThatExpiresIn(days: number): string {
  const exp = Math.round((NOW_MS + days * DAY_MS) / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ exp })}.signature`;
}

function sourceOf(current: string, renewed = current) {
  return { current: async () => current, renew: async () => renewed };
}

describe('WorkerWatch', () => {
  it('says how long the token is good, and passes it on as it is', async () => {
    const watch = newWatch();
    const token = tokenThatExpiresIn(6.5);
    expect(await watch.watchTokens(sourceOf(token)).current()).toBe(token);
    expect(watch.tokenDaysLeft).toBeCloseTo(6.5, 4);
  });

  it('goes by the token that was read last, and says so when it has expired', async () => {
    const watch = newWatch();
    const tokens = watch.watchTokens(sourceOf(tokenThatExpiresIn(30), tokenThatExpiresIn(-2)));
    await tokens.current();
    await tokens.renew();
    expect(watch.tokenDaysLeft).toBeCloseTo(-2, 4);
  });

  it('says nothing of a token that does not say', async () => {
    const watch = newWatch();
    await watch.watchTokens(sourceOf('opaque')).current();
    expect(watch.tokenDaysLeft).toBeUndefined();
  });

  it('forgets one company when the next begins', async () => {
    const watch = newWatch();
    await watch.watchTokens(sourceOf(tokenThatExpiresIn(3))).current();
    watch.latencies.add(12);
    watch.begin();
    expect(watch.tokenDaysLeft).toBeUndefined();
    expect(watch.latencies.values).toEqual([]);
  });

  it('passes on that a token can not be had', async () => {
    const fails = () => Promise.reject(new Error('no secret'));
    const tokens = newWatch().watchTokens({ current: fails, renew: fails });
    await expect(tokens.current()).rejects.toThrow('no secret');
  });
});
