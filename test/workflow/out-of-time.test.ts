import { expect, it } from 'vitest';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

// More than 20 pages a list.
const { cloud, aws, sandbox, ruts, runInParts } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: 2_000,
});

const pagesRead = () => sandbox.stats().listRequests;
const staged = () => aws.requests.filter((request) => /^PUT \S*\.staging/.test(request)).length;

it('a worker that runs out of time in the middle of a unit goes on from what was read in the next invocation', async () => {
  const event = { desde: '2026-11-19', hasta: '2026-11-19', direcciones: ['emitidos'] as const };
  const atOnce = await runInParts(event, Number.POSITIVE_INFINITY);
  expect(atOnce).toMatchObject({ invocations: 1, output: { filas: 2_000, resumen: { exportado: 1 } } });
  const pagesAtOnce = pagesRead();
  cloud.reset();

  const inParts = await runInParts(event, 12);
  expect(inParts.invocations).toBeGreaterThan(2);
  expect(inParts.output).toMatchObject({ filas: 2_000, resumen: { exportado: 1, fallido: 0 } });
  expect(staged()).toBe(inParts.invocations - 1);
  // Only the pages that were read ahead when time was up are asked for again.
  expect(pagesRead()).toBeLessThan(pagesAtOnce + 5 * inParts.invocations);
  expect(await differences(cloud, { ruts, ...event })).toEqual([]);
  expect(cloud.bucket().keys('.staging/')).toEqual([]);
});
