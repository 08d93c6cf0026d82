import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { companyClient } from '../../lib/api/client.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishDay } from '../../lib/publish/publish-day.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { exportTools } from '../support/export/export-tools.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { expectedRow } from '../support/lake/lake-truth.ts';
import { readRows } from '../support/lake/read-rows.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';

const RECEIPTS = 100_000;
const DAY = '2026-11-19';
const pool = new ConnectionPool();

const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
const sandbox = await startSandbox({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: RECEIPTS,
  longAmounts: true,
  behaviour: { order: 'shuffled' },
});
afterAll(async () => {
  await pool.destroy();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

it(`exports ${RECEIPTS} receipts of one company and day, each equal to the one the API holds`, async () => {
  const [company] = sandbox.companies;
  if (company === undefined) throw new Error('the sandbox has no company');
  const { rut, token } = company;
  const session = openApiSession({ address: new URL(sandbox.url), pool });
  const tokens = { current: async () => token, renew: async () => token };
  const store = new FolderStore(folder);
  const result = await exportUnit(
    { rut, direction: 'recibidos', day: DAY },
    exportTools({
      client: companyClient(session, rut, tokens, 8),
      store,
      run: { id: 'test', day: '2026-12-20' },
    }),
  );

  expect(result).toMatchObject({ state: 'exportado', receipts: RECEIPTS, isStable: true });
  const truth = sandbox.truth(rut, 'recibidos', DAY)[Symbol.iterator]();
  const file = await store.open(unitKey('recibidos', DAY, rut));
  let rows = 0;
  for await (const row of readRows(file, RECIBIDOS.columns)) {
    const { value: receipt } = truth.next();
    const expected = expectedRow(receipt);
    const different = Object.keys(row).filter((name) => row[name] !== expected[name]);
    expect({ id: row.id, different }).toEqual({ id: expected.id, different: [] });
    rows += 1;
  }
  await file.close();
  expect(rows).toBe(RECEIPTS);

  await publishDay(store, writeWithHyparquet, { table: RECIBIDOS, day: DAY });
  const database = await openLakeDatabase(folder);
  const answer = await database.connection.runAndReadAll(
    'SELECT count(*), count(DISTINCT id), sum(totales_total) FROM recibidos',
  );
  let total = 0n;
  for (const receipt of sandbox.truth(rut, 'recibidos', DAY)) total += receipt.total ?? 0n;
  const [counts] = answer.getRows();
  expect(counts?.map(String)).toEqual([
    String(RECEIPTS),
    String(RECEIPTS),
    `${total / 100n}.${String(total % 100n).padStart(2, '0')}`,
  ]);
  database.close();
});
