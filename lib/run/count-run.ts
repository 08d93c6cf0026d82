import { readLastResults } from '../audit/history.ts';
import { planUnits, type Unit } from '../export/units.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { daysBetween } from '../time/days.ts';
import { noUnits, type RunInput, type StateCounts, UNIT_STATES } from './messages.ts';

/** A unit of a run that is not exported, or whose details are not. */
export interface FailedUnit extends Unit {
  /** As in the audit; absent if the audit does not have the unit. */
  error?: string;
}

/** What became of the units of a run. */
export interface RunCount {
  empresas: number;
  unidades: number;
  resumen: StateCounts;
  /** Failed units whose list is stored: only their details failed. */
  soloDetalles: number;
  /** Units that the audit does not have: their worker died or has not reached them yet. */
  faltantes: number;
  /** Receipts of the units that were read. */
  filas: number;
  /** Failed and missing units, by company, at most as many as asked for. */
  failures: FailedUnit[];
  /**
   * Why objects of the audit could not be read, at most as many as asked for. The counts leave these objects out.
   */
  damaged: string[];
}

/** Counts a run's units by their last result in the audit. Throws LakeRequestError. */
export async function countRun(store: LakeStore, run: RunInput, maxFailures: number): Promise<RunCount> {
  const audited = await readLastResults(store, { run: { id: run.corrida, day: run.dia } });
  const count: RunCount = {
    empresas: run.ruts.length,
    unidades: 0,
    resumen: noUnits(),
    soloDetalles: 0,
    faltantes: 0,
    filas: 0,
    failures: [],
    damaged: audited.damaged.slice(0, maxFailures),
  };
  for (const unit of unitsOf(run)) {
    const found = audited.find(unit.rut, unit.direccion, unit.fecha);
    const state = UNIT_STATES.find((known) => known === found?.estado);
    const haveDetailsFailed = found?.details?.detalle === 'fallido';
    count.unidades += 1;
    count.filas += found?.filas ?? 0;
    if (state === undefined) count.faltantes += 1;
    else count.resumen[haveDetailsFailed ? 'fallido' : state] += 1;
    if (haveDetailsFailed && state !== 'fallido') count.soloDetalles += 1;
    const isFailure = state === undefined || state === 'fallido' || haveDetailsFailed;
    if (isFailure && count.failures.length < maxFailures) {
      const error = found?.error ?? (haveDetailsFailed ? found?.details?.reason : undefined);
      count.failures.push({ ...unit, error: error ?? count.damaged[0] });
    }
  }
  return count;
}

/** A generator: there may be hundreds of thousands. */
function* unitsOf({ ruts, direcciones, desde, hasta }: RunInput): Generator<Unit> {
  const days = daysBetween(desde, hasta);
  for (const rut of ruts.toSorted()) yield* planUnits(rut, direcciones, days);
}
