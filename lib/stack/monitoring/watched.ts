import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { IConstruct } from 'constructs';
import type { MetricName } from '../../lambda/telemetry.ts';
import type { HandlerName } from '../exporter/bundle-folders.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';

/** What alarms, dashboard and saved queries watch. */
export interface Watched {
  stateMachine: StateMachine;
  startRun: ExporterFunction;
  exportCompany: ExporterFunction;
  publish: ExporterFunction;
  finishRun: ExporterFunction;
  scheduleGroup: ScheduleGroup;
  /** Runs that could not be started. */
  deadLetters: Queue;
}

export interface ExporterMetricOptions {
  period: Duration;
  /** `Sum` when absent. */
  statistic?: string;
  label?: string;
}

/**
 * A metric that a handler writes into its log. Its namespace is the stack's name, and its only dimension the handler.
 */
export function exporterMetric(
  scope: IConstruct,
  handler: HandlerName,
  metricName: MetricName,
  { statistic = 'Sum', ...options }: ExporterMetricOptions,
): Metric {
  return new Metric({
    namespace: Naming.of(scope).unique,
    metricName,
    dimensionsMap: { service: handler },
    statistic,
    ...options,
  });
}
