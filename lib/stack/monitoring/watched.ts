import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { ExporterFunction } from '../exporter/exporter-function.ts';

/** What alarms, dashboard and saved queries look at. */
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
