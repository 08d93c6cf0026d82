import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { enter, query, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 1, receiptsPerDay: 10 });
const { aws, sandbox } = cloud;
enter(cloud);
const { startRunByEvent: startRun } = await import('../support/run/started-run.ts');
const { handler: exportCompany } = await import('../../functions/export-company.ts');
const { handler: publish } = await import('../../functions/publish.ts');
const { handler: finishRun } = await import('../../functions/finish-run.ts');

const definition = synthesisedDefinition();
const [rut = ''] = sandbox.companies.map((company) => company.rut);
const BACKFILL = { desde: '2026-11-17', hasta: '2026-11-18', direcciones: ['recibidos'] };

beforeEach(() => {
  cloud.reset();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
});

describe('a worker whose answer was lost', () => {
  it('writes a unit after its run has ended, and the table has it after the next scheduled publication', async () => {
    await startRun(BACKFILL);
    const isHeld = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    aws.disturb = async ({ method, path }) => {
      if (
        method !== 'PUT' ||
        !decodeURIComponent(path).endsWith(`/unidades/recibidos/fecha=2026-11-17/${rut}.parquet`)
      )
        return undefined;
      isHeld.resolve();
      await mayGoOn.promise;
      return undefined;
    };
    let lost: Promise<unknown> | undefined;
    const { error } = await execute(definition, aws.steps.executions[0]?.input ?? '', {
      exportCompany: async (event) => {
        lost ??= exportCompany(event, lambdaContext());
        await isHeld.promise;
        throw Object.assign(new Error('the connection was lost'), { name: 'Lambda.SdkClientException' });
      },
      // The library ends a map with the error of its child; in AWS, the map succeeds.
      publish: (event) => publish({ ...(event as object), mapa: undefined }, lambdaContext()),
      finishRun: (event) => finishRun(event, lambdaContext()),
    });
    expect(error?.name).toBe('RunFailedError');
    mayGoOn.resolve();
    expect(await lost).toMatchObject({ resumen: { exportado: 2 } });
    await publish({}, lambdaContext());
    const days = 'SELECT fecha::VARCHAR, count(*)::INT FROM recibidos GROUP BY ALL ORDER BY ALL';
    expect(await query(cloud, days)).toEqual([
      ['2026-11-17', 10],
      ['2026-11-18', 10],
    ]);
  });
});
