import { expect, it } from 'vitest';
import { query } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const { cloud, aws, ruts, tasks, run } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: 10,
});
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
