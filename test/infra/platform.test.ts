import { describe, expect, it } from 'vitest';
import { asText, propertiesOf, synthesise } from './synthesis.ts';

const KEY = 'arn:aws:kms:sa-east-1:123456789012:key/0000-1111';
const plain = synthesise();

describe('encryptionKeyArn', () => {
  const own = synthesise({ encryptionKeyArn: KEY });

  it('encrypts the lake, logs, topic and queue with that key, and makes none', () => {
    own.resourceCountIs('AWS::KMS::Key', 0);
    own.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY },
          },
        ],
      },
    });
    own.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
    own.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: KEY });
    own.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: KEY });
    for (const queue of Object.values(propertiesOf(own, 'AWS::SQS::Queue')))
      expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
    own.hasOutput('EncryptionKey', { Value: KEY });
  });

  it.each([
    [{ encryptionKeyArn: KEY }, KEY],
    [{ encryptionKeyArn: KEY, bucketName: 'the-lake', bucketKeyArn: KEY.replace('0000', '2222') }, KEY],
  ])('lets those who write to the queue use it, with %j', (settings, key) => {
    const policies = Object.entries(propertiesOf(synthesise(settings), 'AWS::IAM::Policy'));
    const withKey = policies.filter(([, policy]) => JSON.stringify(policy).includes(`"${key}"`));
    const roles = withKey.map(([id]) => id.replace(/RoleDefaultPolicy\w+$/, ''));
    expect(roles).toEqual(expect.arrayContaining(['Schedules', 'ExporterStartRun']));
    for (const [, policy] of withKey) {
      expect(JSON.stringify(policy)).toContain('["kms:Decrypt","kms:GenerateDataKey"]');
      expect(JSON.stringify(policy)).not.toContain('"kms:*"');
    }
  });

  it('leaves the encryption to AWS when absent', () => {
    for (const type of ['AWS::Logs::LogGroup', 'AWS::SNS::Topic', 'AWS::SQS::Queue']) {
      for (const properties of Object.values(propertiesOf(plain, type)))
        expect(JSON.stringify(properties)).not.toMatch(/Kms/);
    }
    expect(plain.findOutputs('EncryptionKey')).toEqual({});
  });
});

describe('accessLogsBucket', () => {
  it('takes the access logs of the lake, below the name of the stack', () => {
    const logged = synthesise({ accessLogsBucket: 'the-logs' });
    logged.hasResourceProperties('AWS::S3::Bucket', {
      LoggingConfiguration: { DestinationBucketName: 'the-logs', LogFilePrefix: 'cfe-lake/' },
    });
    logged.resourceCountIs('AWS::S3::Bucket', 1);
    for (const bucket of Object.values(propertiesOf(plain, 'AWS::S3::Bucket')))
      expect(bucket).not.toHaveProperty('LoggingConfiguration');
  });
});

describe('permissionsBoundary', () => {
  it.each([
    ['platform/boundary', 'arn:<AWS::Partition>:iam::<AWS::AccountId>:policy/platform/boundary'],
    ['arn:aws:iam::123456789012:policy/bound', 'arn:aws:iam::123456789012:policy/bound'],
  ])('%s bounds every role, also those that CDK makes for itself', (permissionsBoundary, arn) => {
    // The removal of objects is a function of CDK's own.
    const bounded = synthesise({ permissionsBoundary, removalPolicy: 'destroy' });
    const roles = Object.entries(propertiesOf(bounded, 'AWS::IAM::Role'));
    expect(roles.some(([id]) => id.startsWith('CustomS3AutoDeleteObjects'))).toBe(true);
    for (const [, { PermissionsBoundary: boundary }] of roles) expect(asText(boundary)).toBe(arn);
  });

  it('is none by default', () => {
    for (const role of Object.values(propertiesOf(plain, 'AWS::IAM::Role')))
      expect(role).not.toHaveProperty('PermissionsBoundary');
  });
});

describe('tags', () => {
  it('are on what has tags', () => {
    const tagged = synthesise({ tags: 'team=finance,env=prod' });
    for (const type of ['AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::SQS::Queue']) {
      for (const { Tags: tags } of Object.values(propertiesOf(tagged, type))) {
        expect(tags).toContainEqual({ Key: 'team', Value: 'finance' });
        expect(tags).toContainEqual({ Key: 'env', Value: 'prod' });
      }
    }
    expect(JSON.stringify(plain.toJSON())).not.toContain('finance');
  });
});
