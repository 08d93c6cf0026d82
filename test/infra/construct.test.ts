import { CfnElement, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { CfeLake } from '../../lib/stack/cfe-lake.ts';
import type { CfeLakeProps } from '../../lib/stack/props.ts';
import { permissionsIn, policiesIn } from './policies.ts';
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

describe('two lakes in a stack', () => {
  const stack = userStack();
  new LogGroup(stack, 'Mine');
  const lake = new CfeLake(stack, 'One', { ...GIVEN, useKms: true });
  Tags.of(lake).add('team', 'finance');
  const other = new CfeLake(stack, 'Other', { ...GIVEN, removalPolicy: RemovalPolicy.DESTROY });
  lake.addOutputs();
  lake.grantBackfill(new Role(stack, 'Operators', { assumedBy: new AccountRootPrincipal() }));
  const template = Template.fromStack(stack);
  const idsOf = (type: string, properties: object) =>
    Object.keys(template.findResources(type, properties)).map((id) => /^(One|Other|Mine)/.exec(id)?.[0]);

  it('have no names where CloudFormation can name, and different ones elsewhere', () => {
    expect(namesIn(template)).toEqual([]);
    expect(lake.database).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(`${lake.database} ${lake.workgroup}`).not.toBe(`${other.database} ${other.workgroup}`);
    const groups = Object.values(propertiesOf(template, 'AWS::Scheduler::ScheduleGroup'));
    expect(new Set(groups.map(({ Name }) => Name)).size).toBe(2);
    const schedules = Object.values(propertiesOf(template, 'AWS::Scheduler::Schedule'));
    for (const { Name } of schedules) expect(String(Name).length).toBeLessThanOrEqual(64);
    expect(new Set(schedules.map(({ Name }) => Name)).size).toBe(schedules.length);
  });

  it('stay with their key, unless they are to be destroyed', () => {
    expect(idsOf('AWS::S3::Bucket', { DeletionPolicy: 'RetainExceptOnCreate' })).toEqual(['One']);
    expect(idsOf('AWS::KMS::Key', { DeletionPolicy: 'RetainExceptOnCreate' })).toEqual(['One']);
    expect(idsOf('AWS::S3::Bucket', { DeletionPolicy: 'Delete' })).toEqual(['Other']);
  });

  it('have their own logs under their key, and nobody else’s', () => {
    const withKey = idsOf('AWS::Logs::LogGroup', { Properties: { KmsKeyId: Match.anyValue() } });
    expect(withKey.length).toBeGreaterThan(4);
    expect(new Set(withKey)).toEqual(new Set(['One']));
  });

  it('pass their tags on', () => {
    const tagged = { Properties: { Tags: Match.arrayWith([{ Key: 'team', Value: 'finance' }]) } };
    for (const type of ['AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::StepFunctions::StateMachine'])
      expect(new Set(idsOf(type, tagged))).toEqual(new Set(['One']));
  });

  it('let whoever starts runs follow those of their own machine', () => {
    const operators = policiesIn(template).filter(({ id }) => id.startsWith('Operators'));
    const followed = permissionsIn(operators).filter((permission) =>
      /^states:(Describe|Stop)/.test(permission),
    );
    const machine = /<OneExporterRunStateMachine\w{8}\.Name>/;
    expect(followed.map((permission) => permission.replace(machine, 'MACHINE'))).toEqual([
      'states:DescribeExecution states:execution:MACHINE:*',
      'states:DescribeMapRun states:mapRun:MACHINE/*',
      'states:StopExecution states:execution:MACHINE:*',
    ]);
  });

  it('have outputs once, and say so where they would meet others', () => {
    const refused = /Books already has a LakeBucket\. Call addOutputs once in a stack.*second lake/;
    for (const again of [lake, other]) expect(() => again.addOutputs()).toThrow(refused);
    template.hasOutput('LakeBucket', {});

    const used = userStack();
    new Construct(used, 'Database');
    const make = () => new CfeLake(used, 'Lake', GIVEN).addOutputs();
    expect(make).toThrow(/Books already has a Database\..*another id/);
    expect(used.node.tryFindChild('LakeBucket')).toBeUndefined();
  });
});

describe('a lake with a name, in a bucket of the user’s', () => {
  const stack = userStack();
  const encryptionKey = new Key(stack, 'Key');
  const bucket = new Bucket(stack, 'Bucket', { encryptionKey });
  const lake = new CfeLake(stack, 'Lake', { ...GIVEN, bucket, name: 'books-lake' });
  const assumedBy = new AccountRootPrincipal();
  const grants = [
    lake.grantQuery(new Role(stack, 'Analysts', { assumedBy })),
    lake.grantBackfill(new Role(stack, 'Operators', { assumedBy })),
  ];
  const template = Template.fromStack(stack);

  it('names its resources as asked for', () => {
    const names = namesIn(template).map(asText);
    expect(names).toContain('books-lake-start-run');
    expect(names.filter((name) => !name.startsWith('books-lake'))).toEqual([]);
    expect(lake).toMatchObject({ database: 'books_lake', workgroup: 'books-lake' });
  });

  it('uses the bucket and its key', () => {
    template.resourceCountIs('AWS::S3::Bucket', 1);
    template.resourceCountIs('AWS::KMS::Key', 1);
    expect(lake.bucket).toBe(bucket);
    template.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_KMS' } },
      },
    });
  });

  it('grants what queries and starting runs need, and no token', () => {
    expect(grants.map(({ success }) => success)).toEqual([true, true]);
    const policies = Object.entries(propertiesOf(template, 'AWS::IAM::Policy'));
    const textOf = (role: string) =>
      JSON.stringify(
        policies.filter(([id]) => id.startsWith(role)).map(([, { PolicyDocument }]) => PolicyDocument),
      );
    expect(textOf('Analysts')).toMatch(/athena:StartQueryExecution/);
    expect(textOf('Analysts')).not.toMatch(/lambda:InvokeFunction|secretsmanager/);
    expect(textOf('Operators')).toMatch(/lambda:InvokeFunction/);
    expect(textOf('Operators')).not.toMatch(/athena:|secretsmanager/);
  });

  it('says of every wrong prop what would be right', () => {
    const wrong = { apiAddress: 'http://a', nightlyDays: 0, name: '-', useKms: true, bucket, vpcId: 'vpc-1' };
    const make = () => new CfeLake(userStack(), 'Lake', { ...GIVEN, ...wrong });
    expect(make).toThrow('The props of CfeLake (Books/Lake) are wrong:');
    for (const name of ['apiAddress', 'nightlyDays', 'name', 'useKms', 'vpcId'])
      expect(make).toThrow(new RegExp(`^ {2}${name}: `, 'm'));
    // It would be no secret's name.
    const unnamed = () => new CfeLake(userStack(), 'Lake', { ...GIVEN, login: true });
    expect(unnamed).toThrow(/^ {2}login: true is for a lake with a name/m);
  });
});

describe('a lake with objects of the user’s stack', () => {
  const stack = userStack();
  const vpc = new Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false });
  const securityGroup = new SecurityGroup(stack, 'Group', { vpc });
  const encryptionKey = new Key(stack, 'Key');
  const secretKey = new Key(stack, 'SecretKey');
  const alarmTopic = new Topic(stack, 'Topic');
  const accessLogsBucket = new Bucket(stack, 'Logs');
  const subnets = { subnetType: SubnetType.PRIVATE_WITH_EGRESS };
  const inNetwork = { vpc, subnets, securityGroups: [securityGroup] };
  const keys = { encryptionKey, secretKey };
  const alarms = { alarmTopic, alarmEmail: 'ops@example.com' };
  const lake = new CfeLake(stack, 'Lake', {
    ...GIVEN,
    ...inNetwork,
    ...keys,
    ...alarms,
    accessLogsBucket,
    login: 'books/login',
  });
  lake.addOutputs();
  const template = Template.fromStack(stack);
  const ref = ({ node: { defaultChild } }: Construct) => {
    if (!(defaultChild instanceof CfnElement)) throw new TypeError('it is no resource');
    return stack.resolve(defaultChild.logicalId);
  };

  it('calls the API from the VPC, and its roles may connect there alone', () => {
    const connected = Object.values(propertiesOf(template, 'AWS::Lambda::Function')).filter(
      ({ VpcConfig }) => VpcConfig !== undefined,
    );
    expect(connected).toHaveLength(3);
    const SecurityGroupIds = [{ 'Fn::GetAtt': [ref(securityGroup), 'GroupId'] }];
    const SubnetIds = vpc.privateSubnets.map(({ subnetId }) => stack.resolve(subnetId));
    for (const { VpcConfig } of connected) expect(VpcConfig).toEqual({ SubnetIds, SecurityGroupIds });
    const interfaces = policiesIn(template)
      .flatMap(({ statements }) => statements)
      .filter(({ Action }) => Action.includes('ec2:CreateNetworkInterface'));
    expect(interfaces).toHaveLength(3);
    for (const { Resource } of interfaces) expect(Resource).toHaveLength(1 + SubnetIds.length + 1);
  });

  it('encrypts the bucket, the logs and the queue with the key, and the secret with the other', () => {
    const arn = { 'Fn::GetAtt': [ref(encryptionKey), 'Arn'] };
    template.resourceCountIs('AWS::KMS::Key', 2);
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: arn });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: arn });
    template.hasOutput('EncryptionKey', { Value: arn });
    const SecretArn = { 'Fn::GetAtt': [ref(secretKey), 'Arn'] };
    template.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: SecretArn });
  });

  it('sends alarms to the topic, which lets CloudWatch, and makes none', () => {
    template.resourceCountIs('AWS::SNS::Topic', 1);
    const topic = { Ref: ref(alarmTopic) };
    expect({ alarmTopic: lake.alarmTopic, morningTopic: lake.morningTopic }).toEqual({
      alarmTopic,
      morningTopic: alarmTopic,
    });
    for (const alarm of Object.values(propertiesOf(template, 'AWS::CloudWatch::Alarm')))
      expect(alarm.AlarmActions ?? alarm.InsufficientDataActions).toEqual([topic]);
    template.resourceCountIs('AWS::SNS::Subscription', 1);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      TopicArn: topic,
      Endpoint: 'ops@example.com',
    });
    expect(JSON.stringify(propertiesOf(template, 'AWS::SNS::TopicPolicy'))).toContain(
      'cloudwatch.amazonaws.com',
    );
  });

  it('writes access logs where they are wanted', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      LoggingConfiguration: { DestinationBucketName: { Ref: ref(accessLogsBucket) } },
    });
  });
});
