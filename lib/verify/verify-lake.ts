import type { ApiClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { type ApiSession, companyClient } from '../export/company-session.ts';
import type { RunCompany } from '../export/run.ts';
import { planUnits, type Unit } from '../export/unit-plan.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type UnitVerification, verifyUnit } from './verify-unit.ts';

/** A unit is held in memory twice while it is compared: so few at a time, whatever the companies. */
const UNITS_AT_ONCE = 4;
/** A legacy list comes in one body, of 125 MB for the largest companies. */
const LEGACY_UNITS_AT_ONCE = 1;

export interface VerifyOptions {
  companies: readonly RunCompany[];
  directions: readonly Direction[];
  /** Issue dates. */
  days: readonly string[];
  session: ApiSession;
  store: LakeStore;
  isLegacy: boolean;
  /** Differences to name, of each unit. */
  maxExamples: number;
  /** Requests in flight of one company. */
  maxInFlight: number;
  onUnitEnd?: (verification: UnitVerification) => void;
  signal?: AbortSignal;
}

/**
 * Reads the units again and compares them with the lake; nothing is written. Results in no particular order.
 * A unit that can't be compared is a result; throws when it is aborted.
 */
export async function verifyLake(options: VerifyOptions): Promise<UnitVerification[]> {
  const { session, store, isLegacy, maxExamples, signal } = options;
  const results: UnitVerification[] = [];
  const atOnce = isLegacy ? LEGACY_UNITS_AT_ONCE : UNITS_AT_ONCE;
  await forEachAtOnce(unitsWithClients(options), atOnce, async ({ unit, client }) => {
    const tools = { client, habits: session.habits, store, isLegacy, maxExamples, signal };
    const result = await verifyUnit(unit, tools);
    results.push(result);
    options.onUnitEnd?.(result);
  });
  return results;
}

function* unitsWithClients({
  companies,
  directions,
  days,
  session,
  maxInFlight,
}: VerifyOptions): Generator<{ unit: Unit; client: ApiClient }> {
  for (const { rut, tokens } of companies) {
    const client = companyClient(session, rut, tokens, maxInFlight);
    for (const unit of planUnits(rut, directions, days)) yield { unit, client };
  }
}
