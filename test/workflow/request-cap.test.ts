import { expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { mostWithin, sentTimes } from '../support/api/sent-times.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const PER_SECOND = 4;
const AT_ONCE = { night: 3, backfill: 2 };
const MOST = 10 * PER_SECOND + AT_ONCE.night + AT_ONCE.backfill + 1;

const { cloud, sandbox, ruts, tasks, ...workflow } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 4,
  receiptsPerDay: 110,
  environment: {
    COMPANIES_AT_ONCE: String(AT_ONCE.night),
    BACKFILL_COMPANIES_AT_ONCE: String(AT_ONCE.backfill),
    API_REQUESTS_PER_SECOND: String(PER_SECOND),
  },
});
const { handler: startRun } = await import('../../functions/start-run.ts');
const [dying = ''] = ruts;
const NIGHTLY = {
  origen: 'programado',
  nombre: 'nocturna',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-12-20T05:00:00Z',
};
const BACKFILL = { desde: '2026-12-15', hasta: '2026-12-16' };

/** Executes a run, one worker of which dies. How many were at work at once, and how many invocations there were. */
async function run(event: unknown) {
  const seen = { atOnce: 0, most: 0, deaths: 0 };
  const ended = await workflow.run(event, {
    exportCompany: async (companyEvent) => {
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      const answer = await tasks.exportCompany(companyEvent).finally(() => {
        seen.atOnce -= 1;
      });
      if ((companyEvent as { rut: string }).rut !== dying || seen.deaths > 0) return answer;
      seen.deaths += 1;
      throw Object.assign(new Error('out of memory'), { name: 'Runtime.OutOfMemory' });
    },
  });
  return { ...ended, seen };
}

it('a night and a backfill at once, with checks and a death, ask no more than the cap in any 10 seconds, as the server counts, and lose nothing', async () => {
  const sentMs = sentTimes(systemClock);
  const backfilling = run(BACKFILL);
  await vi.waitUntil(() => sentMs.length > 10, { timeout: 20_000, interval: 5 });
  const check = () => startRun({ comprobar: {} }, lambdaContext());
  const [night, ...checks] = await Promise.all([run(NIGHTLY), check(), check()]);
  checks.push(await check());
  const backfill = await backfilling;
  for (const { error, output } of [night, backfill]) {
    expect(error).toBeUndefined();
    expect(output).toMatchObject({ resumen: { fallido: 0 } });
  }
  expect([night.seen, backfill.seen]).toMatchObject([
    { most: AT_ONCE.night, deaths: 1 },
    { most: AT_ONCE.backfill, deaths: 1 },
  ]);
  checks.push(await check());
  expect(await differences(cloud, { ...BACKFILL, ruts })).toEqual([]);
  const asked = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
  expect(await differences(cloud, asked)).toEqual([]);
  vi.restoreAllMocks();
  expect(sandbox.stats().requests).toBe(sentMs.length);
  expect(sentMs.length).toBeGreaterThan(2 * MOST);
  expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(MOST);
  expect(checks.at(-1)).toMatchObject({ lectura: { recibidos: expect.any(Number), incompleta: false } });
});
