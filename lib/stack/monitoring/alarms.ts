import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { explain } from '../explain.ts';
import { Naming } from '../naming.ts';

/** `urgent`: data is missing or soon will be. `soon`: look at it in the next days. */
export type Severity = 'urgent' | 'soon';

export interface AlarmDefinition {
  /** Part of the alarm's name, after the stack's name. */
  name: string;
  /** `urgent` when absent. */
  severity?: Severity;
  /** What has happened, in one sentence. */
  meaning: string;
  /** The heading in docs/runbook.md; several alarms may share one. */
  runbook: string;
  metric: IMetric;
  /** The alarm goes off at this value (1 when absent) or above; with `isBelow`, below it. */
  threshold?: number;
  isBelow?: boolean;
  /** How many of the metric's periods in a row; 1 when absent. */
  periods?: number;
  /** Whether missing data counts as trouble. */
  isMissingDataTrouble?: boolean;
}

/** Adds the alarms, and the topic that they are sent to unless one is given. `email` is subscribed to it. */
export function addAlarms(
  scope: Construct,
  definitions: readonly AlarmDefinition[],
  email: string | undefined,
  given: ITopic | undefined,
): { alarms: Alarm[]; topic: ITopic } {
  const parent = new Construct(scope, 'Alarms');
  const topic = given ?? addTopic(parent);
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  const action = new SnsAction(topic);
  const alarms = definitions.map((definition) => {
    const alarm = addAlarm(parent, definition);
    alarm.addAlarmAction(action);
    return alarm;
  });
  return { alarms, topic };
}

function addTopic(scope: Construct): Topic {
  const topic = new Topic(scope, 'Topic', { displayName: Naming.of(scope).unique, enforceSSL: true });
  explain(topic, 'What SNS could not deliver by e-mail stays readable as the state of the alarm.', [
    'Serverless-SNSRedrivePolicy',
  ]);
  return topic;
}

function addAlarm(scope: Construct, definition: AlarmDefinition): Alarm {
  const { name, metric, threshold = 1, isBelow, periods = 1, isMissingDataTrouble } = definition;
  return new Alarm(scope, name, {
    alarmName: Naming.of(scope).withSuffix(`-${name}`),
    alarmDescription: describeAlarm(definition),
    metric,
    threshold,
    comparisonOperator: isBelow
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: isMissingDataTrouble ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
}

function describeAlarm({ severity = 'urgent', meaning, runbook }: AlarmDefinition): string {
  return `[${severity}] ${meaning} What to do: docs/runbook.md#${anchorOf(runbook)}`;
}

/** The anchor that a Markdown viewer gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
