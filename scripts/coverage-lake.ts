import { openApiSession } from '../lib/api/access.ts';
import { companyClient } from '../lib/api/client.ts';
import { ConnectionPool } from '../lib/api/connection-pool.ts';
import { writeAudit } from '../lib/audit/write.ts';
import { exportCompany } from '../lib/export/company.ts';
import { newRun } from '../lib/export/run.ts';
import type { LakeStore } from '../lib/lake/store/store.ts';
import { systemClock } from '../lib/time/clock.ts';
import { addDays, type Day, daysBetween, uruguayDateTime } from '../lib/time/days.ts';
import { DIRECTIONS } from '../lib/units/direction.ts';
import { planUnits, type Unit, type UnitResult } from '../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR } from '../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { failingDay, refusing } from '../test/support/api/faults.ts';
import { exportTools } from '../test/support/export/export-tools.ts';

/** A run of the lake's history: its moment, and the issue dates that it read. */
interface PastRun {
  atMs: number;
  from: Day;
  to: Day;
}

const RUTS = { shop: '219999830019', hardware: '214844360018', dairy: '218617380010' } as const;

export const FIRST_DAY = '2026-06-01';
export const LAST_DAY = '2026-11-19';
export const NOW_MS = Date.parse('2026-11-20T06:12:00Z');

/** A backfill, a later reading and last night's: some days were read after their 65 days. */
const HISTORY: readonly PastRun[] = [
  { atMs: Date.parse('2026-08-12T06:00:00Z'), from: FIRST_DAY, to: '2026-08-11' },
  { atMs: Date.parse('2026-10-01T06:00:00Z'), from: '2026-07-05', to: '2026-09-30' },
  { atMs: Date.parse('2026-11-20T06:00:00Z'), from: '2026-09-16', to: LAST_DAY },
];

/** Exports half a year of a sandbox into a lake, with some planted failures. */
export async function fillLake(store: LakeStore): Promise<void> {
  const sandbox = await startSandbox({ now: '2026-08-12T03:00:00', companyCount: 3, receiptsPerDay });
  const pool = new ConnectionPool();
  try {
    for (const run of HISTORY) await exportPast(run, sandbox, store, pool);
  } finally {
    await pool.destroy();
    await sandbox.close();
  }
}

async function exportPast(
  { atMs, from, to }: PastRun,
  sandbox: Sandbox,
  store: LakeStore,
  pool: ConnectionPool,
) {
  sandbox.setNow(uruguayDateTime(atMs));
  const session = openApiSession({
    address: new URL(sandbox.url),
    pool,
    clock: { ...systemClock, now: () => atMs },
    retryPolicy: {
      maxAttempts: 1,
      maxThrottledAttempts: 1,
      baseDelayMs: 0,
      maxDelayMs: 0,
      maxRetryAfterMs: 0,
    },
  });
  const run = { ...newRun(atMs), id: `${uruguayDateTime(atMs).replaceAll(/\D/g, '')}-nightly` };
  for (const { rut, token } of sandbox.companies) {
    const tokens = { current: async () => token, renew: async () => token };
    const client = companyClient(session, rut, tokens, 8);
    const tools = exportTools({ client, store, run, clock: session.clock });
    const units = planUnits(rut, DIRECTIONS, daysBetween(from, to)).filter((unit) => !isSkipped(unit));
    const isFailing = (unit: Unit) => to === LAST_DAY && hasFault(unit);
    const { results } = await exportCompany(
      units.filter((unit) => !isFailing(unit)),
      tools,
    );
    sandbox.behave({ intercept: rut === RUTS.dairy ? failingDay(BROKEN) : refusing(rut) });
    const failed = await exportCompany(units.filter(isFailing), tools);
    sandbox.behave(DEFAULT_BEHAVIOUR);
    await writeAudit(tools, run, [...results, ...failed.results].map(planted));
  }
}

/** One company is busy on Saturdays, one is closed on Sundays, and one buys towards the month's end. */
function receiptsPerDay(rut: string, direction: string, day: string): number {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const noise = (Number(day.slice(5, 7)) * 31 + Number(day.slice(8)) * 17) % 12;
  const isIssued = direction === 'emitidos';
  if (rut === RUTS.shop)
    return isIssued ? ([150, 96, 90, 104, 118, 160, 190][weekday ?? 0] ?? 0) : weekday === 0 ? 0 : 28 + noise;
  if (rut === RUTS.hardware)
    return weekday === 0 ? 0 : Math.round((isIssued ? 52 + noise : 14 + noise / 2) / (weekday === 6 ? 2 : 1));
  return (
    Math.round((isIssued ? 4 : 16) + noise / 3 + Number(day.slice(8)) * (isIssued ? 0.5 : 0.9)) -
    (weekday % 6 === 0 ? 4 : 0)
  );
}

/** Units that no run read: two weeks, and a day that a schedule missed. */
function isSkipped({ rut, direction, day }: Unit): boolean {
  return (
    (rut === RUTS.hardware && direction === 'emitidos' && day >= '2026-06-15' && day <= '2026-06-28') ||
    (rut === RUTS.dairy && day === '2026-10-17')
  );
}

/** A day whose list answers 500, after an earlier reading was stored. */
const BROKEN = { rut: RUTS.dairy, direction: 'emitidos', day: '2026-09-22' } as const;

/** Failing units: the broken day, and the last days of a company whose token is refused. */
function hasFault({ rut, direction, day }: Unit): boolean {
  const isRefused = rut === RUTS.hardware && direction === 'recibidos' && day >= addDays(LAST_DAY, -3);
  return isRefused || (rut === BROKEN.rut && direction === BROKEN.direction && day === BROKEN.day);
}

/** Marks one unit's list as unstable. */
function planted(result: UnitResult): UnitResult {
  const { rut, direction, day } = result;
  const isUnstable =
    rut === RUTS.shop && direction === 'emitidos' && ['2026-09-24', '2026-11-05'].includes(day);
  return isUnstable ? { ...result, isStable: false } : result;
}
