import { expect, it, vi } from 'vitest';
import { rutOfUnit } from '../../lib/lake/layout.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const NOW = '2026-11-20T03:00:00';
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19'] as const;
const COMPANY_COUNT = 20;
const ACTIVE_EVERY = 10;

const ruts = sandboxCompanies(COMPANY_COUNT).map(({ rut }) => rut);
const [idle] = ruts;

function startService(companyCount: number, receiptsPerDay: (rut: string) => number) {
  return startSimulation({ companyCount, receiptsPerDay, now: NOW });
}

it('asks twice for an idle list and four times for one of two pages, and the audit has every request', async () => {
  const active = new Set<string>(ruts.filter((_, index) => index % ACTIVE_EVERY === 0));
  const { sandbox, exportAt } = await startService(COMPANY_COUNT, (rut) => (active.has(rut) ? 60 : 0));
  const store = new MemoryStore(() => 0);
  const idleLists = 2 * (COMPANY_COUNT - active.size);
  const activeLists = 2 * active.size;
  for (const learning of [16, 16]) {
    sandbox.resetStats();
    const results = await exportAt(NOW, DAYS, store);
    const { requests } = sandbox.stats();
    expect(requests).toBeLessThanOrEqual(2 * idleLists + 4 * activeLists + learning);
    expect(results.reduce((sum, result) => sum + result.requests, 0)).toBe(requests);
    expect(new Set(results.map(({ state }) => state))).not.toContain('fallido');
  }
});

it('asks companies for rows until one has some, and so proves the lists of the idle ones', async () => {
  const { exportAt } = await startService(2, (rut) => (rut === idle ? 0 : 20));
  const results = await exportAt(NOW, DAYS, new MemoryStore(() => 0));
  const ofIdle = results.filter(({ rut }) => rut === idle);
  expect(ofIdle.map(({ state }) => state)).toEqual(Array(2 * DAYS.length).fill('vacio'));
  // Two lists of each company, and in each direction one that is empty and one that proves.
  expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(2 * (2 + 4) + 2 * 3);
});

it('believes nothing that earlier runs have shown, and finds receipts of a company that had none until a service changed', async () => {
  const store = new MemoryStore(() => 0);
  const before = await startService(2, (rut) => (rut === idle ? 0 : 50));
  await before.exportAt(NOW, DAYS, store);
  const changed = await startService(2, () => 50);
  changed.sandbox.behave({ maxRangeDays: 1, overRange: 'empty' });
  const results = await changed.exportAt(NOW, DAYS, store);
  const ofIdle = results.filter(({ rut }) => rut === idle);
  expect(ofIdle.map(({ receipts = 0 }) => receipts > 0)).toEqual(Array(2 * DAYS.length).fill(true));
});

it('looks up the units that the lake has, found by one listing of each day, and no others', async () => {
  const active = new Set<string>(ruts.filter((_, index) => index % ACTIVE_EVERY === 0));
  const { exportAt } = await startService(COMPANY_COUNT, (rut) => (active.has(rut) ? 20 : 0));
  const store = new MemoryStore(() => 0);
  const lookedUp = vi.spyOn(store, 'find');
  const unitsLookedUp = () => lookedUp.mock.calls.filter(([key]) => rutOfUnit(key) !== undefined);
  await exportAt(NOW, DAYS, store);
  expect(unitsLookedUp()).toEqual([]);
  await exportAt(NOW, DAYS, store);
  expect(unitsLookedUp().length).toBe(active.size * 2 * DAYS.length);
});

it('learns from the first company with rows that lists have all of their last day, and asks the others for no day more', async () => {
  const { sandbox, exportAt } = await startService(12, () => 60);
  // Only a receipt of the evening shows it.
  sandbox.behave({ issueTimes: true });
  // The day after the last has as many receipts.
  sandbox.setNow('2026-11-25T03:00:00');
  await exportAt('2026-11-25T03:00:00', DAYS, new MemoryStore(() => 0));
  // Two pages of the list's own days and two that prove its end. With a day more it has three.
  expect(sandbox.stats().requests).toBeLessThanOrEqual(4 * 2 * 12 + 16);
});
