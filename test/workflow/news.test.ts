import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { enter, query, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 3, receiptsPerDay: 10 });
const { aws, sandbox } = cloud;
enter(cloud);
const { startRunByEvent: startRun } = await import('../support/run/started-run.ts');
const { handler: exportCompany } = await import('../../functions/export-company.ts');
const { handler: publish } = await import('../../functions/publish.ts');
const { handler: finishRun } = await import('../../functions/finish-run.ts');

const definition = synthesisedDefinition();
const tasks = {
  exportCompany: (event: unknown) => exportCompany(event, lambdaContext()),
  publish: (event: unknown) => publish(event, lambdaContext()),
  finishRun: (event: unknown) => finishRun(event, lambdaContext()),
};
const DAYS = { desde: '2026-11-17', hasta: '2026-11-18' } as const;
const ruts = sandbox.companies.map(({ rut }) => rut).sort();
const [bad = '', ...good] = ruts;

beforeEach(() => {
  cloud.reset();
  sandbox.behave({ removeRows: null });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
});

async function run(withTasks = tasks) {
  aws.steps.executions.length = 0;
  aws.events.events.length = 0;
  const started = await startRun(DAYS);
  const ended = await execute(definition, aws.steps.executions[0]?.input ?? '', withTasks);
  const news = aws.events.events.map(({ Detail }) => JSON.parse(Detail));
  for (const { token } of sandbox.companies) expect(JSON.stringify(news)).not.toContain(token);
  return { ...started, ...ended, news };
}

/** Receipts of a company on the run's days, and how many of them are rejected, as the API has them. */
function truthOf(rut: string) {
  const of = (direction: 'recibidos' | 'emitidos') =>
    ([DAYS.desde, DAYS.hasta] as const).flatMap((day) => [...sandbox.truth(rut, direction, day)]);
  const recibidos = of('recibidos').map((receipt) => ('estado' in receipt ? receipt.estado : null));
  const emitidos = of('emitidos').map((receipt) => ('estado_dgi' in receipt ? receipt.estado_dgi : null));
  const statuses = [...recibidos, ...emitidos];
  return { nuevas: statuses.length, rechazadas: statuses.filter((status) => status === 'BE').length };
}

const NOTHING = { nuevas: 0, cambiadas: 0, desaparecidas: 0, rechazadas: 0, fallidas: 0 };

describe('the news of a run', () => {
  it('are one event, sent once the days are published, with what the API has', async () => {
    let daysPublished = 0;
    aws.disturb = ({ headers }) => {
      if (headers['x-amz-target'] === 'AWSEvents.PutEvents') {
        daysPublished = cloud.bucket().keys('recibidos/').length;
      }
      return undefined;
    };
    const { corrida, news } = await run();
    const empresas = ruts.map((rut) => ({ rut, ...NOTHING, ...truthOf(rut) }));
    expect(news).toEqual([
      {
        version: 1,
        lago: 's3://lake',
        corrida,
        fecha_corrida: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        ...DAYS,
        direcciones: ['recibidos', 'emitidos'],
        parte: 1,
        partes: 1,
        total: {
          ...NOTHING,
          empresas: ruts.length,
          nuevas: empresas.reduce((sum, { nuevas }) => sum + nuevas, 0),
          rechazadas: empresas.reduce((sum, { rechazadas }) => sum + rechazadas, 0),
        },
        empresas,
      },
    ]);
    expect(news[0].total.nuevas).toBeGreaterThan(0);
    expect(daysPublished).toBe(2);
    const [[rows] = []] = await query(
      cloud,
      'SELECT count(*)::INT FROM (SELECT id FROM recibidos UNION ALL SELECT id FROM emitidos)',
    );
    expect(rows).toBe(news[0].total.nuevas);
  });

  it('are no event where a run finds nothing new', async () => {
    await run();
    expect((await run()).news).toEqual([]);
  });

  it('have what vanished and what failed, of the companies concerned, though the run fails', async () => {
    await run();
    sandbox.behave({
      unauthorizedRut: bad,
      faultTarget: { rut: good[0], direction: 'emitidos' },
      removeRows: { afterListRequests: 0, count: 2, position: 'middle' },
    });
    const { corrida, news, error } = await run();
    expect(error?.name).toBe('RunFailedError');
    const [event, ...others] = news;
    expect(others).toEqual([]);
    expect(event.empresas).toContainEqual({ rut: bad, ...NOTHING, fallidas: 4 });
    expect(event.total.fallidas).toBe(4);
    const [[gone] = []] = await query(
      cloud,
      `SELECT count(*)::INT FROM cambios WHERE corrida = '${corrida}' AND cambio = 'desaparecio' AND rut = '${good[0]}'`,
    );
    expect(gone).toBeGreaterThan(0);
    expect(event.empresas).toContainEqual({ rut: good[0], ...NOTHING, desaparecidas: gone });
    expect(event.empresas).toHaveLength(2);
  });

  it('are sent once, though steps before are repeated, and fail no run that is told by nobody', async () => {
    let times = 0;
    const dying = {
      ...tasks,
      finishRun: async (event: unknown) => {
        times += 1;
        if (times === 1) throw new Error('the function died');
        return await tasks.finishRun(event);
      },
    };
    expect((await run(dying)).news).toHaveLength(1);
    cloud.reset();
    aws.disturb = ({ headers }) =>
      headers['x-amz-target'] === 'AWSEvents.PutEvents' ? { status: 400, body: '{}' } : undefined;
    const { error, news } = await run();
    expect([error, news]).toEqual([undefined, []]);
  });
});
