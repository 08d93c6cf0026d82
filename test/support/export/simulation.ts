import { onTestFinished } from 'vitest';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import type { SandboxOptions } from '../../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { exportSimulated } from './simulated-run.ts';

interface Simulation {
  sandbox: Sandbox;
  /** Exports these days of all companies into the lake, at a local date-time in Uruguay. */
  exportAt(now: string, days: readonly Day[], store: LakeStore): Promise<UnitResult[]>;
}

/** A sandbox for the running test, and exports of it at any moment. */
export async function startSimulation(options: SandboxOptions): Promise<Simulation> {
  const sandbox = await startSandbox(options);
  const pool = new ConnectionPool();
  onTestFinished(async () => {
    await pool.destroy();
    await sandbox.close();
  });
  const { url, companies } = sandbox;
  return {
    sandbox,
    exportAt: (now, days, store) => exportSimulated({ url, companies, now, days }, store, pool),
  };
}
