import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { policiesIn } from './policies.ts';
import { asText, KEY, makeStack, propertiesOf, STACKS, synthesise } from './synthesis.ts';

/** What a platform team demands, with and without. */
const platform = synthesise(STACKS.platform);
const plain = synthesise();

type Template = typeof plain;
const Typed = v.object({ Type: v.string() });

const functionsOf = (template: Template) => Object.values(propertiesOf(template, 'AWS::Lambda::Function'));
const idsOf = (template: Template, type: string) => Object.keys(propertiesOf(template, type)).sort();

describe('vpcId, subnetIds and securityGroupIds', () => {
  it('connect the functions that call the API, and no others', () => {
    const connected = functionsOf(platform).filter(({ VpcConfig }) => VpcConfig !== undefined);
    expect(connected.map(({ FunctionName }) => FunctionName).sort()).toEqual([
      'cfe-lake-export-company',
      'cfe-lake-renew-tokens',
      'cfe-lake-start-run',
    ]);
    for (const { VpcConfig } of connected) {
      expect(VpcConfig).toEqual({
        SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
        SecurityGroupIds: ['sg-0123456789abcdef0'],
      });
    }
    for (const properties of functionsOf(plain)) expect(properties).not.toHaveProperty('VpcConfig');
  });

  it('make no resource, and look nothing up', () => {
    expect(JSON.stringify(platform.toJSON())).not.toMatch(/AWS::EC2::|vpc-0123/);
  });
});

describe('encryptionKeyArn', () => {
  it('encrypts the lake, logs, topic and queue with that key, and makes none', () => {
    platform.resourceCountIs('AWS::KMS::Key', 0);
    platform.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY },
          },
        ],
      },
    });
    platform.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
    platform.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: KEY });
    platform.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: KEY });
    for (const queue of Object.values(propertiesOf(platform, 'AWS::SQS::Queue')))
      expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
    platform.hasOutput('EncryptionKey', { Value: KEY });
  });

  it('leaves the encryption to AWS when absent', () => {
    for (const type of ['AWS::Logs::LogGroup', 'AWS::SNS::Topic', 'AWS::SQS::Queue']) {
      for (const properties of Object.values(propertiesOf(plain, type)))
        expect(JSON.stringify(properties)).not.toMatch(/Kms/);
    }
    expect(plain.findOutputs('EncryptionKey')).toEqual({});
  });
});

it('accessLogsBucket takes the access logs of the lake, below the name of the stack', () => {
  platform.hasResourceProperties('AWS::S3::Bucket', {
    LoggingConfiguration: { DestinationBucketName: 'the-logs', LogFilePrefix: 'cfe-lake/' },
  });
  platform.resourceCountIs('AWS::S3::Bucket', 1);
  for (const bucket of Object.values(propertiesOf(plain, 'AWS::S3::Bucket')))
    expect(bucket).not.toHaveProperty('LoggingConfiguration');
});

it('permissionsBoundary bounds every role, also those that CDK makes for itself, by name or ARN; none by default', () => {
  // The removal of objects is a function of CDK's own.
  expect(idsOf(platform, 'AWS::IAM::Role').some((id) => id.startsWith('CustomS3AutoDelete'))).toBe(true);
  for (const [template, arn] of [
    [platform, 'arn:<AWS::Partition>:iam::<AWS::AccountId>:policy/platform/boundary'],
    [synthesise(STACKS.other), 'arn:aws:iam::123456789012:policy/bound'],
  ] as const) {
    const roles = Object.values(propertiesOf(template, 'AWS::IAM::Role'));
    for (const { PermissionsBoundary: boundary } of roles) expect(asText(boundary)).toBe(arn);
  }
  for (const role of Object.values(propertiesOf(plain, 'AWS::IAM::Role')))
    expect(role).not.toHaveProperty('PermissionsBoundary');
});

describe('docs/aws.md', () => {
  const page = readFileSync('docs/aws.md', 'utf8');

  it('names the services of which a boundary must allow actions', () => {
    const [, named = ''] = /which are actions of ([^.]+)\./.exec(page) ?? [];
    const actions = policiesIn(platform).flatMap(({ statements }) =>
      statements.flatMap((statement) => statement.Action),
    );
    const services = new Set(actions.map((action) => action.split(':', 1)[0]));
    expect([...named.matchAll(/`(\w+)`/g)].map(([, service]) => service).sort()).toEqual(
      [...services].sort(),
    );
  });

  it('names the services of which whoever deploys must be allowed to make resources', () => {
    const [, named = ''] = /Narrower ones must allow([\s\S]+?)\n\n/.exec(page) ?? [];
    const types = Object.values(platform.toJSON().Resources).map((resource) => v.parse(Typed, resource).Type);
    for (const type of types.filter((name) => name.startsWith('AWS::'))) {
      const service = type.split('::')[1] ?? '';
      expect(named).toContain({ Logs: 'logs', StepFunctions: 'Step Functions' }[service] ?? service);
    }
  });
});

describe('tags', () => {
  it('are on what has tags', () => {
    const types = ['AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::SQS::Queue'];
    const resources = types.flatMap((type) => Object.entries(propertiesOf(platform, type)));
    for (const [id, { Tags: tags }] of resources) {
      if (id.startsWith('CustomS3AutoDelete')) continue;
      expect(tags).toContainEqual({ Key: 'team', Value: 'finance' });
      expect(tags).toContainEqual({ Key: 'env', Value: 'prod' });
    }
    expect(JSON.stringify(plain.toJSON())).not.toContain('finance');
  });

  it('are on the stack, from which CloudFormation gives them to what CDK makes for itself', () => {
    expect(makeStack(STACKS.platform).tags.tagValues()).toEqual({ team: 'finance', env: 'prod' });
    expect(makeStack().tags.tagValues()).toEqual({});
  });
});

describe('apiRequestsPerSecond', () => {
  const Environment = v.object({ Variables: v.record(v.string(), v.unknown()) });

  /** The variables that say how the API is shared out. */
  function sharesOf(template: Template, name: 'start-run' | 'export-company'): unknown[] {
    const found = functionsOf(template).find(({ FunctionName }) => String(FunctionName).endsWith(name));
    const { Variables } = v.parse(Environment, found?.Environment);
    return ['COMPANIES_AT_ONCE', 'BACKFILL_COMPANIES_AT_ONCE', 'API_REQUESTS_PER_SECOND'].map(
      (variable) => Variables[variable],
    );
  }

  it('is told to both functions that call the API, with the shares of a night and of a run by hand', () => {
    for (const functionName of ['start-run', 'export-company'] as const) {
      expect(sharesOf(synthesise(STACKS.platform), functionName)).toEqual(['6', '2', '20']);
      expect(sharesOf(synthesise(STACKS.other), functionName)).toEqual(['5', '1', '3']);
      expect(sharesOf(plain, functionName)).toEqual(['6', '2', undefined]);
    }
  });
});
