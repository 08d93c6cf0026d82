import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../lambda/telemetry.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';
import { SAVED_QUERIES, type SavedQueryName } from './saved-queries.ts';

export interface RunDashboardProps {
  exporter: Exporter;
  alarms: readonly Alarm[];
}

const FULL_WIDTH = 24;
const HALF_WIDTH = 12;
const HEIGHT = 6;
const HOURLY = { period: Duration.hours(1) };

/** One page: alarms, the last runs, and how the API answered. */
export class RunDashboard extends Construct {
  private readonly exporter: Exporter;

  constructor(scope: Construct, id: string, { exporter, alarms }: RunDashboardProps) {
    super(scope, id);
    this.exporter = exporter;
    const dashboard = new Dashboard(this, 'Dashboard', {
      // Dashboard names are shared by all regions of an account.
      dashboardName: Naming.of(this).withSuffix(`-${Stack.of(this).region}`),
      defaultInterval: Duration.days(14),
    });
    for (const row of this.rows(alarms)) dashboard.addWidgets(...row);
  }

  private rows(alarms: readonly Alarm[]): IWidget[][] {
    const { exportCompany, finishRun, workflow } = this.exporter;
    const { stateMachine } = workflow;
    return [
      [
        new TextWidget({
          markdown: 'What to do about an alarm: `docs/runbook.md`',
          width: FULL_WIDTH,
          height: 1,
        }),
      ],
      [
        new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: HALF_WIDTH, height: HEIGHT }),
        table('Freshness', 'last success of each schedule', finishRun, HALF_WIDTH),
      ],
      [table('Last runs', 'last runs', finishRun, FULL_WIDTH)],
      [
        graph('Runs', [
          stateMachine.metricSucceeded(HOURLY),
          stateMachine.metricFailed(HOURLY),
          stateMachine.metricTimedOut(HOURLY),
          stateMachine.metricAborted(HOURLY),
        ]),
        graph(
          'Units by state',
          this.sums(['UnitsExported', 'UnitsUnchanged', 'UnitsEmpty', 'UnitsFailed']),
          true,
        ),
      ],
      [
        graph('Receipts read', this.sums(['ReceiptsRead'])),
        graph('Receipts: what moved', this.sums(['ReceiptsNew', 'ReceiptsChanged', 'ReceiptsVanished'])),
      ],
      [
        graph('Details', this.sums(['DetailsRead', 'DetailsNotThere'])),
        graph('Units whose details failed or were left out', this.sums(['UnitsWithoutDetails'])),
      ],
      [
        graph(
          'API latency (ms)',
          ['p50', 'p90', 'p99'].map((statistic) => this.metric('ApiLatency', statistic, statistic)),
        ),
        graph('API requests and retries', this.sums(['ApiRequests', 'ApiRetries'])),
      ],
      [
        graph('Longest worker (ms)', [
          exportCompany.lambda.metricDuration({ ...HOURLY, statistic: 'Maximum' }),
        ]),
        graph('Days left of the token that expires first', [this.metric('TokenDaysLeft', 'Minimum')]),
      ],
    ];
  }

  private sums(names: readonly MetricName[]): IMetric[] {
    return names.map((name) => this.metric(name, 'Sum', name));
  }

  private metric(name: MetricName, statistic: string, label: string = name): IMetric {
    return this.exporter.exportCompany.metric(name, { ...HOURLY, statistic, label });
  }
}

function graph(title: string, left: IMetric[], stacked = false): GraphWidget {
  return new GraphWidget({ title, left, stacked, width: HALF_WIDTH, height: HEIGHT, leftYAxis: { min: 0 } });
}

function table(title: string, name: SavedQueryName, { lambda }: ExporterFunction, width: number): IWidget {
  const lines = SAVED_QUERIES.filter((query) => query.name === name).flatMap((query) => [...query.lines]);
  return new LogQueryWidget({
    title,
    logGroupNames: [lambda.logGroup.logGroupName],
    queryLines: lines,
    view: LogQueryVisualizationType.TABLE,
    width,
    height: HEIGHT,
  });
}
