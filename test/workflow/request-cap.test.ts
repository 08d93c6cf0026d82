import { expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { mostWithin, sentTimes } from '../support/api/sent-times.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const PER_SECOND = 3;
/** The setting says 8, which is lowered. */
const PLACES = 3;
const MOST = 10 * PER_SECOND + PLACES;

const { cloud, sandbox, ruts, tasks, ...workflow } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 4,
  receiptsPerDay: 110,
  settings: { apiRequestsPerSecond: PER_SECOND },
  environment: { COMPANIES_AT_ONCE: String(PLACES), API_REQUESTS_PER_SECOND: String(PER_SECOND) },
});
const { handler: startRun } = await import('../../functions/start-run.ts');
const [dying = ''] = ruts;
const NIGHTLY = {
  origen: 'programado',
  nombre: 'nocturna-recibidos',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-12-20T05:00:00Z',
};
const BACKFILL = { desde: '2026-12-15', hasta: '2026-12-16' };

async function run(event: unknown) {
  let deaths = 0;
  return await workflow.run(event, {
    exportCompany: async (companyEvent) => {
      const { rut, espera_s = 0 } = companyEvent as { rut: string; espera_s?: number };
      await systemClock.sleep(1000 * espera_s);
      const answer = await tasks.exportCompany(companyEvent);
      if (rut !== dying || deaths > 0) return answer;
      deaths += 1;
      throw Object.assign(new Error('out of memory'), { name: 'Runtime.OutOfMemory' });
    },
  });
}

/** A night, a backfill and checks at the same time. When each of their requests was sent. */
async function sentInANight(): Promise<{ sentMs: readonly number[]; checks: readonly unknown[] }> {
  const sentMs = sentTimes(systemClock);
  const backfill = run(BACKFILL);
  await vi.waitUntil(() => sentMs.length > 10, { timeout: 20_000, interval: 5 });
  const check = () => startRun({ comprobar: {} }, lambdaContext());
  const [night, ...checks] = await Promise.all([run(NIGHTLY), check(), check()]);
  checks.push(await check());
  for (const { error, output } of [night, await backfill]) {
    expect(error).toBeUndefined();
    expect(output).toMatchObject({ resumen: { fallido: 0 } });
  }
  checks.push(await check());
  expect(await differences(cloud, { ...BACKFILL, ruts })).toEqual([]);
  const asked = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
  expect(await differences(cloud, asked)).toEqual([]);
  expect(sandbox.stats().requests).toBe(sentMs.length);
  return { sentMs, checks };
}

it('a night under a cap of requests asks no more than that in any 10 seconds, with a backfill, checks and a death, and loses nothing', async () => {
  const { sentMs, checks } = await sentInANight();
  vi.restoreAllMocks();
  expect(sentMs.length).toBeGreaterThan(2 * MOST);
  expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(MOST);
  expect(checks.at(-1)).toMatchObject({ lectura: { recibidos: expect.any(Number), incompleta: false } });
});
