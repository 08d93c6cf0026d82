import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { type SandboxCompany, sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { exportSimulated } from '../support/export/simulated-run.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const NOW = '2026-11-20T03:00:00';
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19'] as const;
const COMPANY_COUNT = 20;
const ACTIVE_EVERY = 10;

async function startWorld(companies: SandboxCompany[], receiptsPerDay: (rut: string) => number) {
  const sandbox = await startSandbox({ companyCount: companies.length, receiptsPerDay, now: NOW });
  const agent = new ConnectionPool();
  onTestFinished(async () => {
    await agent.destroy();
    await sandbox.close();
  });
  return { sandbox, agent };
}

it('asks twice for an idle list and four times for one of two pages, and the audit has every request', async () => {
  const companies = sandboxCompanies(COMPANY_COUNT);
  const active = new Set<string>(
    companies.filter((_, index) => index % ACTIVE_EVERY === 0).map(({ rut }) => rut),
  );
  const { sandbox, agent } = await startWorld(companies, (rut) => (active.has(rut) ? 60 : 0));
  const store = new MemoryStore(() => 0);
  const idleLists = 2 * (COMPANY_COUNT - active.size);
  const activeLists = 2 * active.size;
  for (const learning of [16, 16]) {
    sandbox.resetStats();
    const run = { url: sandbox.url, companies, now: NOW, days: DAYS };
    const results = await exportSimulated(run, store, agent);
    const { requests } = sandbox.stats();
    expect(requests).toBeLessThanOrEqual(2 * idleLists + 4 * activeLists + learning);
    expect(results.reduce((sum, result) => sum + result.requests, 0)).toBe(requests);
    expect(new Set(results.map(({ state }) => state))).not.toContain('fallido');
  }
});

it('reads a company with rows first, whose lists prove those of an idle one', async () => {
  const companies = sandboxCompanies(2);
  const idle = companies[0]?.rut;
  const { sandbox, agent } = await startWorld(companies, (rut) => (rut === idle ? 0 : 500));
  const run = { url: sandbox.url, companies, now: NOW, days: DAYS };
  const results = await exportSimulated(run, new MemoryStore(() => 0), agent);
  const ofIdle = results.filter(({ rut }) => rut === idle);
  expect(ofIdle.map(({ state }) => state)).toEqual(Array(2 * DAYS.length).fill('vacio'));
  expect(ofIdle.reduce((sum, { requests }) => sum + requests, 0)).toBe(2 * 2);
});

it('believes nothing that earlier runs have shown, and finds receipts of a company that had none until a service changed', async () => {
  const companies = sandboxCompanies(2);
  const idle = companies[0]?.rut;
  const store = new MemoryStore(() => 0);
  const before = await startWorld(companies, (rut) => (rut === idle ? 0 : 50));
  await exportSimulated({ url: before.sandbox.url, companies, now: NOW, days: DAYS }, store, before.agent);
  const changed = await startWorld(companies, () => 50);
  changed.sandbox.behave({ maxRangeDays: 1, overRange: 'empty' });
  const run = { url: changed.sandbox.url, companies, now: NOW, days: DAYS };
  const results = await exportSimulated(run, store, changed.agent);
  const ofIdle = results.filter(({ rut }) => rut === idle);
  expect(ofIdle.map(({ receipts = 0 }) => receipts > 0)).toEqual(Array(2 * DAYS.length).fill(true));
});
