import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const Usd = v.pipe(v.number(), v.minValue(0));

/** Prices per item in dollars, in one region. */
const PricesSchema = v.strictObject({
  region: v.string(),
  date: v.string(),
  source: v.string(),
  usd: v.strictObject({
    lambdaGbSecondArm: Usd,
    lambdaMillionRequests: Usd,
    stepFunctionsMillionTransitions: Usd,
    s3GbMonth: Usd,
    s3ThousandWrites: Usd,
    s3ThousandReads: Usd,
    secretMonth: Usd,
    secretsTenThousandCalls: Usd,
    logsGb: Usd,
    metricMonth: Usd,
    alarmMetricMonth: Usd,
    dashboardMonth: Usd,
    xrayMillionTraces: Usd,
    transferOutGb: Usd,
    athenaTbScanned: Usd,
  }),
});
export type Prices = v.InferOutput<typeof PricesSchema>;

export function readPrices(): Prices {
  const text = readFileSync(new URL('prices.json', import.meta.url), 'utf8');
  return v.parse(PricesSchema, JSON.parse(text));
}
