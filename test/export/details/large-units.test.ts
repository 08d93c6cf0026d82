import { expect, it } from 'vitest';
import { exportCompany } from '../../../lib/export/company.ts';
import { planUnits } from '../../../lib/units/unit.ts';
import { FakeApi } from '../../support/api/fake-api.ts';
import { receipt } from '../../support/export/detail-world.ts';
import { exportTools } from '../../support/export/export-tools.ts';
import { RUT } from '../../support/export/unit-world.ts';
import { FakeClock, settled } from '../../support/fake-clock.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';

const DAYS = ['2026-11-18', '2026-11-19'] as const;

/** The days whose details are asked for, in order, without repeats in a row. */
async function orderOfDays(receiptsPerDay: number): Promise<string[]> {
  const api = new FakeApi(RUT);
  api.lists.emitidos = DAYS.flatMap((day, place) =>
    Array.from({ length: receiptsPerDay }, (_, index) => ({
      ...receipt(10_000 * (place + 1) + index),
      fecha_emision: `${day}T00:00:00`,
    })),
  );
  // As over a network, one answer does not keep another from coming.
  api.beforeAnswer = settled;
  const clock = new FakeClock();
  const tools = exportTools({
    client: api.client(8),
    store: new MemoryStore(() => clock.now()),
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    details: { directions: ['emitidos'], maxPerUnit: 10_000 },
    clock,
  });
  const { results } = await exportCompany(planUnits(RUT, ['emitidos'], DAYS), tools);
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual(DAYS.map(() => receiptsPerDay));
  const days = api.detailsAsked.map((id) => DAYS[Math.floor(Number(id) / 10_000) - 1] ?? '');
  return days.filter((day, index) => day !== days[index - 1]);
}

it('a company’s large units read their details one after the other', async () => {
  expect((await orderOfDays(2_001)).sort()).toEqual(DAYS);
});

it('smaller ones read them side by side', async () => {
  expect((await orderOfDays(200)).length).toBeGreaterThan(10);
});
