import type { ApiSession } from '../api/access.ts';
import { companyClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import { forEachConcurrent, Semaphore } from '../concurrency.ts';
import type { RunCompany } from '../export/company-exporter.ts';
import { listsOf, readCompany } from '../export/reading/read-units.ts';
import { ServiceHabits } from '../export/service-habits.ts';
import { planUnits, type Unit } from '../export/units.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Day, uruguayDay } from '../time/days.ts';
import { type ListedUnit, listedByLegacy, type UnitVerification, verifyUnit } from './verify-unit.ts';

/** Few, since the rows of a unit are in memory twice. A legacy list is one body of up to 125 MB: then one at a time. */
const COMPANIES_AT_ONCE = 4;

export interface VerifyOptions {
  companies: readonly RunCompany[];
  directions: readonly Direction[];
  /** Issue dates. */
  days: readonly Day[];
  session: ApiSession;
  store: LakeStore;
  isLegacy: boolean;
  /** Examples of differences to name per unit. */
  maxExamples: number;
  /** Requests in flight per company. */
  maxInFlight: number;
  onUnitEnd?: (verification: UnitVerification) => void;
  signal?: AbortSignal;
}

/**
 * Reads the units from the API again and compares them with the lake. Writes nothing. Results come in no particular
 * order; a unit that cannot be compared is a result too. Throws when aborted.
 */
export async function verifyLake(options: VerifyOptions): Promise<UnitVerification[]> {
  const { session, companies, directions, days, isLegacy, maxInFlight, signal } = options;
  const results: UnitVerification[] = [];
  await new ServiceHabits(options.store, session.habits, uruguayDay(session.clock.now())).learn();
  const verify = async (unit: Unit, list: () => Promise<ListedUnit>): Promise<void> => {
    const result = await verifyUnit(unit, list, options);
    results.push(result);
    options.onUnitEnd?.(result);
  };
  await forEachConcurrent(companies, isLegacy ? 1 : COMPANIES_AT_ONCE, async ({ rut, tokens }) => {
    const client = companyClient(session, rut, tokens, maxInFlight);
    const units = planUnits(rut, directions, days);
    if (isLegacy) {
      for (const unit of units) await verify(unit, () => listedByLegacy(unit, client, signal));
      return;
    }
    const { habits, clock } = session;
    await readCompany(
      rut,
      listsOf(units),
      {
        client,
        habits,
        clock,
        signal: signal ?? new AbortController().signal,
        isTimeUp: () => false,
        largeUnits: new Semaphore(1),
        companiesAtOnce: 1,
      },
      {
        onUnit: (unit, read) =>
          verify(unit, async () => {
            if ('error' in read) throw read.error;
            return { ...read, ignored: new Set() };
          }),
      },
    );
    signal?.throwIfAborted();
  });
  return results;
}
