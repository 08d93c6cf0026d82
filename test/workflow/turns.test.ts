import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const AT_ONCE = 2;
const { cloud, aws, sandbox, ruts, tasks, ...workflow } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 4,
  receiptsPerDay: 20,
  settings: { companiesAtOnce: AT_ONCE },
  environment: { COMPANIES_AT_ONCE: String(AT_ONCE) },
});
const NIGHTLY = {
  origen: 'programado',
  nombre: 'nocturna-recibidos',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-12-20T05:00:00Z',
};
const BACKFILL = { desde: '2026-11-14', hasta: '2026-11-19' };

const run = (event: unknown, worker: (event: unknown) => Promise<unknown>) =>
  workflow.run(event, { exportCompany: worker });
const call = (event: unknown) => tasks.exportCompany(event);
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
    expect(backfill.output).toMatchObject({ unidades: 48, resumen: { exportado: 48, fallido: 0 } });
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

describe('a company whose worker always dies', () => {
  const [dying = '', ...others] = ruts;
  const NIGHT = {
    ruts: others,
    desde: '2026-12-17',
    hasta: '2026-12-19',
    direcciones: ['recibidos'],
  } as const;

  it('holds one place at most, and none between its rounds; it is tried in each, and others lose nothing', async () => {
    const dead: Promise<unknown>[] = [];
    const holdersOfDying = () =>
      [...cloud.bucket().objects]
        .filter(([key, { metadata }]) => /^\.leases\/\d+$/.test(key) && metadata.until !== '0')
        .filter(([, { metadata }]) => metadata.rut === dying)
        .map(([, { metadata }]) => metadata.holder);
    const known = new Set<string | undefined>();
    let most = 0;
    const forever = Promise.withResolvers<void>();
    aws.disturb = async ({ method, path }) => {
      most = Math.max(most, holdersOfDying().length);
      // It never comes so far as to write what it has read, and never releases its lease.
      if (method === 'PUT' && path.includes('/unidades/') && path.includes(dying)) await forever.promise;
      return undefined;
    };
    const betweenRounds: number[] = [];
    const { error } = await run(NIGHTLY, async (event) => {
      if (hasWaited(event)) await systemClock.sleep(90_000);
      const { rut, muertes } = event as { rut: string; muertes: { seguidas: number } };
      if (rut !== dying) return await call(event);
      const answering = call(event);
      if (muertes.seguidas === 3) {
        const answer = await answering;
        betweenRounds.push(holdersOfDying().length);
        return answer;
      }
      const isAtWork = vi.waitUntil(() => holdersOfDying().some((holder) => !known.has(holder)), {
        timeout: 20_000,
        interval: 5,
      });
      const answer = await Promise.race([answering, isAtWork]);
      // There was no place.
      if (typeof answer === 'object') return answer;
      for (const holder of holdersOfDying()) known.add(holder);
      dead.push(answering.catch(() => undefined));
      throw Object.assign(new Error('Error: Runtime exited'), { name: 'Runtime.ExitError' });
    });
    forever.resolve();
    await Promise.all(dead);
    expect(error?.message).toMatch(/^Of 12 units of run \S+, 3 are missing/);
    expect(await differences(cloud, NIGHT)).toEqual([]);
    expect(dead).toHaveLength(9);
    expect([most, betweenRounds, leasesHeld()]).toEqual([1, [0, 0, 0], 0]);
  });

  it('is exported once it lives: three deaths are like a failure', async () => {
    let deaths = 0;
    const { output } = await run(NIGHTLY, async (event) => {
      if ((event as { rut: string }).rut === dying && deaths < 3) {
        deaths += 1;
        throw Object.assign(new Error('out of memory'), { name: 'Runtime.OutOfMemory' });
      }
      return await call(event);
    });
    expect(output).toMatchObject({ unidades: 12, resumen: { exportado: 12, fallido: 0 } });
  });
});
