import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';

// Service and namespace come from POWERTOOLS_SERVICE_NAME and POWERTOOLS_METRICS_NAMESPACE.
export const logger = new Logger();
export const metrics = new Metrics();
// Requests to the API are not traced: there are thousands, and each would get a header that is none of the API's business.
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
