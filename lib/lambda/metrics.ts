import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Publication } from '../publish/publish-lagging.ts';
import type { ExportedPart } from '../run/export-part.ts';
import { NIGHTLY_ISSUED, NIGHTLY_RECEIVED, scheduleOf } from '../run/schedule-names.ts';
import { metrics } from './powertools.ts';
import type { WorkerWatch } from './worker.ts';

/**
 * Every metric of the exporter. Their only dimension is the service, which is the function's name. A dimension for
 * each company would make, and cost, a metric each; the log and the audit name the company.
 */
export const METRIC_NAMES = [
  'RunsStarted',
  'CompanyProblems',
  'TokensEnding',
  'UnitsExported',
  'UnitsUnchanged',
  'UnitsEmpty',
  'UnitsFailed',
  'UnitsHandedBack',
  'TurnsWaited',
  'UnitsMissing',
  'UnitsUnstable',
  'ReceiptsRead',
  'ReceiptsNew',
  'ReceiptsChanged',
  'ReceiptsVanished',
  'DetailsRead',
  'DetailsNotThere',
  'UnitsWithoutDetails',
  'ApiRequests',
  'ApiRetries',
  'ApiLatency',
  'TokenDaysLeft',
  'PublicationsEnded',
  'DaysPublished',
  'DaysNotPublished',
  'UnitsNotPublished',
  'NightlyReceivedSucceeded',
  'NightlyIssuedSucceeded',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export function count(name: MetricName, value: number): void {
  add(name, MetricUnit.Count, value);
}

/** Counts scheduled runs only: a manual run is not a nightly one. */
export function countNightlySuccess(runId: string): void {
  const schedule = scheduleOf(runId);
  if (schedule === NIGHTLY_RECEIVED) count('NightlyReceivedSucceeded', 1);
  if (schedule === NIGHTLY_ISSUED) count('NightlyIssuedSucceeded', 1);
}

/**
 * Counts what one invocation of the worker did and saw. A unit that a later invocation tries again is counted again
 * there.
 */
export function countPart({ answer, results, handedBack, details }: ExportedPart, watch: WorkerWatch): void {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  count('UnitsExported', answer.resumen.exportado);
  count('UnitsUnchanged', answer.resumen.sin_cambios);
  count('UnitsEmpty', answer.resumen.vacio);
  count('UnitsFailed', answer.resumen.fallido);
  count('UnitsHandedBack', handedBack);
  count('UnitsUnstable', results.filter(({ estable }) => estable === false).length);
  count('ReceiptsRead', sum(results.map(({ filas = 0 }) => filas)));
  count('ReceiptsNew', sum(results.map(({ nuevas = 0 }) => nuevas)));
  count('ReceiptsChanged', sum(results.map(({ cambiadas = 0 }) => cambiadas)));
  count('ReceiptsVanished', sum(results.map(({ desaparecidas = 0 }) => desaparecidas)));
  count('ApiRequests', sum(results.map(({ solicitudes }) => solicitudes)));
  count('ApiRetries', sum(results.map(({ reintentos }) => reintentos)));
  // A metric that has no data costs nothing.
  if (details !== undefined) {
    count('DetailsRead', details.read);
    count('DetailsNotThere', details.notThere);
    count('UnitsWithoutDetails', details.unitsWithout);
  }
  for (const latencyMs of watch.latencies.values) add('ApiLatency', MetricUnit.Milliseconds, latencyMs);
  if (watch.tokenDaysLeft !== undefined) count('TokenDaysLeft', watch.tokenDaysLeft);
}

/**
 * Counts what one invocation of publish did. Within a run, publish is called again for the days that it had no time
 * for.
 */
export function countPublication(
  { written, failedDays, remaining, problems }: Publication,
  { isHourly }: { isHourly: boolean },
): void {
  count('PublicationsEnded', 1);
  count('DaysPublished', written);
  count('DaysNotPublished', failedDays + (isHourly ? remaining : 0));
  count('UnitsNotPublished', problems.length - failedDays);
}

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

function add(name: MetricName, unit: Unit, value: number): void {
  metrics.addMetric(name, unit, value);
}
