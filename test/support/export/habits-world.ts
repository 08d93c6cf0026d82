import { expect } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import type { RetryPolicy } from '../../../lib/api/retry.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { UnitResult } from '../../../lib/units.ts';
import {
  DEFAULT_BEHAVIOUR,
  type Rewrite,
  type SandboxBehaviour,
  type SandboxOptions,
} from '../../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import { expectedRow, lakeRows } from '../lake/lake-truth.ts';
import { MemoryStore } from '../lake/memory-store.ts';
import { exportRun } from './export-run.ts';

const NOW = () => Date.UTC(2026, 10, 20, 6);
/** Retries without waits: the sandbox's faults count requests, not time. */
const PATIENT: RetryPolicy = {
  maxAttempts: 6,
  maxThrottledAttempts: 12,
  baseDelayMs: 0,
  maxDelayMs: 0,
  maxRetryAfterMs: 60_000,
};
export const IDLE_RUT = '214198620015';
export const LARGE_RUT = '219999830019';

/** A behaviour of the sandbox, and changes of its answers that no switch makes. */
export type ServiceBehaviour = Partial<SandboxBehaviour> & { rewrite?: Rewrite };

/** A sandbox with the behaviour that a test chooses, and lakes to export some of its days into. */
export class HabitsWorld {
  readonly sandbox: Sandbox;
  readonly days: readonly Day[];
  private readonly rewriting: { rewrite: Rewrite };
  private readonly pool = new ConnectionPool();
  private runCount = 0;
  /** An export without faults. Its lake is copied, never changed. */
  private undisturbed: ReturnType<HabitsWorld['exported']> | undefined;

  private constructor(sandbox: Sandbox, days: readonly Day[], rewriting: { rewrite: Rewrite }) {
    this.sandbox = sandbox;
    this.days = days;
    this.rewriting = rewriting;
  }

  static async start(days: readonly Day[], options: SandboxOptions = {}): Promise<HabitsWorld> {
    const rewriting: { rewrite: Rewrite } = { rewrite: (body) => body };
    const rewrite: Rewrite = (body, request) => rewriting.rewrite(body, request);
    const sandbox = await startSandbox({ now: '2026-11-20T03:00:00', ...options, rewrite });
    return new HabitsWorld(sandbox, days, rewriting);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
    await this.sandbox.close();
  }

  /** Exports the days of all companies with this behaviour, into a new lake unless one is given. */
  async exported({ rewrite, ...behaviour }: ServiceBehaviour, given?: MemoryStore) {
    const { sandbox, pool, days } = this;
    this.rewriting.rewrite = rewrite ?? ((body) => body);
    sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
    const store = given ?? new MemoryStore(NOW);
    const session = openApiSession({
      address: new URL(sandbox.url),
      pool,
      // Long, as the machine may be busy; short only where answers never come.
      requestTimeoutMs: behaviour.hangEvery === undefined ? 30_000 : 300,
      retryPolicy: PATIENT,
    });
    const companies = sandbox.companies.map(({ rut }) => {
      const token = async () => sandbox.companies.find((company) => company.rut === rut)?.token ?? '';
      const firstToken = token();
      return { rut, tokens: { current: () => firstToken, renew: token } };
    });
    this.runCount += 1;
    const results = await exportRun({
      run: { id: `run-${this.runCount}`, day: '2026-11-20' },
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
  async expectNothingLost(behaviour: ServiceBehaviour, error: RegExp): Promise<void> {
    this.undisturbed ??= this.exported({});
    const before = await this.undisturbed;
    const store = before.store.copied();
    const { results } = await this.exported(behaviour, store);
    const failed = results.filter(({ state }) => state === 'fallido');
    expect(failed.length).toBeGreaterThan(0);
    for (const unit of failed) expect(unit.error).toMatch(error);
    for (const unit of before.results) expect((await lakeRows(store, unit)) ?? []).toEqual(this.truth(unit));
  }
}
