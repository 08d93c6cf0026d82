import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { Callers } from './callers.ts';
import { CfeLake } from './cfe-lake.ts';
import type { Bundles } from './exporter/bundle-folders.ts';
import type { Settings } from './settings.ts';

export interface CfeLakeStackProps {
  settings: Settings;
  bundles: Bundles;
}

/** This project's stack: a CfeLake named after it, and policies for the people who work with it. */
export class CfeLakeStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles }: CfeLakeStackProps) {
    super(scope, id, {
      stackName: settings.stackName,
      description: 'Fiscal receipts, from the query API to Athena',
    });
    // CDK leaves this id out of logical ids, which are older than the construct.
    const lake = new CfeLake(this, 'Default', {
      name: settings.stackName,
      apiAddress: settings.apiAddress,
      bucket: this.existingBucket(settings),
      checkout: { settings, bundles },
    });
    new Callers(this, 'Callers', lake.called);
    lake.addOutputs();
  }

  private existingBucket({ bucketName, bucketKeyArn }: Settings): IBucket | undefined {
    if (bucketName === undefined) return undefined;
    const encryptionKey =
      bucketKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'ExistingKey', bucketKeyArn);
    return Bucket.fromBucketAttributes(this, 'ExistingBucket', { bucketName, encryptionKey });
  }
}
