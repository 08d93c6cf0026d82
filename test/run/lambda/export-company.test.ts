import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironment } from '../../../lib/run/lambda/environment.ts';
import { openWorker, WorkerEnvironmentSchema, workerWatch } from '../../../lib/run/lambda/export-company.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { WORKER_ENVIRONMENT } from '../../support/worker-environment.ts';

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
    /NODE_TLS_REJECT_UNAUTHORIZED=0/,
  );
});

describe('workerWatch', () => {
  it('goes by the token that was read last, and says so when it has expired', async () => {
    const watch = newWatch();
    const tokens = watch.watchTokens(sourceOf(tokenThatExpiresIn(30), tokenThatExpiresIn(-2)));
    await tokens.current();
    await tokens.renew('refused');
    expect(watch.tokenDaysLeft).toBeCloseTo(-2, 4);
  });

  it('forgets one company when the next begins', async () => {
    const watch = newWatch();
    await watch.watchTokens(sourceOf(tokenThatExpiresIn(3))).current();
    watch.begin();
    expect(watch.tokenDaysLeft).toBeUndefined();
  });
});
