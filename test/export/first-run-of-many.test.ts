import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { exportSimulated } from '../support/export/simulated-run.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const NOW = '2026-11-25T03:00:00';
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19'] as const;

it('learns from the first company with rows that lists have all of their last day, and asks the others for no day more', async () => {
  const companies = sandboxCompanies(12);
  const sandbox = await startSandbox({
    companyCount: companies.length,
    receiptsPerDay: 60,
    now: NOW,
    // Only a receipt of the evening shows it.
    behaviour: { issueTimes: true },
  });
  const agent = new ConnectionPool();
  onTestFinished(async () => {
    await agent.destroy();
    await sandbox.close();
  });
  await exportSimulated(
    { url: sandbox.url, companies, now: NOW, days: DAYS },
    new MemoryStore(() => 0),
    agent,
  );
  const lists = 2 * companies.length;
  // Two pages of the list's own days and two that prove its end. With a day more it has three.
  expect(sandbox.stats().requests).toBeLessThanOrEqual(4 * lists + 16);
});
