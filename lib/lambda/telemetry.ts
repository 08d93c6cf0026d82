import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Publication } from '../publish/publish-days.ts';
import type { ExportedPart } from '../run/export-part.ts';
import { NIGHTLY_ISSUED, NIGHTLY_RECEIVED, scheduleOf } from '../run/messages.ts';
import type { UnitResult } from '../units.ts';
import type { WorkerWatch } from './worker.ts';

// Service and namespace come from POWERTOOLS_SERVICE_NAME and POWERTOOLS_METRICS_NAMESPACE.
export const logger = new Logger();
const metrics = new Metrics();
// Requests to the API are not traced: there are thousands, and each would send the API a tracing header.
const tracer = new Tracer({ captureHTTPsRequests: false });

type LambdaHandler<Answer> = (event: unknown, context: Context) => Promise<Answer>;

/** A handler with a structured log, metrics and a trace. Neither its event nor its answer is ever logged. */
export function observed<Answer>(handle: LambdaHandler<Answer>): LambdaHandler<Answer> {
  // No early time-out: the worker watches its time and hands back what it can't finish.
  return middy<unknown, Answer>(handle, { timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger, { logEvent: false, resetKeys: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: true }))
    .use(captureLambdaHandler(tracer, { captureResponse: false }));
}

/** The most units logged for one invocation and kind. The audit has them all. */
const MAX_UNITS_LOGGED = 20;

export interface PartSurroundings {
  /** Share of the invocation's time that was used, 0 to 1. */
  usedShare: number;
  tokenDaysLeft: number | undefined;
}

/** Logs what one invocation of the worker did. Run, company and part are keys of the logger already. */
export function logPart(
  { answer, results, handedBack, details }: ExportedPart,
  { usedShare, tokenDaysLeft }: PartSurroundings,
): void {
  const warn = (message: string, units: readonly UnitResult[], more: (unit: UnitResult) => object) => {
    for (const unit of units.slice(0, MAX_UNITS_LOGGED)) {
      const { direction, day } = unit;
      logger.warn(message, { direccion: direction, fecha: day, ...more(unit) });
    }
  };
  const failed = results.filter(({ state }) => state === 'fallido');
  const vanished = results.filter((result) => (result.vanished ?? 0) > 0);
  const detailsFailed = results.filter(({ detailState }) => detailState === 'fallido');
  const leftOut = results.filter(({ detailState }) => detailState === 'omitido');
  const unstable = results.filter(({ isStable }) => isStable === false);
  warn('unit failed', failed, ({ error }) => ({ reason: error }));
  warn('receipts vanished', vanished, (result) => ({ desaparecidas: result.vanished }));
  warn('details failed', detailsFailed, ({ detailReason: reason }) => ({ reason }));
  warn('details left out', leftOut, ({ detailReason: reason }) => ({ reason }));
  warn('unit unstable', unstable, ({ receipts }) => ({ filas: receipts }));

  logger.info('part exported', {
    ...answer.resumen,
    handedBack,
    filas: sum(results.map(({ receipts = 0 }) => receipts)),
    solicitudes: sum(results.map(({ requests }) => requests)),
    reintentos: sum(results.map(({ retries }) => retries)),
    ...(details !== undefined && { detallesLeidos: details.read, detallesSinLeer: details.notThere }),
    timeUsedPercent: Math.round(usedShare * 100),
    ...(tokenDaysLeft !== undefined && { tokenDaysLeft: Math.floor(tokenDaysLeft) }),
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The most problems logged for one invocation. */
const MAX_PROBLEMS_LOGGED = 50;

/** Logs what one invocation of publish did. */
export function logPublication({ written, unchanged, failedDays, remaining, problems }: Publication): void {
  const logged = problems.slice(0, MAX_PROBLEMS_LOGGED);
  for (const { table, day, rut, isRebuilt, isStillRecorded, reason } of logged) {
    const ofPublished = isStillRecorded
      ? 'day published, but still recorded as lagging'
      : 'day not published';
    const ofDay = isRebuilt ? 'day rebuilt' : ofPublished;
    const message = rut === undefined ? ofDay : 'unit not published';
    logger.warn(message, { tabla: table.name, fecha: day, rut, reason });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
}

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
  'NightlyReceivedRead',
  'NightlyIssuedRead',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export function count(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Count, value);
}

/** Counts a night in which lists were read. A manual run is not a nightly one. */
export function countNight(runId: string): void {
  const schedule = scheduleOf(runId);
  if (schedule === NIGHTLY_RECEIVED) count('NightlyReceivedRead', 1);
  if (schedule === NIGHTLY_ISSUED) count('NightlyIssuedRead', 1);
}

/**
 * Counts what one invocation of the worker did and saw. A unit that a later invocation tries again is counted again
 * there.
 */
export function countPart({ answer, results, handedBack, details }: ExportedPart, watch: WorkerWatch): void {
  count('UnitsExported', answer.resumen.exportado);
  count('UnitsUnchanged', answer.resumen.sin_cambios);
  count('UnitsEmpty', answer.resumen.vacio);
  count('UnitsFailed', answer.resumen.fallido);
  count('UnitsHandedBack', handedBack);
  count('UnitsUnstable', results.filter(({ isStable }) => isStable === false).length);
  count('ReceiptsRead', sum(results.map(({ receipts = 0 }) => receipts)));
  count('ReceiptsNew', sum(results.map(({ appeared = 0 }) => appeared)));
  count('ReceiptsChanged', sum(results.map(({ changed = 0 }) => changed)));
  count('ReceiptsVanished', sum(results.map(({ vanished = 0 }) => vanished)));
  count('ApiRequests', sum(results.map(({ requests }) => requests)));
  count('ApiRetries', sum(results.map(({ retries }) => retries)));
  // A metric that has no data costs nothing.
  if (details !== undefined) {
    count('DetailsRead', details.read);
    count('DetailsNotThere', details.notThere);
    count('UnitsWithoutDetails', details.unitsWithout);
  }
  for (const ms of watch.latencies.values)
    metrics.addMetric('ApiLatency' satisfies MetricName, MetricUnit.Milliseconds, ms);
  if (watch.tokenDaysLeft !== undefined) count('TokenDaysLeft', watch.tokenDaysLeft);
}

/**
 * Counts what one invocation of publish did. Within a run, publish is called again for the days that it had no time
 * for.
 */
export function countPublication(
  { written, failedDays, remaining, problems }: Publication,
  { isScheduled }: { isScheduled: boolean },
): void {
  count('PublicationsEnded', 1);
  count('DaysPublished', written);
  count('DaysNotPublished', failedDays + (isScheduled ? remaining : 0));
  const stillRecorded = problems.filter(({ isStillRecorded }) => isStillRecorded).length;
  count('UnitsNotPublished', problems.length - failedDays - stillRecorded);
}
