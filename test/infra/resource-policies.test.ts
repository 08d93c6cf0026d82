import * as v from 'valibot';
import { expect, it } from 'vitest';
import { shorten } from './policies.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

/** With a key of its own; CDK's function, which empties the bucket, is told of in docs/security.md. */
const template = synthesise(STACKS.own);

const Condition = v.record(v.string(), v.record(v.string(), v.unknown()));
const Document = v.object({
  Statement: v.array(
    v.object({
      Effect: v.string(),
      Action: v.unknown(),
      Principal: v.union([v.string(), v.record(v.string(), v.unknown())]),
      Resource: v.optional(v.unknown(), []),
      Condition: v.optional(Condition, {}),
    }),
  ),
});

const listOf = (value: unknown) =>
  [value]
    .flat()
    .map((value) => shorten(asText(value)))
    .join(' ');

/** `effect actions, by whom of what if keys` of each statement. condition-keys.test.ts has the values of keys. */
function statementsIn(type: string, property: string): string[] {
  return Object.entries(propertiesOf(template, type)).flatMap(([id, properties]) => {
    if (id.startsWith('CustomS3AutoDelete')) return [];
    return v.parse(Document, properties[property]).Statement.map((statement) => {
      const { Effect, Action, Principal, Resource, Condition: condition } = statement;
      const who = listOf(typeof Principal === 'string' ? Principal : Object.values(Principal));
      const place = listOf(Resource) || id.replace(/[0-9A-F]{8}$/, '');
      const keys = Object.values(condition).flatMap(Object.keys).join(' ');
      return `${Effect} ${listOf(Action)} by ${who} of ${place}${keys && ` if ${keys}`}`;
    });
  });
}

it.each([
  [
    'roles are taken by their service alone, in this account',
    'AWS::IAM::Role',
    'AssumeRolePolicyDocument',
    [
      ...['ExportCompany', 'FinishRun', 'Publish', 'RenewTokens', 'StartRun'].map(
        (name) => `Allow sts:AssumeRole by lambda.amazonaws.com of Exporter${name}Role`,
      ),
      'Allow sts:AssumeRole by scheduler.amazonaws.com of SchedulesRole if aws:SourceAccount aws:SourceArn',
      'Allow sts:AssumeRole by states.amazonaws.com of ExporterRunStateMachineRole if aws:SourceArn aws:SourceAccount',
    ],
  ],
  [
    'the bucket refuses requests without TLS, or with an old one',
    'AWS::S3::BucketPolicy',
    'PolicyDocument',
    [
      'Allow s3:DeleteObject* s3:GetBucket* s3:List* s3:PutBucketPolicy by <CustomS3AutoDeleteObjectsCustomResourceProviderRole3B1BD092.Arn> of <LakeBucket> <LakeBucket>/*',
      'Deny s3:* by * of <LakeBucket> <LakeBucket>/* if aws:SecureTransport',
      'Deny s3:* by * of <LakeBucket> <LakeBucket>/* if s3:TlsVersion',
    ],
  ],
  [
    'topics take what alarms of this account tell, by TLS',
    'AWS::SNS::TopicPolicy',
    'PolicyDocument',
    ['<AlarmsMorningTopic>', '<AlarmsTopic>'].flatMap((topic) => [
      `Allow sns:Publish by cloudwatch.amazonaws.com of ${topic} if aws:SourceAccount`,
      `Deny sns:Publish by * of ${topic} if aws:SecureTransport`,
    ]),
  ],
  [
    'the queue refuses requests without TLS',
    'AWS::SQS::QueuePolicy',
    'PolicyDocument',
    ['Deny sqs:* by * of <SchedulesDeadLetters> if aws:SecureTransport'],
  ],
  [
    'the key is for those whom the account lets, for the logs, and for alarms',
    'AWS::KMS::Key',
    'KeyPolicy',
    [
      'Allow kms:* by arn:<AWS::Partition>:iam::<AWS::AccountId>:root of *',
      'Allow kms:Decrypt kms:DescribeKey kms:Encrypt kms:GenerateDataKey* kms:ReEncrypt* by logs.<AWS::Region>.amazonaws.com of * if kms:EncryptionContext:aws:logs:arn',
      'Allow kms:Decrypt kms:GenerateDataKey* by cloudwatch.amazonaws.com of * if aws:SourceAccount',
    ],
  ],
] as const)('%s', (_promise, type, property, statements) => {
  expect(statementsIn(type, property).sort()).toEqual([...statements].sort());
});
