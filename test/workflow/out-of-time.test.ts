import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { itLong } from '../support/campaign.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences, enter, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

// More than 20 pages a list.
const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 1, receiptsPerDay: 2_000 });
const { aws, sandbox } = cloud;
enter(cloud);
const { handler: startRun } = await import('../../functions/start-run.ts');
const { handler: exportCompany } = await import('../../functions/export-company.ts');
const { handler: publish } = await import('../../functions/publish.ts');
const { handler: finishRun } = await import('../../functions/finish-run.ts');

const definition = synthesisedDefinition();
const ruts = sandbox.companies.map(({ rut }) => rut);

beforeEach(() => {
  cloud.reset();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
});

/** Runs the event with workers whose time is up once they have asked for it this many times. */
async function run(event: object, questions: number) {
  await startRun(event, lambdaContext());
  let invocations = 0;
  const ended = await execute(definition, aws.steps.executions[0]?.input ?? '', {
    exportCompany: (companyEvent) => {
      invocations += 1;
      let asked = 0;
      const remainingMs = () => {
        asked += 1;
        return asked > questions ? 30_000 : 600_000;
      };
      return exportCompany(companyEvent, lambdaContext(remainingMs));
    },
    publish: (runInput) => publish(runInput, lambdaContext()),
    finishRun: (runInput) => finishRun(runInput, lambdaContext()),
  });
  return { ...ended, invocations };
}

const pagesRead = () => sandbox.stats().listRequests;
const staged = () => aws.requests.filter((request) => /^PUT \S*\.staging/.test(request)).length;

describe('a worker that runs out of time', () => {
  it('in the middle of a unit goes on from what was read in the next invocation', async () => {
    const event = { desde: '2026-11-19', hasta: '2026-11-19', direcciones: ['emitidos'] };
    const atOnce = await run(event, Number.POSITIVE_INFINITY);
    expect(atOnce).toMatchObject({ invocations: 1, output: { filas: 2_000, resumen: { exportado: 1 } } });
    const pagesAtOnce = pagesRead();
    cloud.reset();

    const inParts = await run(event, 12);
    expect(inParts.invocations).toBeGreaterThan(2);
    expect(inParts.output).toMatchObject({ filas: 2_000, resumen: { exportado: 1, fallido: 0 } });
    expect(staged()).toBe(inParts.invocations - 1);
    // Only the pages that were read ahead when time was up are asked for again.
    expect(pagesRead()).toBeLessThan(pagesAtOnce + 5 * inParts.invocations);
    expect(await differences(cloud, { ruts, ...event, direcciones: ['emitidos'] })).toEqual([]);
    expect(cloud.bucket().keys('.staging/')).toEqual([]);
  });

  itLong('between units hands back what remains, until all is done', async () => {
    const direcciones = ['emitidos'] as const;
    const event = { desde: '2026-11-17', hasta: '2026-11-19', direcciones };
    const { invocations, output } = await run(event, 40);
    expect(invocations).toBeGreaterThan(2);
    expect(output).toMatchObject({ unidades: 3, resumen: { exportado: 3, fallido: 0 } });
    expect(await differences(cloud, { ruts, ...event })).toEqual([]);
    expect(cloud.bucket().keys('.staging/')).toEqual([]);
  });
});
