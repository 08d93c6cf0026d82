import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Bundles } from '../system/program.ts';
import type { CfeLakeSettings, Settings } from './settings.ts';

/** The settings of a lake, and objects of CDK. */
export interface CfeLakeProps extends CfeLakeSettings {
  /**
   * Name, or prefix of the names, of the resources: at most 32 letters, digits and dashes, beginning with a letter. One
   * account and region can't hold two lakes with the same name.
   * @default - CloudFormation generates names; what needs one at synthesis gets it from the construct's path
   */
  readonly name?: string;
  /**
   * A bucket for the lake, empty or a lake already, in the same account and region. Its encryption, versioning, lifecycle
   * and policy are left as they are; its `encryptionKey` is used if it has one. It should refuse requests without TLS
   * (`enforceSSL`).
   * @default - a new bucket: encrypted, versioned, TLS only, closed to the public
   */
  readonly bucket?: IBucket;
  /**
   * What happens to the new bucket and its key when they are removed from the stack. `DESTROY` deletes all receipts.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Encrypts the new bucket, the logs, the new topic and the dead-letter queue with this key. Of an imported key, the
   * policy must admit CloudWatch and its logs; see docs/aws.md.
   * @default - the encryption of each service; with `useKms`, a new key
   */
  readonly encryptionKey?: IKey;
  /**
   * A bucket for the access logs of the new bucket.
   * @default - no access logs
   */
  readonly accessLogsBucket?: IBucket;
  /**
   * The key of the secrets with companies and login, if they are encrypted with one; also for that of the login's tokens.
   * @default - Secrets Manager's own key
   */
  readonly secretKey?: IKey;
  /**
   * Where the functions that call the API run, for an API that admits known addresses only. They must reach AWS's
   * services from there, too; see docs/aws.md.
   * @default - AWS's own network
   */
  readonly vpc?: IVpc;
  /**
   * Which subnets of `vpc`.
   * @default - its private subnets
   */
  readonly subnets?: SubnetSelection;
  /**
   * Security groups of those functions, which must allow HTTPS out.
   * @default - a new one for each function
   */
  readonly securityGroups?: ISecurityGroup[];
  /**
   * The topic that all alarms are sent to. If it is imported, its policy must admit CloudWatch.
   * @default - two new topics, one for urgent alarms
   */
  readonly alarmTopic?: ITopic;
  /**
   * For a checkout, which bundles the functions itself and may have read its settings already.
   * @internal
   */
  readonly checkout?: { readonly settings?: Settings; readonly bundles: Bundles };
}
