import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { explain } from './explain.ts';
import {
  COVERAGE_PREFIX,
  QUERY_RESULTS_PREFIX,
  RUN_RECORDS_PREFIX,
  STAGING_PREFIX,
} from './lake-prefixes.ts';
import type { Settings } from './settings.ts';

const QUERY_RESULT_DAYS = 7;
const RUN_RECORD_DAYS = 90;
/** Longer than any run: what is still staged then belongs to none. */
const STAGING_DAYS = 35;

type LakeSettings = Pick<Settings, 'noncurrentVersionDays' | 'removalPolicy' | 'useKms'>;

/** The bucket with all tables, and its key if it has one of its own. */
export class LakeBucket extends Construct {
  readonly bucket: Bucket;
  readonly key: Key | undefined;

  constructor(scope: Construct, id: string, settings: LakeSettings) {
    super(scope, id);
    const isKept = settings.removalPolicy === 'retain';
    const removalPolicy = isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    if (settings.useKms) {
      // Kept with the bucket: without its key, a kept bucket could not be read any more.
      this.key = new Key(this, 'Key', {
        description: 'Encrypts the lake of fiscal receipts, and the logs and alarms of what fills it',
        enableKeyRotation: true,
        removalPolicy,
      });
    }
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      encryption: this.key === undefined ? BucketEncryption.S3_MANAGED : BucketEncryption.KMS,
      ...(this.key !== undefined && { encryptionKey: this.key, bucketKeyEnabled: true }),
      versioned: true,
      lifecycleRules: lifecycleRules(settings.noncurrentVersionDays),
      removalPolicy,
      autoDeleteObjects: !isKept,
    });
    explain(
      this.bucket,
      'Access logs would need a second bucket that grows for ever, and few would read them. Objects are versioned, and who wrote what stands in the audit table; whoever has to know who read what switches on CloudTrail data events for this bucket.',
      ['AwsSolutions-S1'],
    );
  }

  /** What S3 needs of its caller to read and write encrypted objects, parts of uploads included. */
  allowKey(grantee: IGrantable): void {
    this.key?.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey');
  }
}

function lifecycleRules(noncurrentVersionDays: number): LifecycleRule[] {
  return [
    {
      id: 'replaced-objects',
      noncurrentVersionExpiration: Duration.days(noncurrentVersionDays),
      expiredObjectDeleteMarker: true,
    },
    { id: 'aborted-uploads', abortIncompleteMultipartUploadAfter: Duration.days(2) },
    shortLived('query-results', QUERY_RESULTS_PREFIX, QUERY_RESULT_DAYS),
    shortLived('run-records', RUN_RECORDS_PREFIX, RUN_RECORD_DAYS),
    shortLived('staging', STAGING_PREFIX, STAGING_DAYS),
    // Made anew after every run; the page itself stays.
    { id: 'coverage', prefix: COVERAGE_PREFIX, noncurrentVersionExpiration: Duration.days(1) },
  ];
}

/** Objects that can be made again: no old versions are worth keeping. */
function shortLived(id: string, prefix: string, days: number): LifecycleRule {
  return { id, prefix, expiration: Duration.days(days), noncurrentVersionExpiration: Duration.days(1) };
}
