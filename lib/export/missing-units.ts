import type { Direction } from '../api/directions.ts';
import { type LastResult, readLastResults } from '../audit/history.ts';
import { runDaysOf } from '../audit/read.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { planUnits, type Unit, type UnitState } from './units.ts';

export const DONE: ReadonlySet<string> = new Set<UnitState>(['exportado', 'sin_cambios', 'vacio']);

/** A unit that was never exported or that failed last time, or whose details were or did. */
export interface MissingUnit extends Unit {
  reason: 'never' | 'failed';
  /** What the audit says of the failure. */
  error?: string;
}

export interface MissingUnits {
  missing: MissingUnit[];
  /** How many units were looked up. */
  unitCount: number;
  /** Companies in these runs that were not asked about. */
  otherRuts: ReadonlySet<string>;
  /** Why objects of the audit could not be read: their units count as missing, unless another object has them. */
  damaged: readonly string[];
}

/**
 * The units of these companies, directions and days that the audit does not show as exported; for the directions in
 * `detailed`, also those without details. A day that is too large for details counts as complete.
 */
export async function findMissingUnits(
  store: LakeStore,
  ruts: readonly string[],
  directions: readonly Direction[],
  days: readonly string[],
  detailed: readonly Direction[] = [],
): Promise<MissingUnits> {
  const [first = '', last = first] = [days[0], days.at(-1)];
  const results = await readLastResults(store, {
    runDays: runDaysOf(first),
    ruts: new Set(ruts),
    days: { from: first, to: last },
  });
  const missing: MissingUnit[] = [];
  for (const unit of ruts.flatMap((rut) => planUnits(rut, directions, days))) {
    const result = results.find(unit.rut, unit.direccion, unit.fecha);
    const lack = lackOf(result, detailed.includes(unit.direccion));
    if (lack !== undefined) missing.push({ ...unit, ...lack });
  }
  const { otherRuts, damaged } = results;
  return { missing, unitCount: ruts.length * directions.length * days.length, otherRuts, damaged };
}

function lackOf(
  result: LastResult | undefined,
  areDetailsAsked: boolean,
): Pick<MissingUnit, 'reason' | 'error'> | undefined {
  if (result === undefined) return { reason: 'never' };
  if (!DONE.has(result.estado)) {
    return { reason: 'failed', error: result.error ?? `the audit says ${result.estado}` };
  }
  const { details, filas, sha256 } = result;
  if (!areDetailsAsked || (filas ?? 0) === 0) return undefined;
  if (details === undefined) return { reason: 'never' };
  if (details.detalle === 'completo' && details.sha256 !== sha256) {
    return { reason: 'failed', error: 'the list changed after its details were read' };
  }
  if (details.detalle !== 'fallido') return undefined;
  return { reason: 'failed', error: details.reason ?? 'the audit says that the details are fallido' };
}
