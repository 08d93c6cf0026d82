import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { explain } from '../explain.ts';
import { Naming } from '../naming.ts';

/** `urgent`: data is missing or soon will be. `soon`: look at it in the morning. Each has a topic. */
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
  /** The alarm goes off at this value (1 when absent) or above; with `isBelow`, below it. */
  threshold?: number;
  isBelow?: boolean;
  /** How many of the metric's periods in a row; 1 when absent. */
  periods?: number;
  /**
   * Whether it also tells that no data comes any more: its state is then INSUFFICIENT_DATA. A new alarm begins in that
   * state and tells nobody, so that nothing is missed before the first data has come.
   */
  isAbsence?: boolean;
  /** Whether its end is told; if absent, it is. */
  isOkTold?: boolean;
}

export type Topics = Readonly<Record<Severity, ITopic>>;

export interface Recipients {
  /** The recipient of all alarms. */
  alarmEmail?: string | undefined;
  /** The recipient of the urgent ones. */
  urgentEmail?: string | undefined;
  /** Takes all of them in place of the two topics. */
  given?: ITopic | undefined;
}

/** Adds the alarms, and the topics that they are sent to unless one is given. */
export function addAlarms(
  scope: Construct,
  definitions: readonly AlarmDefinition[],
  { alarmEmail, urgentEmail, given }: Recipients,
): { alarms: Alarm[]; topics: Topics } {
  const parent = new Construct(scope, 'Alarms');
  const topics: Topics = {
    urgent: given ?? addTopic(parent, 'Topic', 'urgent'),
    soon: given ?? addTopic(parent, 'MorningTopic', 'morning'),
  };
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  for (const topic of new Set(Object.values(topics))) {
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  }
  if (urgentEmail !== undefined && urgentEmail !== alarmEmail)
    topics.urgent.addSubscription(new EmailSubscription(urgentEmail));
  const alarms = definitions.map((definition) => {
    const alarm = addAlarm(parent, definition);
    const action = new SnsAction(topics[definition.severity]);
    alarm.addAlarmAction(action);
    if (definition.isAbsence) alarm.addInsufficientDataAction(action);
    if (definition.isOkTold !== false) alarm.addOkAction(action);
    return alarm;
  });
  return { alarms, topics };
}

function addTopic(scope: Construct, id: string, purpose: string): Topic {
  const displayName = `${Naming.of(scope).unique} ${purpose}`;
  const topic = new Topic(scope, id, { displayName, enforceSSL: true });
  explain(topic, 'What SNS could not deliver by e-mail stays readable as the state of the alarm.', [
    'Serverless-SNSRedrivePolicy',
  ]);
  return topic;
}

function addAlarm(scope: Construct, definition: AlarmDefinition): Alarm {
  const { name, metric, threshold = 1, isBelow, periods = 1, isAbsence } = definition;
  return new Alarm(scope, name, {
    alarmName: Naming.of(scope).withSuffix(`-${name}`),
    alarmDescription: describeAlarm(definition),
    metric,
    threshold,
    comparisonOperator: isBelow
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: isAbsence ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
  });
}

function describeAlarm({ severity, meaning, runbook }: AlarmDefinition): string {
  return `[${severity}] ${meaning} What to do: docs/runbook.md#${anchorOf(runbook)}`;
}

/** The anchor that a Markdown viewer gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
