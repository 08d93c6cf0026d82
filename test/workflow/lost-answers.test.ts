import { expect, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { differences, query } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const { cloud, aws, ruts, tasks, run } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: 10,
});
const ALL = { desde: '2026-11-16', hasta: '2026-11-19' };
const BACKFILL = { desde: '2026-11-17', hasta: '2026-11-18', direcciones: ['recibidos'] };

it('a worker whose answer was lost writes a unit after its run has ended, and the table has it after the next scheduled publication', async () => {
  const isHeld = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  aws.disturb = async ({ method, path }) => {
    const unit = `/unidades/recibidos/fecha=2026-11-17/${ruts[0]}.parquet`;
    if (method !== 'PUT' || !decodeURIComponent(path).endsWith(unit)) return undefined;
    isHeld.resolve();
    await mayGoOn.promise;
    return undefined;
  };
  let lost: Promise<unknown> | undefined;
  const { error } = await run(BACKFILL, {
    exportCompany: async (event) => {
      lost ??= tasks.exportCompany(event);
      await isHeld.promise;
      throw Object.assign(new Error('the connection was lost'), { name: 'Lambda.SdkClientException' });
    },
    // The library ends a map with the error of its child; in AWS, the map succeeds.
    publish: (event) => tasks.publish({ ...(event as object), mapa: undefined }),
  });
  expect(error?.name).toBe('RunFailedError');
  mayGoOn.resolve();
  expect(await lost).toMatchObject({ resumen: { exportado: 2 } });
  await tasks.publish({});
  const days = 'SELECT fecha::VARCHAR, count(*)::INT FROM recibidos GROUP BY ALL ORDER BY ALL';
  expect(await query(cloud, days)).toEqual([
    ['2026-11-17', 10],
    ['2026-11-18', 10],
  ]);
});

it.each(campaign({ quick: [1, 12], long: [1, 5, 12, 20] }))(
  'two workers of one company at once, since an answer was lost after %i requests, lose nothing and double nothing',
  async (requests) => {
    const workers: Promise<unknown>[] = [];
    const isLost = Promise.withResolvers<void>();
    let seen = 0;
    aws.disturb = () => {
      seen += 1;
      if (seen === requests) isLost.resolve();
      return undefined;
    };
    const { output, error } = await run(ALL, {
      exportCompany: async (event) => {
        if (workers.length === 0) seen = 0;
        let asked = 0;
        // Time runs out for both, so that lists are staged.
        const working = tasks.exportCompany(event, () => {
          asked += 1;
          return asked > 12 ? 30_000 : 600_000;
        });
        workers.push(working);
        if (workers.length > 1) return await working;
        await Promise.race([isLost.promise, working]);
        throw Object.assign(new Error('the connection was lost'), { name: 'Lambda.SdkClientException' });
      },
    });
    expect(workers.length).toBeGreaterThan(1);
    expect(error).toBeUndefined();
    expect(output).toMatchObject({ unidades: 8, resumen: { fallido: 0 } });
    await Promise.all(workers);
    await tasks.publish({});
    expect(await differences(cloud, { ruts, ...ALL })).toEqual([]);
    for (const table of ['recibidos', 'emitidos']) {
      const counts = `SELECT count(*)::INT, count(DISTINCT id)::INT FROM ${table} WHERE visto_por_ultima_vez IS NULL`;
      expect(await query(cloud, counts)).toEqual([[40, 40]]);
    }
    expect(await query(cloud, 'SELECT count(*)::INT FROM cambios')).toEqual([[0]]);
  },
);
