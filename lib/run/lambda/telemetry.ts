import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';

// Service and namespace come from POWERTOOLS_SERVICE_NAME and POWERTOOLS_METRICS_NAMESPACE.
export const logger = new Logger();
const metrics = new Metrics();

type LambdaHandler<Answer> = (event: unknown, context: Context) => Promise<Answer>;

/** A handler with a structured log and metrics. Neither its event nor its answer is ever logged. */
export function observed<Answer>(handle: LambdaHandler<Answer>): LambdaHandler<Answer> {
  // No early time-out: the worker watches its time and hands back what it can't finish.
  return middy<unknown, Answer>(handle, { timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger, { logEvent: false, resetKeys: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: false }));
}

/**
 * Every metric of the exporter. Their only dimension is the service, which is the function's name. A dimension for
 * each company would make, and cost, a metric each; the log and the audit name the company.
 */
export const METRIC_NAMES = [
  'NightsBegun',
  'CompanyProblems',
  'LoginsFailed',
  'UnitsExported',
  'UnitsUnchanged',
  'UnitsEmpty',
  'UnitsFailed',
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
  'RunsStopped',
  'DaysNotPublished',
  'UnknownFields',
  'RunEventNotSent',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export function count(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Count, value);
}

/** A time in milliseconds, for percentiles. */
export function measure(name: MetricName, ms: number): void {
  metrics.addMetric(name, MetricUnit.Milliseconds, ms);
}
