import type { Direction } from '../api/directions.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { readLastResults } from './last-results.ts';
import { planUnits, type Unit } from './unit-plan.ts';
import type { UnitState } from './unit-result.ts';

export const DONE: ReadonlySet<string> = new Set<UnitState>(['exportado', 'sin_cambios', 'vacio']);

/** A unit that no run has exported, or that the last one failed to. */
export interface MissingUnit extends Unit {
  reason: 'never' | 'failed';
  /** What the audit says of the failure. */
  error?: string;
}

export interface MissingUnits {
  missing: MissingUnit[];
  /** How many units were looked up. */
  unitCount: number;
  /** Companies that the audit has and that were not asked about. */
  otherRuts: ReadonlySet<string>;
}

/** The units of these companies, directions and days that the audit doesn't show as exported. */
export async function findMissingUnits(
  store: LakeStore,
  ruts: readonly string[],
  directions: readonly Direction[],
  days: readonly string[],
): Promise<MissingUnits> {
  const [first = '', last = first] = [days[0], days.at(-1)];
  const results = await readLastResults(store, { ruts: new Set(ruts), from: first, to: last });
  const missing: MissingUnit[] = [];
  for (const unit of ruts.flatMap((rut) => planUnits(rut, directions, days))) {
    const result = results.find(unit.rut, unit.direccion, unit.fecha);
    if (result === undefined) missing.push({ ...unit, reason: 'never' });
    else if (!DONE.has(result.estado)) {
      missing.push({ ...unit, reason: 'failed', error: result.error ?? `the audit says ${result.estado}` });
    }
  }
  return { missing, unitCount: ruts.length * directions.length * days.length, otherRuts: results.otherRuts };
}
