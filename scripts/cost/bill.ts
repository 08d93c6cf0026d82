import { ASSUMPTIONS as A } from './cases.ts';
import type { Prices } from './prices.ts';
import type { Usage } from './usage.ts';

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

export function billOf(usage: Usage, { usd }: Prices): Bill {
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
