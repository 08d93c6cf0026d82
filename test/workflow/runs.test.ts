import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STORE_CLOCK_KEY } from '../../lib/lake/layout.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { always, failingDay, status500 } from '../support/api/faults.ts';
import { beginAgain } from './clock-without-waits.ts';
import { differences, query } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const { cloud, aws, sandbox, ruts, tasks, startRun, executeRun, run } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 2,
  receiptsPerDay: 10,
});
const [bad = '', ...good] = ruts;

const NIGHTLY = {
  origen: 'programado',
  nombre: 'nocturna',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-12-20T05:00:00Z',
  ejecucion: 'd32c5kddcf5bb8c3',
};
const BACKFILL = { desde: '2026-11-17', hasta: '2026-11-18' };
/** RUT, day, receipts, different ids and the sum of the totals, as the API has them. */
function truthOf(rut: string, day: string): unknown[] {
  const receipts = [...sandbox.truth(rut, 'recibidos', day)];
  const cents = receipts.reduce((sum, { total }) => sum + (total ?? 0n), 0n);
  const sum = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
  return [rut, day, receipts.length, new Set(receipts.map(({ id }) => id)).size, sum];
}

const ROWS_OF_COMPANIES = 'SELECT rut, count(*)::INT FROM recibidos GROUP BY ALL ORDER BY ALL';
const auditOf = (corrida: string, condition: string) =>
  `SELECT count(*)::INT, count(DISTINCT rut)::INT FROM exportaciones WHERE corrida = '${corrida}' AND ${condition}`;

describe('a nightly run', () => {
  it('brings the days before into the lake, of all companies, just as the API has them', async () => {
    const { started, output, error } = await run(NIGHTLY);
    expect(error).toBeUndefined();
    expect(started).toMatchObject({ corrida: '20261220020000-nocturna', empresas: 2, unidades: 6 });
    expect(output).toMatchObject({ unidades: 6, resumen: { exportado: 6, fallido: 0 } });
    const asked = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
    expect(await differences(cloud, asked)).toEqual([]);
    const counted = await query(
      cloud,
      'SELECT rut, fecha::VARCHAR, count(*)::INT, count(DISTINCT id)::INT, sum(totales_total)::VARCHAR ' +
        'FROM recibidos GROUP BY ALL ORDER BY ALL',
    );
    expect(counted).toEqual(
      ruts.flatMap((rut) => ['2026-12-17', '2026-12-18', '2026-12-19'].map((day) => truthOf(rut, day))),
    );
    expect(await query(cloud, 'SELECT count(*)::INT FROM emitidos')).toEqual([[0]]);
  });

  it('reads more days on one day of the week, and a share of older ones, in the same run', async () => {
    // The 20th is a Sunday, and its share of these ages is one day.
    const event = { ...NIGHTLY, semanal: { dia: 'SUN', dias: 5 }, edades: { desde: 6, hasta: 36 } };
    const { started, output } = await run(event);
    expect(started).toMatchObject({ corrida: '20261220020000-nocturna', unidades: 2 * (5 + 1) });
    expect(output).toMatchObject({ unidades: 12, resumen: { exportado: 12, fallido: 0 } });
    const days = 'SELECT DISTINCT fecha::VARCHAR FROM recibidos ORDER BY ALL';
    const read = ['2026-11-06', '2026-12-15', '2026-12-16', '2026-12-17', '2026-12-18', '2026-12-19'];
    expect(await query(cloud, days)).toEqual(read.map((day) => [day]));
    const direcciones = ['recibidos'] as const;
    expect(await differences(cloud, { ruts, desde: '2026-12-15', hasta: '2026-12-19', direcciones })).toEqual(
      [],
    );
  });

  it('calls a worker that dies again, twice: then its company is exported like the others', async () => {
    let deaths = 0;
    const { output } = await run(NIGHTLY, {
      exportCompany: async (event) => {
        const answer = await tasks.exportCompany(event);
        if ((event as { rut: string }).rut !== bad || deaths === 2) return answer;
        deaths += 1;
        throw Object.assign(new Error('out of memory'), { name: 'Runtime.OutOfMemory' });
      },
    });
    expect(deaths).toBe(2);
    expect(output).toMatchObject({ unidades: 6, resumen: { fallido: 0 } });
    const asked = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
    expect(await differences(cloud, asked)).toEqual([]);
  });

  it('is one run when its event comes twice, and changes nothing when it is run again', async () => {
    const first = await run(NIGHTLY);
    expect(await startRun(NIGHTLY)).toEqual({ ...first.started, repetida: true });
    expect(aws.steps.executions).toHaveLength(1);
    const versions = new Map([...cloud.bucket().objects].map(([key, { storedAt }]) => [key, storedAt]));
    const second = await run({ desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] });
    expect(second.output).toMatchObject({ resumen: { exportado: 0, sin_cambios: 6 } });
    for (const [key, { storedAt }] of cloud.bucket().objects) {
      if (key.startsWith('recibidos/')) expect(storedAt).toBe(versions.get(key));
    }
  });
});

describe('what start-run proves of the service', () => {
  const NOW = '2026-12-20T05:00:00Z';
  const asked = { ruts, desde: '2026-12-17', hasta: '2026-12-19', direcciones: ['recibidos'] } as const;
  /** A worker reads each day once, to see whether the units that it finds are in it; more are for a witness. */
  const daysRead = () =>
    aws.requests.filter((request) => /^GET \/lake\/(recibidos|emitidos)\//.test(request));
  const inputOfLast = () => JSON.parse(aws.steps.executions.at(-1)?.input ?? '');

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
    beginAgain(systemClock);
    await run({ desde: '2026-12-15', hasta: '2026-12-19', direcciones: ['recibidos'] });
    sandbox.resetStats();
  });
  afterEach(() => void vi.useRealTimers());

  /** Executes the nightly run that was started, and tells what its workers were given and asked for. */
  async function executeStarted(started: { corrida: string }) {
    const events: unknown[] = [];
    sandbox.resetStats();
    aws.requests.length = 0;
    let reads = 0;
    let requests = 0;
    const { output } = await executeRun(started, {
      exportCompany: async (event) => {
        events.push(event);
        const answer = await tasks.exportCompany(event);
        reads = daysRead().length;
        ({ requests } = sandbox.stats());
        return answer;
      },
    });
    expect(output).toMatchObject({ unidades: 6, resumen: { fallido: 0 } });
    expect(await differences(cloud, asked)).toEqual([]);
    return { events, reads, requests };
  }

  it('is in the input of every worker, and none asks a witness of its own', async () => {
    const started = await startRun(NIGHTLY);
    expect(sandbox.stats().requests).toBeGreaterThan(0);
    expect(daysRead()).not.toEqual([]);
    const { servicio } = inputOfLast();
    expect(servicio).toMatchObject({ recibidos: { provedWidthDays: 5 } });
    const { events, reads } = await executeStarted(started);
    expect(events).toEqual(ruts.map((rut) => expect.objectContaining({ rut, servicio })));
    expect(reads).toBe(3 * ruts.length);
  });

  it('is not used after twelve hours: each worker then asks a witness of its own company', async () => {
    const started = await startRun(NIGHTLY);
    const fresh = await executeStarted(started);
    vi.setSystemTime(Date.parse(NOW) + 12 * 3_600_000 + 60_000);
    const old = await executeStarted(started);
    expect(fresh.reads).toBe(3 * ruts.length);
    expect(old.reads).toBeGreaterThan(fresh.reads);
    expect(old.requests).toBeGreaterThan(fresh.requests);
  });

  it('is nothing where it failed, and the run is started and whole all the same', async () => {
    aws.disturb = ({ method, path }) =>
      method === 'GET' && /^\/lake\/recibidos\//.test(path) ? { status: 403 } : undefined;
    sandbox.behave({ intercept: always(status500) });
    const first = await startRun(NIGHTLY);
    expect(inputOfLast()).toMatchObject({ servicio: null });
    // The same event while the run is under way: nothing that was proved tells the two apart.
    expect(await startRun(NIGHTLY)).toEqual({ ...first, repetida: true });
    expect(aws.steps.executions).toHaveLength(2);
    aws.disturb = undefined;
    sandbox.behave({ intercept: DEFAULT_BEHAVIOUR.intercept });
    await executeStarted(first);
  });
});

describe('a backfill', () => {
  it('brings all but the company whose token is bad, tries that again, and says which it was', async () => {
    cloud.setCompanies(
      sandbox.companies.map((company) => (company.rut === bad ? { ...company, token: 'stale' } : company)),
    );
    const { started, error } = await run(BACKFILL);
    expect(error?.name).toBe('RunFailedError');
    expect(error?.message).toMatch(/^Of 8 units of run \S+, 4 failed\. /);
    expect(error?.message).toContain(`of ${bad}, `);
    expect(error?.message).toContain('Renew the token of this company');
    expect(await differences(cloud, { ...BACKFILL, ruts: good })).toEqual([]);
    expect(
      cloud
        .bucket()
        .keys('')
        .filter((key) => key.endsWith(`/${bad}.parquet`)),
    ).toEqual([]);
    // Once at first, and again after each of the two waits.
    expect(await query(cloud, auditOf(started.corrida, "estado = 'fallido'"))).toEqual([[12, 1]]);
    // A redrive goes on with the state that failed, which is finish-run: to Step Functions all companies are done.
    const input = JSON.parse(aws.steps.executions[0]?.input ?? '');
    cloud.setCompanies(sandbox.companies);
    await expect(tasks.finishRun(input)).rejects.toThrow(error?.message);
    expect(await differences(cloud, { ...BACKFILL, ruts: good })).toEqual([]);
    expect((await run({ ...BACKFILL, ruts: [bad] })).error).toBeUndefined();
    expect(await differences(cloud, { ...BACKFILL, ruts })).toEqual([]);
    await expect(tasks.finishRun(input)).rejects.toThrow(error?.message);
  });

  it('has the other companies in the tables before one that fails is asked again', async () => {
    sandbox.behave({ intercept: failingDay({ direction: 'emitidos', day: '2026-11-17' }) });
    const calls: string[] = [];
    const rowsOfTables: unknown[] = [];
    const { output } = await run(BACKFILL, {
      exportCompany: async (event) => {
        if ('pendientes' in (event as object)) {
          if (!calls.includes('export again')) {
            calls.push('export again');
            // Minutes pass before a company is asked again: the schedule's event comes first.
            await tasks.publish({});
            sandbox.behave({ intercept: DEFAULT_BEHAVIOUR.intercept });
            rowsOfTables.push(...(await query(cloud, ROWS_OF_COMPANIES)));
          }
        } else calls.push('export');
        return await tasks.exportCompany(event);
      },
      publish: async (event) => {
        calls.push('publish');
        return await tasks.publish(event);
      },
    });
    expect(calls.slice(0, ruts.length + 1)).toEqual([...ruts.map(() => 'export'), 'export again']);
    expect(calls.at(-1)).toBe('publish');
    expect(rowsOfTables).toHaveLength(ruts.length);
    expect(output).toMatchObject({ resumen: { exportado: 8, fallido: 0 } });
    expect(await differences(cloud, { ...BACKFILL, ruts })).toEqual([]);
    // A worker whose answer was lost might still write.
    expect(cloud.bucket().keys('.lagging/').length).toBeGreaterThan(0);
    await systemClock.sleep(3 * 3_600_000);
    await tasks.publish({});
    expect([...cloud.bucket().keys('.lagging/'), ...cloud.bucket().keys('.open-runs/')]).toEqual([
      STORE_CLOCK_KEY,
    ]);
  });

  it('misses the units of a worker that always dies, and says so; the others are published within ten minutes', async () => {
    const whileItDied: unknown[] = [];
    const exported: string[] = [];
    let allExported = (): void => undefined;
    const others = new Promise<void>((resolve) => {
      allExported = resolve;
    });
    const { error } = await run(BACKFILL, {
      exportCompany: async (event) => {
        const { rut } = event as { rut: string };
        if (rut !== bad) {
          const answer = await tasks.exportCompany(event);
          exported.push(rut);
          if (exported.length === good.length) allExported();
          return answer;
        }
        await others;
        // The schedule's event.
        await tasks.publish({});
        whileItDied.push(...(await query(cloud, ROWS_OF_COMPANIES)));
        throw Object.assign(new Error('out of memory'), { name: 'Runtime.ExitError' });
      },
    });
    expect(whileItDied.slice(0, good.length).map((row) => (row as unknown[])[0])).toEqual(good);
    expect(error?.name).toBe('RunFailedError');
    expect(error?.message).toMatch(/ are missing \(their worker did not finish\)/);
    expect(error?.message).toContain(bad);
  });
});
