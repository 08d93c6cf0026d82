import { afterAll, describe, expect, it } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { FolderStore } from '../../../lib/lake/store/folder.ts';
import { DETAIL_TABLE_OF } from '../../../lib/lake/tables.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import { DIRECTIONS, type Direction } from '../../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { summary } from '../../../sandbox/render/summary.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { comparableDetail, expectedDetail } from '../../support/export/detail-truth.ts';
import { companiesOf, exportRun } from '../../support/export/export-run.ts';
import { type Row, rowsIn } from '../../support/lake/text-rows.ts';
import { newLake } from '../../support/run/sandbox-run.ts';

const DAY = '2026-11-19';
const FIRST_NIGHT = '2026-11-20T03:00:00';
const MAX_IN_FLIGHT = 4;
/** Receipts per day. The fourth company has none. */
const COUNTS: Record<string, Record<Direction, number>> = {
  '219999830019': { emitidos: 110, recibidos: 30 },
  '214844360018': { emitidos: 30, recibidos: 20 },
  '218617380010': { emitidos: 10, recibidos: 20 },
};
const pool = new ConnectionPool();

const sandbox = await startSandbox({
  now: FIRST_NIGHT,
  receiptsPerDay: (rut, direction) => COUNTS[rut]?.[direction] ?? 0,
});
afterAll(async () => {
  await pool.destroy();
  await sandbox.close();
});

async function exported(store: FolderStore): Promise<UnitResult[]> {
  sandbox.resetStats();
  return await exportRun({
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    companies: companiesOf(sandbox),
    directions: DIRECTIONS,
    days: [DAY],
    details: { directions: DIRECTIONS, maxPerUnit: 10_000 },
    session: openApiSession({ address: new URL(sandbox.url), pool }),
    store,
    writer: writeWithHyparquet,
    maxInFlight: MAX_IN_FLIGHT,
    companiesAtOnce: 2,
  });
}

function receiptsNow(): SandboxReceipt[] {
  return sandbox.companies.flatMap(({ rut }) =>
    DIRECTIONS.flatMap((direction) => [...sandbox.truth(rut, direction, DAY)]),
  );
}

/** Every listed receipt, as it is sent. */
function summariesNow(): Map<bigint, string> {
  return new Map(receiptsNow().map((receipt) => [receipt.id, summary(receipt)]));
}

async function storedDetails(store: FolderStore): Promise<Map<bigint, Row>> {
  const rows = new Map<bigint, Row>();
  for (const { rut } of sandbox.companies) {
    for (const direction of DIRECTIONS) {
      const table = DETAIL_TABLE_OF[direction];
      for (const row of await rowsIn(store, unitKey(table.name, DAY, rut), table)) {
        if (typeof row.id === 'bigint') rows.set(row.id, row);
      }
    }
  }
  return rows;
}

async function versions(store: FolderStore): Promise<(string | undefined)[]> {
  const keys = sandbox.companies.flatMap(({ rut }) =>
    DIRECTIONS.map((direction) => unitKey(DETAIL_TABLE_OF[direction].name, DAY, rut)),
  );
  return await Promise.all(keys.map(async (key) => (await store.find(key))?.version));
}

describe('details over nights', () => {
  it('are read once each, then not at all, then only where the list has changed', async () => {
    sandbox.setNow(FIRST_NIGHT);
    const store = await newLake();
    const before = summariesNow();

    const first = await exported(store);

    expect(before.size).toBeGreaterThan(150);
    expect(sandbox.stats().detailRequests).toBe(before.size);
    expect(first.reduce((sum, { detailsRead: read }) => sum + (read ?? 0), 0)).toBe(before.size);
    const stored = await storedDetails(store);
    for (const receipt of receiptsNow()) {
      const row = stored.get(receipt.id) ?? {};
      expect(comparableDetail(receipt, row)).toEqual(expectedDetail(receipt, sandbox.detail(receipt)));
    }
    expect(stored.size).toBe(before.size);

    const objects = await versions(store);
    const second = await exported(store);
    expect(sandbox.stats().detailRequests).toBe(0);
    expect(second.filter(({ receipts }) => receipts !== 0).map(({ detailState }) => detailState)).toEqual(
      Array.from({ length: 6 }, () => 'completo'),
    );
    expect(await versions(store)).toEqual(objects);

    sandbox.setNow('2026-11-24T03:00:00');
    const after = summariesNow();
    const changed = [...after].filter(([id, text]) => before.get(id) !== text).map(([id]) => id);
    expect(changed.length).toBeGreaterThan(10);
    expect(changed.length).toBeLessThan(after.size / 2);

    await exported(store);

    expect(sandbox.stats().detailRequests).toBe(changed.length);
    const later = await storedDetails(store);
    expect(later.size).toBe(after.size);
    const carried = [...later].filter(([id]) => !changed.includes(id));
    for (const [id, row] of carried) expect(row).toEqual(stored.get(id));
    for (const receipt of receiptsNow().filter(({ id }) => changed.includes(id))) {
      const row = later.get(receipt.id) ?? {};
      expect(comparableDetail(receipt, row)).toEqual(expectedDetail(receipt, sandbox.detail(receipt)));
    }

    await exported(store);
    expect(sandbox.stats().detailRequests).toBe(0);
  });

  it('share one limiter with the lists of their company', async () => {
    sandbox.setNow(FIRST_NIGHT);
    sandbox.behave({ latencyMs: 2 });
    await exported(await newLake());
    sandbox.behave({ latencyMs: 0 });
    const { detailRequests, maxInFlightByRut } = sandbox.stats();
    expect(detailRequests).toBeGreaterThan(150);
    // The limit of requests in flight is reached, and not exceeded.
    expect(maxInFlightByRut['219999830019']).toBe(MAX_IN_FLIGHT);
    expect(Math.max(...Object.values(maxInFlightByRut))).toBe(MAX_IN_FLIGHT);
  });
});
