import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** `urgent`: data is missing or soon will be. `soon`: look at it in the next days. */
export type Severity = 'urgent' | 'soon';

export interface AlarmDefinition {
  /** Part of the alarm's name, after the stack's name. */
  name: string;
  severity: Severity;
  /** What has happened, in one sentence. */
  meaning: string;
  /** The heading in docs/runbook.md; several alarms may share one. */
  runbook: string;
  metric: IMetric;
  /** The alarm goes off at this value or above; with `isBelow`, below it. */
  threshold: number;
  isBelow?: boolean;
  /** How many of the metric's periods in a row; 1 when absent. */
  periods?: number;
  /** Whether missing data counts as trouble. */
  isMissingDataTrouble?: boolean;
}

export function describeAlarm({ severity, meaning, runbook }: AlarmDefinition): string {
  return `[${severity}] ${meaning} What to do: docs/runbook.md#${anchorOf(runbook)}`;
}

/** The anchor that a Markdown viewer gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
