import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { planUnits, type Unit } from '../export/unit-plan.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { daysBetween } from '../time/days.ts';
import { auditKeysOfRun, readAudit, unitName } from './audited-units.ts';
import { countedState, noUnits, type RunInput, type StateCounts } from './messages.ts';

/** Audit objects are small: reading them is waiting for answers. */
const COMPANIES_AT_ONCE = 32;

/** A unit of a run that is not exported, or whose details are not. */
export interface FailedUnit extends Unit {
  /** As in the audit; absent when the audit does not have the unit. */
  error?: string;
}

/** What became of the units of a run. */
export interface RunCount {
  empresas: number;
  unidades: number;
  resumen: StateCounts;
  /** Of the failed ones, those whose list is stored: only their details failed. */
  soloDetalles: number;
  /** Units that the audit does not have: their worker died, or has not come to them yet. */
  faltantes: number;
  /** Receipts of the units that were read. */
  filas: number;
  /** Failed and missing units, by company, as many as were asked for. */
  failures: FailedUnit[];
  /** Why objects of the audit could not be read, as many as were asked for: the counts are of the others. */
  damaged: string[];
}

/**
 * Counts what the audit says of a run's units, the last word on each. Companies are counted one by one, so that
 * memory does not grow with the run. Throws LakeRequestError.
 */
export async function countRun(store: LakeStore, run: RunInput, maxFailures: number): Promise<RunCount> {
  const keysByRut = await auditKeysOfRun(store, run.dia, run.corrida);
  const days = daysBetween(run.desde, run.hasta);
  const count: RunCount = {
    empresas: run.ruts.length,
    unidades: 0,
    resumen: noUnits(),
    soloDetalles: 0,
    faltantes: 0,
    filas: 0,
    failures: [],
    damaged: [],
  };
  await forEachAtOnce(run.ruts, COMPANIES_AT_ONCE, async (rut) => {
    const { units: audited, damaged } = await readAudit(store, keysByRut.get(rut) ?? []);
    count.damaged.push(...damaged.slice(0, maxFailures - count.damaged.length));
    for (const unit of planUnits(rut, run.direcciones, days)) {
      const found = audited.get(unitName(unit.direccion, unit.fecha));
      count.unidades += 1;
      count.filas += found?.filas ?? 0;
      const state = found && countedState(found);
      if (state === undefined) count.faltantes += 1;
      else count.resumen[state] += 1;
      if (state === 'fallido' && found?.estado !== 'fallido') count.soloDetalles += 1;
      const isFailure = state === undefined || state === 'fallido';
      if (isFailure && count.failures.length < maxFailures)
        count.failures.push({ ...unit, error: found?.error ?? damaged[0] });
    }
  });
  count.failures.sort((a, b) => (a.rut < b.rut ? -1 : a.rut > b.rut ? 1 : a.fecha < b.fecha ? 1 : -1));
  return count;
}
