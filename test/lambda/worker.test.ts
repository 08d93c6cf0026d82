import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UncheckedCertificateError } from '../../lib/certificates.ts';
import { readEnvironment, WorkerEnvironmentSchema } from '../../lib/lambda/environment.ts';
import { openWorker, startSample, workerWatch } from '../../lib/lambda/worker.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { WORKER_ENVIRONMENT } from '../support/worker-environment.ts';

const NOW_MS = Date.parse('2026-11-20T05:00:00Z');
const DAY_MS = 86_400_000;
const newWatch = () => workerWatch(new FakeClock(NOW_MS));

function tokenThatExpiresIn(days: number): string {
  const exp = Math.round((NOW_MS + days * DAY_MS) / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ exp })}.signature`;
}

function sourceOf(current: string, renewed = current) {
  return { current: async () => current, renew: async () => renewed };
}

it('uses every variable that the stack gives the worker: else a setting would do nothing', () => {
  const given = readEnvironment(WorkerEnvironmentSchema, WORKER_ENVIRONMENT);
  const used = new Set<string | symbol>();
  const watched = new Proxy(given, {
    get: (target, name) => {
      used.add(name);
      return Reflect.get(target, name);
    },
  });
  openWorker(watched).tools.tokensOf('219999830019');
  expect([...used].sort()).toEqual(Object.keys(WorkerEnvironmentSchema.entries).sort());
});

it('asks AWS nothing where nobody checks certificates', () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  // Of the sandbox: the API's own certificate is not at stake.
  const given = { ...WORKER_ENVIRONMENT, API_ADDRESS: 'http://127.0.0.1:8787' };
  expect(() => openWorker(readEnvironment(WorkerEnvironmentSchema, given))).toThrow(
    UncheckedCertificateError,
  );
});

describe('workerWatch', () => {
  it('says how long the token stays valid, and passes it on as it is', async () => {
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

  it('says nothing about a token without an expiry', async () => {
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

  it('passes on the error of a token that can’t be read', async () => {
    const fails = () => Promise.reject(new Error('no secret'));
    const tokens = newWatch().watchTokens({ current: fails, renew: fails });
    await expect(tokens.current()).rejects.toThrow('no secret');
  });
});

function sampleOf(values: readonly number[], capacity: number): readonly number[] {
  const sample = startSample(capacity);
  for (const value of values) sample.add(value);
  return sample.values;
}

describe('startSample', () => {
  it('keeps all while they are few', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 10 }), (values) => {
        expect(sampleOf(values, 10)).toEqual(values);
      }),
    );
  });

  it('keeps an even share of more, at most its capacity and more than half of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 50 }), fc.integer({ min: 1, max: 5000 }), (half, count) => {
        const capacity = 2 * half;
        const kept = sampleOf(
          Array.from({ length: count }, (_, index) => index),
          capacity,
        );
        const step = kept[1] ?? 1;
        expect(kept).toEqual(kept.map((_, index) => index * step));
        expect(kept.length).toBeLessThanOrEqual(capacity);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, half));
        expect((kept.at(-1) ?? 0) + step).toBeGreaterThanOrEqual(count);
      }),
    );
  });

  it('begins again when it is cleared', () => {
    const sample = startSample(4);
    for (let value = 0; value < 100; value += 1) sample.add(value);
    sample.clear();
    for (const value of [7, 8, 9]) sample.add(value);
    expect(sample.values).toEqual([7, 8, 9]);
  });
});
