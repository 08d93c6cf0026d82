import type { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { propertiesOf } from './synthesis.ts';

const Actions = v.optional(v.array(v.unknown()), []);
const AlarmSchema = v.looseObject({
  AlarmName: v.string(),
  AlarmDescription: v.string(),
  Namespace: v.string(),
  MetricName: v.string(),
  Dimensions: v.array(v.object({ Name: v.string(), Value: v.unknown() })),
  Statistic: v.picklist(['Sum', 'Maximum', 'Minimum']),
  Period: v.number(),
  EvaluationPeriods: v.number(),
  Threshold: v.number(),
  ComparisonOperator: v.picklist(['LessThanThreshold', 'GreaterThanOrEqualToThreshold']),
  TreatMissingData: v.picklist(['missing', 'notBreaching']),
  AlarmActions: Actions,
  InsufficientDataActions: Actions,
  OKActions: Actions,
});
export type DeployedAlarm = v.InferOutput<typeof AlarmSchema>;

/** The alarms that the template deploys. Throws for one of another form, such as on an expression. */
export function deployedAlarms(template: Template): DeployedAlarm[] {
  return Object.values(propertiesOf(template, 'AWS::CloudWatch::Alarm')).map((alarm) =>
    v.parse(AlarmSchema, alarm),
  );
}
