import { RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { CfeLake, type CfeLakeProps } from '../../lib/stack/cfe-lake.ts';
import { asText, BUNDLES, newApp, propertiesOf } from './synthesis.ts';

const GIVEN: CfeLakeProps = { apiAddress: 'https://api.example.invalid', checkout: { bundles: BUNDLES } };

function userStack(): Stack {
  return new Stack(newApp(), 'Books');
}

/** Properties that name a resource which CloudFormation could name by itself. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
};

function namesIn(template: Template): unknown[] {
  return Object.entries(NAMES).flatMap(([type, property]) =>
    Object.values(propertiesOf(template, type)).flatMap((properties) => properties[property] ?? []),
  );
}

describe('CfeLake', () => {
  it('names nothing that CloudFormation can name, so that two stand in one stack', () => {
    const stack = userStack();
    const one = new CfeLake(stack, 'One', GIVEN);
    const other = new CfeLake(stack, 'Other', { ...GIVEN, useKms: true });
    const template = Template.fromStack(stack);
    expect(namesIn(template)).toEqual([]);
    expect(one.database).toMatch(/^[a-z][a-z0-9_]*$/);
    expect([one.database, one.workgroup]).not.toEqual([other.database, other.workgroup]);
    const groups = Object.values(propertiesOf(template, 'AWS::Scheduler::ScheduleGroup'));
    expect(new Set(groups.map(({ Name }) => Name)).size).toBe(2);
    const schedules = Object.values(propertiesOf(template, 'AWS::Scheduler::Schedule'));
    for (const { Name } of schedules) expect(String(Name).length).toBeLessThanOrEqual(64);
    expect(new Set(schedules.map(({ Name }) => Name)).size).toBe(schedules.length);
  });

  it('names its resources as asked for', () => {
    const stack = userStack();
    const lake = new CfeLake(stack, 'Lake', { ...GIVEN, name: 'books-lake' });
    const names = namesIn(Template.fromStack(stack)).map(asText);
    expect(names).toContain('books-lake-start-run');
    expect(names.filter((name) => !name.startsWith('books-lake'))).toEqual([]);
    expect([lake.database, lake.workgroup]).toEqual(['books_lake', 'books-lake']);
  });

  it('keeps the lake, unless it is to be destroyed', () => {
    for (const [removalPolicy, word] of [
      [undefined, 'RetainExceptOnCreate'],
      [RemovalPolicy.DESTROY, 'Delete'],
    ] as const) {
      const stack = userStack();
      new CfeLake(stack, 'Lake', { ...GIVEN, removalPolicy });
      Template.fromStack(stack).hasResource('AWS::S3::Bucket', { DeletionPolicy: word });
    }
  });

  it('accepts a bucket of the user’s, with its key', () => {
    const stack = userStack();
    const encryptionKey = new Key(stack, 'Key');
    const bucket = new Bucket(stack, 'Bucket', { encryptionKey });
    const lake = new CfeLake(stack, 'Lake', { ...GIVEN, bucket });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::S3::Bucket', 1);
    template.resourceCountIs('AWS::KMS::Key', 1);
    expect(lake.bucket).toBe(bucket);
    template.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_KMS' } },
      },
    });
  });

  it('puts its own logs under its key, and nobody else’s', () => {
    const stack = userStack();
    new LogGroup(stack, 'Mine');
    new CfeLake(stack, 'Lake', { ...GIVEN, useKms: true });
    const groups = Object.entries(propertiesOf(Template.fromStack(stack), 'AWS::Logs::LogGroup'));
    const withoutKey = groups.filter(([, { KmsKeyId }]) => KmsKeyId === undefined).map(([id]) => id);
    expect(groups.length).toBeGreaterThan(4);
    expect(withoutKey).toEqual([expect.stringMatching(/^Mine/)]);
  });

  it('passes its tags on', () => {
    const stack = userStack();
    Tags.of(new CfeLake(stack, 'Lake', GIVEN)).add('team', 'finance');
    const template = Template.fromStack(stack);
    const Tagged = { Tags: Match.arrayWith([{ Key: 'team', Value: 'finance' }]) };
    for (const type of ['AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::StepFunctions::StateMachine']) {
      template.allResourcesProperties(type, Tagged);
    }
  });

  it('grants what queries and starting runs need, and no token', () => {
    const stack = userStack();
    const lake = new CfeLake(stack, 'Lake', GIVEN);
    const assumedBy = new AccountRootPrincipal();
    expect(lake.grantQuery(new Role(stack, 'Analysts', { assumedBy })).success).toBe(true);
    expect(lake.grantBackfill(new Role(stack, 'Operators', { assumedBy })).success).toBe(true);
    const policies = Object.entries(propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy'));
    const textOf = (role: string) =>
      JSON.stringify(
        policies.filter(([id]) => id.startsWith(role)).map(([, { PolicyDocument }]) => PolicyDocument),
      );
    expect(textOf('Analysts')).toMatch(/athena:StartQueryExecution/);
    expect(textOf('Analysts')).not.toMatch(/lambda:InvokeFunction|secretsmanager/);
    expect(textOf('Operators')).toMatch(/lambda:InvokeFunction/);
    expect(textOf('Operators')).not.toMatch(/athena:|secretsmanager/);
  });

  it('adds its outputs once in a stack, and says so where they would meet others', () => {
    const stack = userStack();
    const lake = new CfeLake(stack, 'Lake', GIVEN);
    const other = new CfeLake(stack, 'Other', GIVEN);
    lake.addOutputs();
    const refused = /Books already has a LakeBucket\. Call addOutputs once in a stack.*second lake/;
    for (const again of [lake, other]) expect(() => again.addOutputs()).toThrow(refused);
    Template.fromStack(stack).hasOutput('LakeBucket', {});

    const used = userStack();
    new Construct(used, 'Database');
    const make = () => new CfeLake(used, 'Lake', GIVEN).addOutputs();
    expect(make).toThrow(/Books already has a Database\..*another id/);
    expect(used.node.tryFindChild('LakeBucket')).toBeUndefined();
  });

  it('says of every wrong prop what would be right', () => {
    const make = () =>
      new CfeLake(userStack(), 'Lake', { ...GIVEN, apiAddress: 'http://a', nightlyDays: 0, name: '-' });
    expect(make).toThrow(
      /props of CfeLake \(Books\/Lake\)[\s\S]*apiAddress: [\s\S]*name: [\s\S]*nightlyDays: must be/,
    );
  });
});
