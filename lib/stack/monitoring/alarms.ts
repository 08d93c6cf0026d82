import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
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

export interface AlarmsProps {
  definitions: readonly AlarmDefinition[];
  /** Subscribed to the topic, if given. */
  email: string | undefined;
}

/** The alarms, and the topic that they are sent to. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { definitions, email }: AlarmsProps) {
    super(scope, id);
    this.topic = this.topicFor(email);
    const action = new SnsAction(this.topic);
    this.alarms = definitions.map((definition) => {
      const alarm = this.alarmOf(definition);
      alarm.addAlarmAction(action);
      return alarm;
    });
  }

  private topicFor(email: string | undefined): Topic {
    const topic = new Topic(this, 'Topic', { displayName: Naming.of(this).unique, enforceSSL: true });
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    explain(topic, 'What SNS could not deliver by e-mail stays readable as the state of the alarm.', [
      'Serverless-SNSRedrivePolicy',
    ]);
    return topic;
  }

  private alarmOf(definition: AlarmDefinition): Alarm {
    const {
      name,
      metric,
      threshold = 1,
      isBelow = false,
      periods = 1,
      isMissingDataTrouble = false,
    } = definition;
    return new Alarm(this, name, {
      alarmName: Naming.of(this).withSuffix(`-${name}`),
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
