import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asText, propertiesOf, SECRETS_KEY, STACKS, synthesise } from './synthesis.ts';

const template = synthesise();

const Lifecycle = v.object({
  Rules: v.array(v.object({ Prefix: v.optional(v.string()), ExpirationInDays: v.optional(v.number()) })),
});
const Workgroup = v.object({ ResultConfiguration: v.object({ OutputLocation: v.unknown() }) });

describe('the lake', () => {
  it('is private, versioned, and encrypted by S3', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      VersioningConfiguration: { Status: 'Enabled' },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    });
    template.resourceCountIs('AWS::S3::Bucket', 1);
  });

  it('outlives the stack, with its refusal of connections without TLS', () => {
    // If the first deployment fails, the empty bucket is deleted.
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    for (const type of ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy']) template.hasResource(type, kept);
  });

  it('forgets replaced objects, aborted uploads, query results and what was left staged', () => {
    const rule = (properties: object) => Match.objectLike({ Status: 'Enabled', ...properties });
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          rule({ NoncurrentVersionExpiration: { NoncurrentDays: 30 }, ExpiredObjectDeleteMarker: true }),
          rule({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } }),
          rule({ Prefix: 'consultas/', ExpirationInDays: 7 }),
          rule({ Prefix: 'corridas/', ExpirationInDays: 90 }),
          rule({ Prefix: 'cobertura/', NoncurrentVersionExpiration: { NoncurrentDays: 1 } }),
        ]),
      },
    });
  });

  it('keeps what was replaced, and scans, as long and as far as is asked for', () => {
    const other = synthesise(STACKS.other);
    other.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          Match.objectLike({ Id: 'replaced-objects', NoncurrentVersionExpiration: { NoncurrentDays: 60 } }),
        ]),
      },
    });
    other.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: { BytesScannedCutoffPerQuery: 5 * 2 ** 30 },
    });
  });

  it('never forgets a table', () => {
    const [bucket] = Object.values(propertiesOf(template, 'AWS::S3::Bucket'));
    const { Rules: rules } = v.parse(Lifecycle, bucket?.LifecycleConfiguration);
    const expiring = rules.filter((rule) => rule.ExpirationInDays !== undefined);
    expect(expiring.map((rule) => rule.Prefix)).toEqual(['consultas/', 'corridas/']);
  });
});

it('Athena holds every client to the limit on what a query scans, and to where answers go', () => {
  template.hasResourceProperties('AWS::Athena::WorkGroup', {
    Name: 'cfe-lake',
    WorkGroupConfiguration: {
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: 100 * 2 ** 30,
      ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
    },
  });
  const [workgroup] = Object.values(propertiesOf(template, 'AWS::Athena::WorkGroup'));
  const { ResultConfiguration: result } = v.parse(Workgroup, workgroup?.WorkGroupConfiguration);
  expect(asText(result.OutputLocation)).toMatch(/^s3:\/\/<LakeBucket\w+>\/consultas\/$/);
});

describe('with a key of its own, to be deleted', () => {
  const ownKey = synthesise(STACKS.own);

  it('is encrypted with the key, as are the answers of queries', () => {
    const [keyId] = Object.keys(propertiesOf(ownKey, 'AWS::KMS::Key'));
    const keyArn = { 'Fn::GetAtt': [keyId, 'Arn'] };
    ownKey.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    ownKey.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: keyArn },
          },
        ],
      },
    });
    ownKey.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_KMS', KmsKey: keyArn } },
      },
    });
  });

  it('is removed with all that it holds', () => {
    ownKey.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    ownKey.hasResource('AWS::KMS::Key', { DeletionPolicy: 'Delete' });
    ownKey.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
  });
});

describe('a bucket that is there already', () => {
  const keyArn = SECRETS_KEY;
  const adopted = synthesise(STACKS.adopted);

  it('is the lake of everything, and the stack makes and deletes none', () => {
    for (const type of ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::KMS::Key'])
      adopted.resourceCountIs(type, 0);
    adopted.hasOutput('LakeBucket', { Value: 'the-lake' });
    for (const table of Object.values(propertiesOf(adopted, 'AWS::Glue::Table'))) {
      const text = JSON.stringify(table);
      if (!text.includes('VIRTUAL_VIEW')) expect(text).toContain('s3://the-lake/');
    }
    const withLake = Object.values(propertiesOf(adopted, 'AWS::Lambda::Function')).filter((lambda) =>
      JSON.stringify(lambda).includes('"LAKE_BUCKET":"the-lake"'),
    );
    expect(withLake.length).toBeGreaterThan(2);
  });

  it('is read and written with its key by queries', () => {
    adopted.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_KMS', KmsKey: keyArn } },
      },
    });
  });
});
