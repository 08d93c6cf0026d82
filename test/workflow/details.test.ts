import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import { DETAIL_TABLE_OF } from '../../lib/lake/tables.ts';
import { DIRECTIONS, type Direction } from '../../lib/units/unit.ts';
import { campaign } from '../support/campaign.ts';
import { comparableDetail, expectedDetail } from '../support/export/detail-truth.ts';
import { rowsIn } from '../support/lake/text-rows.ts';
import { differences } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const DAY = '2026-11-18';
const RECEIPTS = campaign({
  quick: { recibidos: 60, emitidos: 150 },
  long: { recibidos: 160, emitidos: 750 },
});
/** How often a worker may ask for its time, so that it is called several times for the day. */
const QUESTIONS = campaign({ quick: 60, long: 200 });

const { cloud, sandbox, ruts, runInParts } = await startWorkflow({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: (_rut, direction) => RECEIPTS[direction],
  environment: { DETAILS: 'recibidos,emitidos' },
});
const [rut = '0'] = ruts;

const detailsAsked = () => sandbox.stats().detailRequests;

async function detailsDiffer(direction: Direction): Promise<string[]> {
  const table = DETAIL_TABLE_OF[direction];
  const rows = await rowsIn(cloud.store, unitKey(table.name, DAY, rut), table);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const truth = [...sandbox.truth(rut, direction, DAY)];
  expect({ rows: rows.length, stored: stored.size }).toEqual({ rows: truth.length, stored: truth.length });
  return truth.flatMap((receipt) => {
    const row = comparableDetail(receipt, stored.get(receipt.id) ?? {});
    return isDeepStrictEqual(row, expectedDetail(receipt, sandbox.detail(receipt)))
      ? []
      : [String(receipt.id)];
  });
}

it('a run that has no time for its details at once reads each once in the end, and none when nothing has changed', async () => {
  const event = { desde: DAY, hasta: DAY };
  const first = await runInParts(event, QUESTIONS);
  expect(first.invocations).toBeGreaterThan(3);
  // The list of each unit was written by the first invocation, the details by the last.
  expect(first.output).toMatchObject({
    unidades: 2,
    resumen: { exportado: 2, sin_cambios: 0, fallido: 0 },
  });
  expect(detailsAsked()).toBe(RECEIPTS.recibidos + RECEIPTS.emitidos);
  expect(await differences(cloud, { ruts, ...event })).toEqual([]);
  for (const direction of DIRECTIONS) expect(await detailsDiffer(direction)).toEqual([]);

  sandbox.resetStats();
  const second = await runInParts(event, Number.POSITIVE_INFINITY);
  expect(second).toMatchObject({ invocations: 1, output: { resumen: { exportado: 0, sin_cambios: 2 } } });
  expect(detailsAsked()).toBe(0);
});
