import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { explain } from '../explain.ts';
import { Naming } from '../naming.ts';
import type { Settings } from '../settings.ts';
import { type AlarmDefinition, describeAlarm } from './alarm-definition.ts';
import { type AlarmSettings, alarmList } from './alarm-list.ts';
import type { Watched } from './watched.ts';

export interface AlarmsProps {
  watched: Watched;
  settings: AlarmSettings & Pick<Settings, 'alarmEmail'>;
}

/** The alarms, and the topic that they are sent to. */
export class Alarms extends Construct {
  readonly definitions: readonly AlarmDefinition[];
  readonly alarms: readonly Alarm[];
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { watched, settings }: AlarmsProps) {
    super(scope, id);
    this.topic = this.topicFor(settings.alarmEmail);
    const action = new SnsAction(this.topic);
    this.definitions = alarmList(this, watched, settings);
    this.alarms = this.definitions.map((definition) => {
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
      threshold,
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
