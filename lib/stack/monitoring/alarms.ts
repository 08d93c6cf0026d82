import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { explain } from '../explain.ts';

export interface AlarmsProps {
  stateMachine: StateMachine;
  /** Who is told; nobody by default. */
  email: string | undefined;
}

/** Alarms, and the topic that tells people of them. */
export class Alarms extends Construct {
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, { stateMachine, email }: AlarmsProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: Stack.of(this).stackName, enforceSSL: true });
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
    explain(this.topic, 'What SNS could not deliver by e-mail stays readable as the state of the alarm.', [
      'Serverless-SNSRedrivePolicy',
    ]);
    this.add(
      'RunFailed',
      'A run did not end well: units failed, are missing, or it took too long',
      notEndedWell(stateMachine),
    );
  }

  private add(id: string, alarmDescription: string, metric: MathExpression): void {
    const alarm = new Alarm(this, id, {
      alarmName: `${Stack.of(this).stackName}-${id}`,
      alarmDescription,
      metric,
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }
}

/** How many executions failed, took too long or were stopped. */
function notEndedWell(stateMachine: StateMachine): MathExpression {
  const usingMetrics: Record<string, Metric> = {
    failed: stateMachine.metricFailed(),
    timedOut: stateMachine.metricTimedOut(),
    aborted: stateMachine.metricAborted(),
  };
  return new MathExpression({
    expression: 'failed + timedOut + aborted',
    usingMetrics,
    period: Duration.minutes(5),
  });
}
