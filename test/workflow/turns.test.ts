import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences, enter, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

const AT_ONCE = 2;
const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 4, receiptsPerDay: 20 });
const { aws, sandbox } = cloud;
enter(cloud);
vi.stubEnv('COMPANIES_AT_ONCE', String(AT_ONCE));
const { startRunByEvent: startRun } = await import('../support/run/started-run.ts');
const { handler: exportCompany } = await import('../../functions/export-company.ts');
const { handler: publish } = await import('../../functions/publish.ts');
const { handler: finishRun } = await import('../../functions/finish-run.ts');

const definition = synthesisedDefinition({ companiesAtOnce: AT_ONCE });
const ruts = sandbox.companies.map(({ rut }) => rut).sort();
const NIGHTLY = {
  origen: 'programado',
  nombre: 'nocturna-recibidos',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-12-20T05:00:00Z',
};
const BACKFILL = { desde: '2026-11-18', hasta: '2026-11-19' };

beforeEach(() => {
  cloud.reset();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
});

/** Starts a run and executes it; `exportCompany` is what its companies call. */
async function run(event: unknown, worker: (event: unknown) => Promise<unknown>) {
  const { corrida } = await startRun(event);
  const input = aws.steps.executions.find(({ name }) => name === corrida)?.input ?? '';
  return await execute(definition, input, {
    exportCompany: worker,
    publish: (publishEvent) => publish(publishEvent, lambdaContext()),
    finishRun: (runInput) => finishRun(runInput, lambdaContext()),
  });
}

const call = (event: unknown) => exportCompany(event, lambdaContext());
/** Whether the event is the answer of a worker that had to wait. By now, the wait is over. */
const hasWaited = (event: unknown) => (event as { espera_s?: number }).espera_s !== undefined;
const leasesHeld = () =>
  [...cloud.bucket().objects].filter(
    ([key, { metadata }]) => /^\.leases\/\d+$/.test(key) && metadata.until !== '0',
  ).length;

describe('a nightly run that begins while a backfill is under way', () => {
  it('goes before it, both see the API through one cap, and the backfill goes on where it was', async () => {
    const ends: string[] = [];
    const answers: { run: string; hasWaited: boolean; resumen: unknown }[] = [];
    let mostLeases = 0;
    let nightly: Promise<Awaited<ReturnType<typeof run>>> | undefined;
    let workersEnded = Promise.withResolvers<void>();

    const nightlyWorker = async (event: unknown) => {
      // More than a minute has passed, in which workers of the backfill have paused.
      if (hasWaited(event)) {
        await systemClock.sleep(30_000);
        if (leasesHeld() === AT_ONCE) await workersEnded.promise;
      }
      const answer = await call(event);
      answers.push({ run: 'nightly', hasWaited: hasWaited(answer), resumen: answer.resumen });
      return answer;
    };
    const beginNightly = () => {
      nightly ??= run(NIGHTLY, nightlyWorker).finally(() => ends.push('nightly'));
    };
    const backfillWorker = async (event: unknown) => {
      if (hasWaited(event)) {
        // Goes on some minutes after the last worker of the nightly run.
        await nightly;
        await systemClock.sleep(300_000);
      }
      const answer = await call(event);
      answers.push({ run: 'backfill', hasWaited: hasWaited(answer), resumen: answer.resumen });
      workersEnded.resolve();
      workersEnded = Promise.withResolvers();
      return answer;
    };
    aws.disturb = () => {
      mostLeases = Math.max(mostLeases, leasesHeld());
      // Both workers of the backfill are at work.
      if (leasesHeld() === AT_ONCE && sandbox.stats().listRequests > 10) beginNightly();
      return undefined;
    };

    const backfill = await run(BACKFILL, backfillWorker);
    ends.push('backfill');
    expect(ends).toEqual(['nightly', 'backfill']);
    expect((await nightly)?.output).toMatchObject({ unidades: 12, resumen: { exportado: 12, fallido: 0 } });
    expect(backfill.output).toMatchObject({ unidades: 16, resumen: { exportado: 16, fallido: 0 } });
    expect(await differences(cloud, { ...BACKFILL, ruts })).toEqual([]);
    const night = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
    expect(await differences(cloud, night)).toEqual([]);
    expect(mostLeases).toBe(AT_ONCE);
    expect(leasesHeld()).toBe(0);
    const waited = (name: string) => answers.filter((answer) => answer.run === name && answer.hasWaited);
    expect(waited('nightly').length).toBeGreaterThan(0);
    expect(waited('backfill').length).toBeGreaterThan(0);
    expect(cloud.bucket().keys('.staging/')).toEqual([]);
  });
});

describe('a worker that died while it held a lease', () => {
  it('keeps others waiting only as long as it could have lived', async () => {
    cloud
      .bucket()
      .put('.leases/0', Buffer.from('dead'), { until: String(systemClock.now() + 60_000), run: 'x' }, {});
    cloud
      .bucket()
      .put('.leases/1', Buffer.from('dead'), { until: String(systemClock.now() + 60_000), run: 'x' }, {});
    let waits = 0;
    const { output } = await run({ ...BACKFILL, desde: BACKFILL.hasta }, async (event) => {
      if (hasWaited(event)) await systemClock.sleep(61_000);
      const answer = await call(event);
      if (hasWaited(answer)) waits += 1;
      return answer;
    });
    expect(output).toMatchObject({ resumen: { exportado: 8, fallido: 0 } });
    expect(waits).toBe(AT_ONCE);
  });
});
