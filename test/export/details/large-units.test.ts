import { expect, it, onTestFinished } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { exportRun } from '../../../lib/export/run.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import { newLake } from '../../support/sandbox-run.ts';

const DAYS = ['2026-11-18', '2026-11-19'] as const;

/** The days whose details are asked for, in order, without repeats in a row. */
async function orderOfDays(receiptsPerDay: number): Promise<string[]> {
  const days: string[] = [];
  const sandbox = await startSandbox({
    now: '2026-12-20T03:00:00',
    companyCount: 1,
    receiptsPerDay,
    rewrite: (body, { kind, day = '' }) => {
      if (kind === 'detail' && days.at(-1) !== day) days.push(day);
      return body;
    },
  });
  const pool = new ConnectionPool();
  onTestFinished(async () => {
    await pool.destroy();
    await sandbox.close();
  });
  const results = await exportRun({
    run: { id: 'run', day: '2026-12-20' },
    companies: sandbox.companies.map(({ rut, token }) => ({
      rut,
      tokens: { current: async () => token, renew: async () => token },
    })),
    directions: ['emitidos'],
    days: DAYS,
    details: { directions: ['emitidos'], maxPerUnit: 10_000 },
    session: openApiSession({ address: new URL(sandbox.url), pool }),
    store: await newLake(),
    writer: writeWithHyparquet,
    maxInFlight: 8,
    companiesAtOnce: 1,
  });
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual(DAYS.map(() => receiptsPerDay));
  return days;
}

it('a company’s large units read their details one after the other', async () => {
  expect((await orderOfDays(2_001)).sort()).toEqual(DAYS);
});

it('smaller ones read them side by side', async () => {
  expect((await orderOfDays(200)).length).toBeGreaterThan(10);
});
