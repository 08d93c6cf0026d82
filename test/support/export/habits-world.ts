import { expect } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import type { RetryPolicy } from '../../../lib/api/retry.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour, type SandboxOptions } from '../../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { expectedRow, lakeRows } from '../lake/lake-truth.ts';
import { MemoryStore } from '../lake/memory-store.ts';
import { exportRun } from './export-run.ts';

const NOW = () => Date.UTC(2026, 10, 20, 6);
/** Retries without waits: the sandbox's faults count requests, not time. */
const PATIENT: RetryPolicy = { maxTries: 6, baseDelayMs: 0, maxRetryAfterMs: 60_000 };
export const IDLE_RUT = '214198620015';
export const LARGE_RUT = '219999830019';

/** `requestTimeoutMs` is short only where answers never come: the machine may be busy. */
export type ServiceBehaviour = Partial<SandboxBehaviour> & { requestTimeoutMs?: number };

/** A sandbox with the behaviour that a test chooses, and lakes to export some of its days into. */
export class HabitsWorld {
  readonly sandbox: Sandbox;
  private readonly pool = new ConnectionPool();
  private runCount = 0;
  /** An export of these days without faults. Its lake is copied, never changed. */
  private readonly undisturbed = new Map<readonly Day[], ReturnType<HabitsWorld['exported']>>();

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  static async start(receiptsPerDay: SandboxOptions['receiptsPerDay']): Promise<HabitsWorld> {
    return new HabitsWorld(await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay }));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
    await this.sandbox.close();
  }

  /** Exports these days of all companies with this behaviour, into a new lake unless one is given. */
  async exported(
    days: readonly Day[],
    { requestTimeoutMs = 30_000, ...behaviour }: ServiceBehaviour,
    given?: MemoryStore,
  ) {
    const { sandbox, pool } = this;
    sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
    const store = given ?? new MemoryStore(NOW);
    const session = openApiSession({
      address: new URL(sandbox.url),
      pool,
      requestTimeoutMs,
      retryPolicy: PATIENT,
    });
    const companies = sandbox.companies.map(({ rut, token }) => {
      // As renewedAfter() renews it.
      return { rut, tokens: { current: async () => token, renew: async () => `${token}+` } };
    });
    this.runCount += 1;
    const results = await exportRun({
      run: { id: `20261120020000-${String(this.runCount).padStart(8, '0')}`, day: '2026-11-20' },
      companies,
      directions: ['recibidos', 'emitidos'],
      days,
      session,
      store,
      writer: writeWithHyparquet,
      maxInFlight: 4,
      companiesAtOnce: 2,
    });
    expect(results).toHaveLength(companies.length * 2 * days.length);
    return { results, store };
  }

  truth({ rut, direction, day }: UnitResult) {
    return [...this.sandbox.truth(rut, direction, day)].map(expectedRow);
  }

  /** Expects that the unit was exported, and that the lake has the sandbox's receipts. */
  async expectTruth(unit: UnitResult, store: MemoryStore): Promise<void> {
    const rows = this.truth(unit);
    expect(unit.error).toBeUndefined();
    expect(unit).toMatchObject({ state: rows.length === 0 ? 'vacio' : 'exportado', receipts: rows.length });
    expect((await lakeRows(store, unit)) ?? []).toEqual(rows);
  }

  /** Expects that units fail with this error, and that the objects stored before are unchanged. */
  /** `leastFailed`: units that fail, at the least. */
  async expectNothingLost(
    days: readonly Day[],
    behaviour: ServiceBehaviour,
    error: RegExp,
    leastFailed = 1,
  ): Promise<void> {
    const exporting = this.undisturbed.get(days) ?? this.exported(days, {});
    this.undisturbed.set(days, exporting);
    const before = await exporting;
    const store = before.store.copied();
    const { results } = await this.exported(days, behaviour, store);
    const failed = results.filter(({ state }) => state === 'fallido');
    expect(failed.length).toBeGreaterThanOrEqual(leastFailed);
    for (const unit of failed) expect(unit.error).toMatch(error);
    for (const unit of before.results) expect((await lakeRows(store, unit)) ?? []).toEqual(this.truth(unit));
  }
}
