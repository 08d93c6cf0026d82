import { describe, expect, it } from 'vitest';
import { movingRows, refusing } from '../support/api/faults.ts';
import { query } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const { cloud, aws, sandbox, ruts, ...workflow } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 3,
  receiptsPerDay: 10,
});
const DAYS = { desde: '2026-11-17', hasta: '2026-11-18' } as const;
const [bad = '', ...good] = ruts;

async function run() {
  aws.events.events.length = 0;
  const { started, error } = await workflow.run(DAYS);
  const events = aws.events.events.map(({ Detail }) => JSON.parse(Detail));
  for (const { token } of sandbox.companies) expect(JSON.stringify(events)).not.toContain(token);
  return { corrida: started.corrida, error, events };
}

/** Receipts of a company on the run's days, and how many of them are rejected, as the API has them. */
function truthOf(rut: string) {
  const receiptsOf = (direction: 'recibidos' | 'emitidos') =>
    ([DAYS.desde, DAYS.hasta] as const).flatMap((day) => [...sandbox.truth(rut, direction, day)]);
  const recibidos = receiptsOf('recibidos').map((receipt) => ('estado' in receipt ? receipt.estado : null));
  const emitidos = receiptsOf('emitidos').map((receipt) =>
    'estado_dgi' in receipt ? receipt.estado_dgi : null,
  );
  const statuses = [...recibidos, ...emitidos];
  return { nuevas: statuses.length, rechazadas: statuses.filter((status) => status === 'BE').length };
}

const NOTHING = { nuevas: 0, cambiadas: 0, desaparecidas: 0, rechazadas: 0, fallidas: 0 };

describe('the events of a run', () => {
  it('are one event, sent once the days are published, with what the API has', async () => {
    let daysPublished = 0;
    aws.disturb = ({ headers }) => {
      if (headers['x-amz-target'] === 'AWSEvents.PutEvents') {
        daysPublished = cloud.bucket().keys('recibidos/').length;
      }
      return undefined;
    };
    const { corrida, events } = await run();
    const empresas = ruts.map((rut) => ({ rut, ...NOTHING, ...truthOf(rut) }));
    expect(events).toEqual([
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
    expect(events[0].total.nuevas).toBeGreaterThan(0);
    expect(daysPublished).toBe(2);
    const [[rows] = []] = await query(
      cloud,
      'SELECT count(*)::INT FROM (SELECT id FROM recibidos UNION ALL SELECT id FROM emitidos)',
    );
    expect(rows).toBe(events[0].total.nuevas);
  });

  it('have what vanished and what failed, of the companies concerned, though the run fails', async () => {
    await run();
    const { hidden } = movingRows({
      kind: 'removed',
      rut: good[0],
      direction: 'emitidos',
      afterListRequests: 0,
      count: 2,
      position: 'middle',
    });
    sandbox.behave({ intercept: refusing(bad), hidden });
    const { corrida, events, error } = await run();
    expect(error?.name).toBe('RunFailedError');
    const [event, ...others] = events;
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
});
