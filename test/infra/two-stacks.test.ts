import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { STACKS, synthesise } from './synthesis.ts';

/**
 * What may be named, and the scope in which its name must be unique. `unnamed`: CloudFormation makes up the name, or
 * the resource is part of another.
 */
const NAME_OF_TYPE: Readonly<Record<string, { scope: 'account' | 'region'; property: string } | 'unnamed'>> =
  {
    'AWS::Athena::NamedQuery': 'unnamed',
    'AWS::Athena::WorkGroup': { scope: 'region', property: 'Name' },
    'AWS::CloudWatch::Alarm': { scope: 'region', property: 'AlarmName' },
    'AWS::CloudWatch::Dashboard': { scope: 'account', property: 'DashboardName' },
    'AWS::Glue::Database': { scope: 'region', property: 'DatabaseInput' },
    'AWS::Glue::Table': 'unnamed',
    'AWS::IAM::ManagedPolicy': { scope: 'account', property: 'ManagedPolicyName' },
    'AWS::IAM::Policy': 'unnamed',
    'AWS::IAM::Role': { scope: 'account', property: 'RoleName' },
    'AWS::KMS::Key': 'unnamed',
    'AWS::Lambda::EventInvokeConfig': 'unnamed',
    'AWS::Lambda::Function': { scope: 'region', property: 'FunctionName' },
    'AWS::Logs::LogGroup': { scope: 'region', property: 'LogGroupName' },
    'AWS::Logs::QueryDefinition': { scope: 'region', property: 'Name' },
    'AWS::S3::Bucket': { scope: 'account', property: 'BucketName' },
    'AWS::S3::BucketPolicy': 'unnamed',
    'AWS::SNS::Subscription': 'unnamed',
    'AWS::SNS::Topic': { scope: 'region', property: 'TopicName' },
    'AWS::SNS::TopicPolicy': 'unnamed',
    'AWS::SQS::Queue': { scope: 'region', property: 'QueueName' },
    'AWS::SQS::QueuePolicy': 'unnamed',
    'AWS::Scheduler::Schedule': { scope: 'region', property: 'Name' },
    'AWS::Scheduler::ScheduleGroup': { scope: 'region', property: 'Name' },
    'AWS::SecretsManager::Secret': { scope: 'region', property: 'Name' },
    'AWS::StepFunctions::StateMachine': { scope: 'region', property: 'StateMachineName' },
    'Custom::S3AutoDeleteObjects': 'unnamed',
  };

const Resources = v.record(
  v.string(),
  v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
);

/** `type name` of every resource that is named in this scope, in a region. */
function namesIn(region: string, stack: 'own' | 'other', scope: 'account' | 'region'): string[] {
  const resources = v.parse(Resources, synthesise(STACKS[stack]).toJSON().Resources);
  return Object.values(resources).flatMap(({ Type, Properties }) => {
    const named = NAME_OF_TYPE[Type];
    if (named === undefined) throw new Error(`${Type}: say above within what its name is one of a kind`);
    if (named === 'unnamed' || named.scope !== scope || Properties[named.property] === undefined) return [];
    const name = JSON.stringify(Properties[named.property]).replaceAll('{"Ref":"AWS::Region"}', region);
    return `${Type} ${name}`;
  });
}

const inBoth = (names: readonly string[], otherNames: readonly string[]) =>
  names.filter((name) => otherNames.includes(name));

describe('two stacks in one account', () => {
  it('of one name stand in two regions: what an account has once has the region in its name', () => {
    const north = namesIn('us-east-1', 'own', 'account');
    expect(north).toHaveLength(3);
    expect(inBoth(north, namesIn('sa-east-1', 'own', 'account'))).toEqual([]);
  });

  it('of two names stand in one region', () => {
    for (const scope of ['account', 'region'] as const) {
      const first = namesIn('us-east-1', 'own', scope);
      const other = namesIn('us-east-1', 'other', scope);
      expect(first.length).toBeGreaterThan(0);
      expect(new Set(first).size).toBe(first.length);
      expect(inBoth(first, other)).toEqual([]);
    }
  });
});
