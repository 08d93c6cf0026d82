import { Annotations, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { LAGGING_FOLDER, OPEN_RUNS_FOLDER } from '../lake/layout.ts';
import { explain } from './explain.ts';
import { Naming, runLogsName } from './naming.ts';
import type { CfeLakeProps } from './props.ts';
import type { Settings } from './settings.ts';

/** Folders of the bucket besides those in lib/lake/layout.ts. */

/** What Step Functions writes about a run: an entry for each company. */
export const RUN_RECORDS_FOLDER = 'corridas';
/** Results of Athena queries. */
export const QUERY_RESULTS_FOLDER = 'consultas';
/** The coverage page. */
export const COVERAGE_FOLDER = 'cobertura';

const QUERY_RESULT_DAYS = 7;
const RUN_RECORD_DAYS = 90;

type LakeBucketProps = Pick<CfeLakeProps, 'bucket' | 'encryptionKey' | 'accessLogsBucket' | 'removalPolicy'>;

/** The bucket with all tables, and its KMS key unless S3's own encryption is used. */
export class LakeBucket extends Construct {
  readonly bucket: s3.IBucket;
  readonly key: IKey | undefined;
  /** The key that the stack made, or the user's for all that the stack makes. */
  private readonly stackKey: IKey | undefined;
  private readonly isKeyGiven: boolean;

  /** The encryption, versioning, lifecycle and policy of a given `bucket` are left as they are. */
  constructor(scope: Construct, id: string, settings: Settings, props: LakeBucketProps) {
    super(scope, id);
    const { bucket, encryptionKey, removalPolicy } = props;
    const removal = removalPolicy === RemovalPolicy.DESTROY ? removalPolicy : RETAINED;
    this.isKeyGiven = encryptionKey !== undefined;
    this.stackKey =
      encryptionKey ?? (settings.useKms && bucket === undefined ? this.makeKey(removal) : undefined);
    this.bucket = bucket ?? this.makeBucket(settings.noncurrentVersionDays, removal, props.accessLogsBucket);
    this.key = bucket === undefined ? this.stackKey : bucket.encryptionKey;
  }

  /** The key of the dead-letter queue, if it is not AWS's. */
  get keyOfQueues(): IKey | undefined {
    return this.isKeyGiven ? this.stackKey : undefined;
  }

  /** What S3 requires of a caller that reads and writes encrypted objects, including multipart uploads. */
  allowKey(grantee: IGrantable): void {
    this.key?.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey');
  }

  /**
   * Encrypts all logs and topics below a construct with the stack's key too, because they name companies; with a key of
   * the user's, also the queues that `senders` write to. Must be called once all of them exist.
   */
  encryptTheRest(scope: Construct, senders: readonly IGrantable[]): void {
    const key = this.stackKey;
    if (key === undefined) return;
    const { region, account, partition } = Stack.of(scope);
    const naming = Naming.of(scope);
    const logGroup = (name: string) => `arn:${partition}:logs:${region}:${account}:log-group:${name}`;
    // To the policy of an imported key, nothing is added.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
        actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
        resources: ['*'],
        conditions: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': [
              logGroup(naming.functionLogsPattern(scope)),
              logGroup(runLogsName(naming)),
            ],
          },
        },
      }),
    );
    // Without this, an alarm goes off but no e-mail is sent.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    for (const child of scope.node.findAll()) {
      if (child instanceof CfnLogGroup) child.kmsKeyId = key.keyArn;
      if (child instanceof CfnTopic) child.kmsMasterKeyId = key.keyArn;
    }
    if (!this.isKeyGiven) return;
    for (const child of scope.node.findAll()) {
      if (!(child instanceof CfnQueue)) continue;
      child.kmsMasterKeyId = key.keyArn;
      child.sqsManagedSseEnabled = undefined;
    }
    for (const sender of senders) key.grant(sender, 'kms:Decrypt', 'kms:GenerateDataKey');
  }

  /** Retained with the bucket, which could not be read without it. */
  private makeKey(removalPolicy: RemovalPolicy): Key {
    return new Key(this, 'Key', {
      description: 'Encrypts the lake of fiscal receipts, and the logs and alarms of what fills it',
      enableKeyRotation: true,
      removalPolicy,
    });
  }

  private makeBucket(versionDays: number, removalPolicy: RemovalPolicy, accessLogs: s3.IBucket | undefined) {
    const encryptionKey = this.stackKey;
    const bucket = new s3.Bucket(this, 'Bucket', {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      encryption: encryptionKey === undefined ? s3.BucketEncryption.S3_MANAGED : s3.BucketEncryption.KMS,
      ...(encryptionKey && { encryptionKey, bucketKeyEnabled: true }),
      versioned: true,
      lifecycleRules: lifecycleRules(versionDays),
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
      ...(accessLogs && {
        serverAccessLogsBucket: accessLogs,
        serverAccessLogsPrefix: `${Naming.of(this).unique}/`,
      }),
    });
    // CloudFormation would delete the policy of a bucket that it keeps, and plain HTTP would be answered.
    bucket.policy?.applyRemovalPolicy(removalPolicy);
    if (accessLogs !== undefined) {
      // docs/aws.md has the policy that an imported bucket needs.
      Annotations.of(bucket).acknowledgeWarning('@aws-cdk/aws-s3:accessLogsPolicyNotAdded');
      return bucket;
    }
    explain(
      bucket,
      'Access logs would need a second bucket that grows for ever, and few would read them: accessLogsBucket names one. Objects are versioned, and the audit table says who wrote what. To know who read what, switch on CloudTrail data events for this bucket.',
      ['AwsSolutions-S1'],
    );
    return bucket;
  }
}

/** If the first deployment fails, even a retained lake is removed: it is empty, and its key would cost money. */
const RETAINED = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

function lifecycleRules(noncurrentVersionDays: number): s3.LifecycleRule[] {
  return [
    {
      id: 'replaced-objects',
      noncurrentVersionExpiration: Duration.days(noncurrentVersionDays),
      expiredObjectDeleteMarker: true,
    },
    { id: 'aborted-uploads', abortIncompleteMultipartUploadAfter: Duration.days(2) },
    shortLived('query-results', QUERY_RESULTS_FOLDER, QUERY_RESULT_DAYS),
    shortLived('run-records', RUN_RECORDS_FOLDER, RUN_RECORD_DAYS),
    // Moved into the tables when the run is sealed, so current objects never grow old.
    shortLived('open-runs', OPEN_RUNS_FOLDER),
    // Removed once their days are published.
    shortLived('lagging', LAGGING_FOLDER),
    // Written again after every run; the current page stays.
    shortLived('coverage', COVERAGE_FOLDER),
  ];
}

/** Objects that can be made again, so old versions are not worth keeping. Without `days`, current ones stay. */
function shortLived(id: string, folder: string, days?: number): s3.LifecycleRule {
  return {
    id,
    prefix: `${folder}/`,
    ...(days !== undefined && { expiration: Duration.days(days) }),
    noncurrentVersionExpiration: Duration.days(1),
  };
}
