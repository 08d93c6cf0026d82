import { ASSUMPTIONS as A } from './cases.ts';
import type { Usage } from './usage.ts';

/** List prices, without free tiers and discounts. */
export const PRICES = {
  region: 'us-east-1',
  date: '2026-11',
  source:
    'Put together from commonly published list prices, without free tiers and discounts, and not read off the price pages: check them there for your region, and change scripts/cost/bill.ts',
  /** Dollars per item. */
  usd: {
    lambdaGbSecondArm: 0.0000133334,
    lambdaMillionRequests: 0.2,
    stepFunctionsMillionTransitions: 25,
    s3GbMonth: 0.023,
    s3ThousandWrites: 0.005,
    s3ThousandReads: 0.0004,
    secretMonth: 0.4,
    secretsTenThousandCalls: 0.05,
    logsGb: 0.5,
    metricMonth: 0.3,
    alarmMetricMonth: 0.1,
    dashboardMonth: 3,
    xrayMillionTraces: 5,
    transferOutGb: 0.09,
    athenaTbScanned: 5,
  },
} as const;

const GB = 1e9;

/** Dollars by service. */
export interface Bill {
  lambda: number;
  stepFunctions: number;
  s3: number;
  secrets: number;
  watching: number;
  network: number;
  athena: number;
}

export const BILL_LINES: Readonly<Record<keyof Bill, string>> = {
  lambda: 'Lambda',
  stepFunctions: 'Step Functions',
  s3: 'S3',
  secrets: 'Secrets Manager',
  watching: 'CloudWatch, X-Ray',
  network: 'Data out',
  athena: 'Athena',
};

export function billOf(usage: Usage): Bill {
  const { usd } = PRICES;
  const fixed = usage.hasFixedParts ? 1 : 0;
  return {
    lambda: usage.gbSeconds * usd.lambdaGbSecondArm + (usage.invocations / 1e6) * usd.lambdaMillionRequests,
    stepFunctions: (usage.transitions / 1e6) * usd.stepFunctionsMillionTransitions,
    s3:
      (usage.storedBytes / GB) * usd.s3GbMonth +
      (usage.s3Writes / 1000) * usd.s3ThousandWrites +
      (usage.s3Reads / 1000) * usd.s3ThousandReads,
    secrets:
      fixed * usage.secrets * usd.secretMonth + (usage.secretCalls / 10_000) * usd.secretsTenThousandCalls,
    watching:
      fixed *
        ((A.metrics + (usage.hasDetails ? A.detailMetrics : 0)) * usd.metricMonth +
          A.alarmMetrics * usd.alarmMetricMonth +
          A.dashboards * usd.dashboardMonth) +
      (usage.logBytes / GB) * usd.logsGb +
      (usage.invocations / 1e6) * usd.xrayMillionTraces,
    network: (usage.sentBytes / GB) * usd.transferOutGb,
    athena: (usage.scannedBytes / 1e12) * usd.athenaTbScanned,
  };
}

export function sumOf(bill: Bill): number {
  return Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);
}
