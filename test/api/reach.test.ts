import { expect, it, onTestFinished } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { Breaker } from '../../lib/api/breaker.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { newRun } from '../../lib/export/run.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { companiesOf, exportRun } from '../support/export/export-run.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const DAYS = daysBetween('2026-11-10', '2026-11-19');

async function exportFrom(url: string, requestTimeoutMs?: number) {
  const pool = new ConnectionPool();
  onTestFinished(() => pool.destroy());
  const clock = new HurriedClock();
  return await exportRun({
    run: newRun(Date.UTC(2026, 10, 20, 6)),
    companies: companiesOf({ companies: sandboxCompanies(20) }),
    directions: ['recibidos', 'emitidos'],
    days: DAYS,
    session: openApiSession({
      address: new URL(url),
      pool,
      clock,
      breaker: new Breaker({ clock }),
      requestTimeoutMs,
    }),
    store: new MemoryStore(() => 0),
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: 2,
  });
}

it('gives up early on an API that answers nothing, and every unit says why', async () => {
  const gone = await startSandbox();
  await gone.close();
  const results = await exportFrom(gone.url);
  expect(results).toHaveLength(20 * 2 * DAYS.length);
  expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['fallido']));
  for (const { error } of results)
    expect(error).toMatch(/nothing listens at that address and port, ECONNREFUSED/);
  const notAsked = results.filter(({ error }) => error?.includes('not asked, because') === true);
  expect(notAsked.length).toBeGreaterThan(300);
  // Two companies at a time, two lists each, six attempts at most; one more list may have begun.
  expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(30);
});

it('gives up soon on an API that takes connections and answers nothing', async () => {
  const silent = await startHttpServer(() => ({ fault: 'hang' }));
  const results = await exportFrom(silent.address.href, 2);
  expect(results).toHaveLength(20 * 2 * DAYS.length);
  for (const { error } of results) expect(error).toMatch(/the time limit passed/);
  // Two companies at a time. Of each list of several days, and of each day alone, two attempts.
  expect(silent.requests.length).toBeLessThanOrEqual(40);
});
