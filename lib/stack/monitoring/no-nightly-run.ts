import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import type { MetricName } from '../../lambda/metrics.ts';
import type { Settings } from '../settings.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import { exporterMetric } from './exporter-metric.ts';

/** A day, and two hours by which one night's run may take longer than the last one's. */
const HOURS = 26;

/** One alarm for each nightly schedule that there is: the one's success must not hide the other's failure. */
export function noNightlyRunAlarms(
  scope: IConstruct,
  { nightlyReceived, nightlyIssued }: Pick<Settings, 'nightlyReceived' | 'nightlyIssued'>,
): AlarmDefinition[] {
  return [
    ...(nightlyReceived === undefined ? [] : [noNightlyRun(scope, 'Received', 'NightlyReceivedSucceeded')]),
    ...(nightlyIssued === undefined ? [] : [noNightlyRun(scope, 'Issued', 'NightlyIssuedSucceeded')]),
  ];
}

/**
 * Twenty-six hours in a row without a success. Periods of an hour may be looked at for seven days; shorter ones only
 * for one. An hour without data is made a zero: an alarm that has a single real value among 26 missing ones goes
 * by that value, however old it is. Where there is no data at all to fill up, missing data is trouble in itself.
 */
function noNightlyRun(scope: IConstruct, direction: string, metricName: MetricName): AlarmDefinition {
  const period = Duration.hours(1);
  const successes = exporterMetric(scope, 'finish-run', metricName, { period });
  return {
    name: `NoNightly${direction}`,
    severity: 'urgent',
    meaning: `No nightly run of ${direction.toLowerCase()} receipts succeeded in ${HOURS} hours.`,
    runbook: 'No nightly run succeeded',
    metric: new MathExpression({
      expression: 'FILL(successes, 0)',
      usingMetrics: { successes },
      period,
      label: metricName,
    }),
    threshold: 1,
    isBelow: true,
    periods: HOURS,
    isMissingDataTrouble: true,
  };
}
