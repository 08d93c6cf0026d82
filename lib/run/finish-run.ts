import { closeRuns, closeTable } from '../audit/close.ts';
import { readLastResults } from '../audit/history.ts';
import { type AuditTools, writeUnrecorded } from '../audit/write.ts';
import { CfeLakeError } from '../errors.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { plural } from '../text/terminal.ts';
import { systemClock } from '../time/clock.ts';
import { daysBetween } from '../time/days.ts';
import { planUnits, type Unit } from '../units.ts';
import { noUnits, type RunInput, type StateCounts, UNIT_STATES } from './messages.ts';

/** A unit of a run that is not exported, or whose details are not. */
export interface FailedUnit extends Unit {
  /** As in the audit; absent if the audit does not have the unit. */
  error?: string;
}

/** The units of a run, counted by their last result. */
export interface RunCount {
  companies: number;
  units: number;
  states: StateCounts;
  /** Failed units whose list is stored: only their details failed. */
  detailsOnly: number;
  /** Units that the audit does not have, by company: their worker died or has not reached them yet. */
  missing: Unit[];
  /** Receipts of the units that were read. */
  receipts: number;
  /** Failed and missing units, by company, at most as many as asked for. */
  failures: FailedUnit[];
  /** Why objects of the audit could not be read, at most as many as asked for. The counts leave these objects out. */
  damaged: string[];
}

/** Counts a run's units by their last result in the audit. Throws LakeRequestError. */
export async function countRun(store: LakeStore, run: RunInput, maxFailures: number): Promise<RunCount> {
  const audited = await readLastResults(store, { run: { id: run.corrida, day: run.dia } });
  const count: RunCount = {
    companies: run.ruts.length,
    units: 0,
    states: noUnits(),
    detailsOnly: 0,
    missing: [],
    receipts: 0,
    failures: [],
    damaged: audited.damaged.slice(0, maxFailures),
  };
  for (const unit of unitsOf(run)) {
    const found = audited.find(unit.rut, unit.direction, unit.day);
    const state = UNIT_STATES.find((known) => known === found?.state);
    const haveDetailsFailed = found?.details?.state === 'fallido';
    count.units += 1;
    count.receipts += found?.receipts ?? 0;
    if (state === undefined) count.missing.push(unit);
    else count.states[haveDetailsFailed ? 'fallido' : state] += 1;
    if (haveDetailsFailed && state !== 'fallido') count.detailsOnly += 1;
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

export interface FinishedRun {
  corrida: string;
  empresas: number;
  unidades: number;
  filas: number;
  resumen: StateCounts;
}

const FAILURES_NAMED = 3;

/**
 * Some units, or their details, are not exported. Says how many, names the first ones, and tells how to list them all.
 */
export class RunFailedError extends CfeLakeError {
  override name = 'RunFailedError';
  constructor({ corrida, dia }: Pick<RunInput, 'corrida' | 'dia'>, count: RunCount) {
    const { units, states, detailsOnly, missing, failures, damaged } = count;
    const parts = [
      states.fallido > 0 ? `${states.fallido} failed${inDetailsOnly(detailsOnly)}` : '',
      missing.length > 0
        ? `${plural(missing.length, 'is missing (its', 'are missing (their')} worker did not finish)`
        : '',
      damaged.length > 0 ? 'parts of the audit or of the changes cannot be read' : '',
    ].filter((part) => part !== '');
    const damage = damaged.filter((reason) => !failures.some(({ error }) => error === reason));
    const named = failures
      .slice(0, FAILURES_NAMED)
      .map(
        ({ rut, direction, day, error }) => error ?? `${direction} of ${rut}, day ${day}: not in the audit`,
      );
    super(
      `Of ${plural(units, 'unit')} of run ${corrida}, ${parts.join(' and ')}. ${[...new Set(named), ...damage].join(' ')}`,
      {
        // A unit that was tried again has a row for each attempt; the last one counts.
        advice:
          'List the failed ones: SELECT rut, direccion, fecha, max_by(coalesce(error, detalle_motivo), inicio) FROM ' +
          `exportaciones WHERE fecha_corrida = DATE '${dia}' AND corrida = '${corrida}' GROUP BY 1, 2, 3 HAVING ` +
          "'fallido' IN (max_by(estado, inicio), max_by(detalle, inicio)). All other units are exported.",
      },
    );
  }
}

function inDetailsOnly(units: number): string {
  return units === 0
    ? ''
    : ` (${plural(units, 'of them only in its details; its list is', 'of them only in their details; their lists are')} stored)`;
}

/**
 * Closes the run, and earlier ones that died before they were closed, and counts its units. Those that the audit does
 * not have are recorded as failed. `onCount` is called before the verdict. Throws RunFailedError if any unit failed or
 * is missing, or parts of any run cannot be read.
 */
export async function finishRun(
  run: RunInput,
  tools: AuditTools,
  onCount?: (count: RunCount) => void | Promise<void>,
  nowMs = systemClock.now(),
): Promise<FinishedRun> {
  const damagedParts = await closeRuns(tools, nowMs);
  const count = await countRun(tools.store, run, FAILURES_NAMED);
  const { missing } = count;
  // Damaged objects may have them.
  if (count.damaged.length === 0 && missing.length > 0) {
    const of = { id: run.corrida, day: run.dia };
    await writeUnrecorded(tools, of, missing, nowMs);
    await closeTable(tools, EXPORTACIONES, of, nowMs);
  }
  // Those of this run's audit are named already.
  if (count.damaged.length === 0) count.damaged = damagedParts.slice(0, FAILURES_NAMED);
  await onCount?.(count);
  if (count.states.fallido > 0 || missing.length > 0 || count.damaged.length > 0)
    throw new RunFailedError(run, count);
  const { companies, units, receipts, states } = count;
  return { corrida: run.corrida, empresas: companies, unidades: units, filas: receipts, resumen: states };
}
