import { openApiSession } from '../../../lib/api/access.ts';
import type { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { newRun } from '../../../lib/export/run.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import type { Clock } from '../../../lib/time/clock.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { Rut } from '../../../lib/units/rut.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import { companiesOf, exportRun } from './export-run.ts';

/** A run that can be passed to another process. */
export interface SimulatedRun {
  url: string;
  companies: readonly { rut: Rut; token: string }[];
  /** The moment of the run, a local date-time in Uruguay. */
  now: string;
  days: readonly Day[];
}

/** Exports these days of all companies in both directions, as if it were `now`. */
export async function exportSimulated(
  { url, companies, now, days }: SimulatedRun,
  store: LakeStore,
  pool: ConnectionPool,
): Promise<UnitResult[]> {
  const clock = stoppedClock(now);
  return await exportRun({
    run: newRun(clock.now()),
    companies: companiesOf({ companies }),
    directions: ['recibidos', 'emitidos'],
    days,
    session: openApiSession({ address: new URL(url), pool, clock }),
    store,
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: 2,
  });
}

/** A clock that is stopped at this local date-time in Uruguay. Sleeps end immediately. */
function stoppedClock(now: string): Clock {
  const epochMs = Date.parse(`${now}-03:00`);
  return { now: () => epochMs, monotonicMs: () => epochMs, sleep: async () => undefined };
}
