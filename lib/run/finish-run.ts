import { resultsByCompany, type UnitHistory } from '../audit/history.ts';
import { unrecordedError } from '../audit/planned.ts';
import { readAudit } from '../audit/read.ts';
import { changesOfRun, type UnknownField, UnknownFieldSums } from '../audit/run-changes.ts';
import { sealRun } from '../audit/seal.ts';
import type { AuditTools } from '../audit/write.ts';
import { parseUnknownFields } from '../lake/rows/fields.ts';
import { type LakeStore, retriedOnRace } from '../lake/store/store.ts';
import { CfeLakeError } from '../system/errors.ts';
import { plural } from '../text/terminal.ts';
import { addDays } from '../time/days.ts';
import { planUnits, type Unit } from '../units/unit.ts';
import { daysOfRun, noUnits, type RunInput, type StateCounts, UNIT_STATES } from './messages.ts';
import { type CompanyFindings, isAnythingFound } from './run-event.ts';

/** A unit of a run that is not exported, or whose details are not. */
export interface FailedUnit extends Unit {
  /** The audit's error; absent if the audit does not have the unit. */
  error?: string;
}

/** The units of a run, counted by their last result. */
export interface RunCount {
  companies: number;
  units: number;
  states: StateCounts;
  /** Failed units whose list is stored: only their details failed. */
  detailsOnly: number;
  /** Units of which the run has recorded no result: their worker died or has not reached them yet. */
  missing: number;
  /** Receipts of the units that were read. */
  receipts: number;
  /** What the run found of each company of which anything is new, by RUT. */
  findings: CompanyFindings[];
  /** Fields of the API's answers that the contract does not name. */
  unknownFields: UnknownField[];
  /** Failed and missing units, by company, at most as many as asked for. */
  failures: FailedUnit[];
  /** Why objects of the audit could not be read, at most as many as asked for. The counts leave these objects out. */
  damaged: string[];
}

/** Counts a run's units by their last result in the audit, one company after the other. */
export async function countRun(store: LakeStore, input: RunInput, maxFailures: number): Promise<RunCount> {
  // The run may be sealed meanwhile.
  return await retriedOnRace(async () => {
    const run = { id: input.runId, day: input.runDay };
    const damaged: string[] = [];
    const count: RunCount = {
      companies: input.ruts.length,
      units: 0,
      states: noUnits(),
      detailsOnly: 0,
      missing: 0,
      receipts: 0,
      findings: [],
      unknownFields: [],
      failures: [],
      damaged: [],
    };
    const days = daysOfRun(input);
    const note = (reason: string) => damaged.push(reason);
    const unknown = new UnknownFieldSums();
    const companies = resultsByCompany(store, run, note);
    let next = await companies.next();
    for (const rut of input.ruts.toSorted()) {
      while (next.done !== true && next.value.rut < rut) next = await companies.next();
      const results = next.done !== true && next.value.rut === rut ? next.value : undefined;
      const failedBefore = count.states.fallido + count.missing;
      for (const unit of planUnits(rut, input.directions, days)) {
        countUnit(unit, results?.find(unit.rut, unit.direction, unit.day));
      }
      const changes = (results?.changes ?? changesOfRun()).total();
      const found = { rut, ...changes, failed: count.states.fallido + count.missing - failedBefore };
      if (isAnythingFound(found)) count.findings.push(found);
      results?.changes.addUnknownTo(unknown);
    }
    await companies.return(undefined);
    count.unknownFields = unknown.list();
    count.damaged = damaged.sort().slice(0, maxFailures);
    return {
      ...count,
      failures: count.failures.map((unit) => ({ ...unit, error: unit.error ?? count.damaged[0] })),
    };

    function countUnit(unit: Unit, { last: found, lastDetails }: Partial<UnitHistory> = {}): void {
      const isRecorded = found?.error !== unrecordedError(run);
      const state = isRecorded ? UNIT_STATES.find((known) => known === found?.state) : undefined;
      const haveDetailsFailed = lastDetails?.detailState === 'fallido';
      count.units += 1;
      count.receipts += found?.receipts ?? 0;
      if (state === undefined) count.missing += 1;
      else count.states[haveDetailsFailed ? 'fallido' : state] += 1;
      if (haveDetailsFailed && state !== 'fallido') count.detailsOnly += 1;
      const isFailure = state === undefined || state === 'fallido' || haveDetailsFailed;
      if (isFailure && count.failures.length < maxFailures) {
        const error = found?.error ?? (haveDetailsFailed ? lastDetails?.detailReason : undefined);
        count.failures.push({ ...unit, error: isRecorded ? (error ?? undefined) : undefined });
      }
    }
  });
}

/** A run that is counted, sealed, and compared with earlier ones. */
export interface SealedCount extends RunCount {
  /** Unknown fields that no earlier run has found lately. */
  newFields: UnknownField[];
}

/** A field that no run has found for longer than this is new again. */
const KNOWN_FOR_DAYS = 100;

async function fieldsNotSeenBefore(
  store: LakeStore,
  { runId, runDay }: RunInput,
  fields: readonly UnknownField[],
): Promise<UnknownField[]> {
  if (fields.length === 0) return [];
  const earlier = new UnknownFieldSums();
  await readAudit(
    store,
    {
      runDays: { from: addDays(runDay, -KNOWN_FOR_DAYS), to: runDay },
      otherThan: { id: runId, day: runDay },
      columns: ['unknownFields'],
    },
    ({ direction, unknownFields }) => earlier.add(direction, parseUnknownFields(unknownFields)),
  );
  const known = earlier.list();
  return fields.filter(
    ({ direction, path }) => !known.some((field) => field.direction === direction && field.path === path),
  );
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
  constructor(
    { runId, runDay, publication }: Pick<RunInput, 'runId' | 'runDay' | 'publication'>,
    count: RunCount,
  ) {
    const { units, states, detailsOnly, missing, failures, damaged } = count;
    const parts = [
      states.fallido > 0 ? `${states.fallido} failed${inDetailsOnly(detailsOnly)}` : '',
      missing > 0 ? `${plural(missing, 'is missing (its', 'are missing (their')} worker did not finish)` : '',
      damaged.length > 0 ? 'parts of the audit or of the changes cannot be read' : '',
      publication?.Error !== undefined ? `their days could not be published (${publication.Error})` : '',
    ].filter((part) => part !== '');
    const damage = damaged.filter((reason) => !failures.some(({ error }) => error === reason));
    const named = failures
      .slice(0, FAILURES_NAMED)
      .map(
        ({ rut, direction, day, error }) => error ?? `${direction} of ${rut}, day ${day}: not in the audit`,
      );
    super(
      `Of ${plural(units, 'unit')} of run ${runId}, ${parts.join(' and ')}. ${[...new Set(named), ...damage].join(' ')}`,
      {
        // A unit that was tried again has a row for each attempt; the last one counts.
        advice:
          'List the failed ones: SELECT rut, direccion, fecha, max_by(coalesce(error, detalle_motivo), inicio) FROM ' +
          `exportaciones WHERE fecha_corrida = DATE '${runDay}' AND corrida = '${runId}' GROUP BY 1, 2, 3 HAVING ` +
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

function* unitsOfRun(input: RunInput): Generator<Unit> {
  const days = daysOfRun(input);
  for (const rut of input.ruts) yield* planUnits(rut, input.directions, days);
}

/**
 * Seals the run and counts its units. Those that the audit does not have are recorded as failed. `onCount` is called
 * before the verdict. Throws RunFailedError if any unit failed or is missing, or parts of the run cannot be read.
 */
export async function finishRun(
  input: RunInput,
  tools: AuditTools,
  onCount?: (count: SealedCount) => void | Promise<void>,
): Promise<FinishedRun> {
  const run = { id: input.runId, day: input.runDay };
  const damagedParts = await sealRun(tools, run, { run, units: () => unitsOfRun(input) });
  const count = await countRun(tools.store, input, FAILURES_NAMED);
  const newFields = await fieldsNotSeenBefore(tools.store, input, count.unknownFields);
  // Those of this run's audit are named already.
  if (count.damaged.length === 0) count.damaged = damagedParts.slice(0, FAILURES_NAMED);
  await onCount?.({ ...count, newFields });
  const isPublished = input.publication?.Error === undefined;
  if (count.states.fallido > 0 || count.missing > 0 || count.damaged.length > 0 || !isPublished)
    throw new RunFailedError(input, count);
  const { companies, units, receipts, states } = count;
  return { corrida: run.id, empresas: companies, unidades: units, filas: receipts, resumen: states };
}
