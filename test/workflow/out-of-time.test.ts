import { expect, it } from 'vitest';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

// More than 20 pages a list.
const { cloud, ruts, runInParts } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: 2_000,
});

it('a list that time cut is read from its beginning, and a day that three invocations could not finish fails by name', async () => {
  const event = { desde: '2026-11-19', hasta: '2026-11-19', direcciones: ['emitidos'] as const };
  const atOnce = await runInParts(event, Number.POSITIVE_INFINITY);
  expect(atOnce).toMatchObject({ invocations: 1, output: { filas: 2_000, resumen: { exportado: 1 } } });
  expect(await differences(cloud, { ruts, ...event })).toEqual([]);
  cloud.reset();

  const inParts = await runInParts(event, 12);
  expect(inParts.invocations).toBeGreaterThanOrEqual(3);
  expect(inParts.error).toBeDefined();
  expect(cloud.bucket().keys('.staging/')).toEqual([]);
});
