import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../run/lambda/telemetry.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';
import { LAST_RUNS } from './log-queries.ts';

const FULL_WIDTH = 24;
const HALF_WIDTH = 12;
const HEIGHT = 6;
const HOURLY = { period: Duration.hours(1) };

/** Adds one page: alarms, the last runs, and how the API answered. */
export function addDashboard(
  scope: Construct,
  exporter: Exporter,
  alarms: readonly cloudwatch.Alarm[],
): cloudwatch.Dashboard {
  const dashboard = new cloudwatch.Dashboard(new Construct(scope, 'Dashboard'), 'Dashboard', {
    // Dashboard names are shared by all regions of an account.
    dashboardName: Naming.of(scope).withSuffix(`-${Stack.of(scope).region}`),
    defaultInterval: Duration.days(14),
  });
  for (const row of rows(exporter, alarms)) dashboard.addWidgets(...row);
  return dashboard;
}

function rows(
  { startRun, exportCompany, finishRun, stateMachine }: Exporter,
  alarms: readonly cloudwatch.Alarm[],
): cloudwatch.IWidget[][] {
  const metric = (name: MetricName, statistic: string, label: string = name) =>
    exportCompany.metric(name, { ...HOURLY, statistic, label });
  const sums = (...names: MetricName[]) => names.map((name) => metric(name, 'Sum'));
  return [
    [
      new cloudwatch.TextWidget({
        markdown: 'What to do about an alarm: `docs/runbook.md`',
        width: FULL_WIDTH,
        height: 1,
      }),
    ],
    [
      new cloudwatch.AlarmStatusWidget({
        title: 'Alarms',
        alarms: [...alarms],
        width: HALF_WIDTH,
        height: HEIGHT,
      }),
      lastRuns(finishRun),
    ],
    [
      graph('Runs', [
        stateMachine.metricSucceeded(HOURLY),
        stateMachine.metricFailed(HOURLY),
        stateMachine.metricTimedOut(HOURLY),
        stateMachine.metricAborted(HOURLY),
      ]),
      graph('Units by state', sums('UnitsExported', 'UnitsUnchanged', 'UnitsEmpty', 'UnitsFailed'), true),
    ],
    [
      graph('Receipts read', sums('ReceiptsRead')),
      graph('Receipts: what moved', sums('ReceiptsNew', 'ReceiptsChanged', 'ReceiptsVanished')),
    ],
    [
      graph('Details', sums('DetailsRead', 'DetailsNotThere')),
      graph('Units whose details failed or were left out', sums('UnitsWithoutDetails')),
    ],
    [
      graph(
        'API latency (ms)',
        ['p50', 'p90', 'p99'].map((statistic) => metric('ApiLatency', statistic, statistic)),
      ),
      graph('API requests and retries', sums('ApiRequests', 'ApiRetries')),
    ],
    [
      graph('Longest worker (ms)', [
        exportCompany.lambda.metricDuration({ ...HOURLY, statistic: 'Maximum' }),
      ]),
      graph('Days left of the token that expires first', [
        startRun.metric('TokenDaysLeft', { period: Duration.days(1), statistic: 'Minimum' }),
      ]),
    ],
    [
      graph('Throttled: runs, workers', [
        stateMachine.metricThrottled(HOURLY),
        exportCompany.lambda.metricThrottles(HOURLY),
      ]),
      graph('Events of runs that were not sent', [finishRun.metric('RunEventNotSent', HOURLY)]),
    ],
  ];
}

function graph(title: string, left: cloudwatch.IMetric[], stacked = false): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({
    title,
    left,
    stacked,
    width: HALF_WIDTH,
    height: HEIGHT,
    leftYAxis: { min: 0 },
  });
}

function lastRuns({ lambda }: ExporterFunction): cloudwatch.IWidget {
  return new cloudwatch.LogQueryWidget({
    title: 'Last runs',
    logGroupNames: [lambda.logGroup.logGroupName],
    queryString: LAST_RUNS,
    view: cloudwatch.LogQueryVisualizationType.TABLE,
    width: HALF_WIDTH,
    height: HEIGHT,
  });
}
