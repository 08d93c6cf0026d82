import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ResultWriterV2 } from 'aws-cdk-lib/aws-stepfunctions';
import type { LakeBucket } from '../lake-bucket.ts';
import { RUN_RECORDS_PREFIX } from '../lake-prefixes.ts';

/**
 * Has Step Functions write what the children of a run answered into the lake's bucket: together they would not fit
 * into a state. CDK's own writer may write anywhere in the bucket; this one only where it has to.
 */
export class RunRecordWriter extends ResultWriterV2 {
  private readonly resources: readonly string[];

  constructor({ bucket }: LakeBucket) {
    super({ bucket, prefix: RUN_RECORDS_PREFIX.replace(/\/$/, '') });
    this.resources = runRecordObjects(bucket);
  }

  override providePolicyStatements(): PolicyStatement[] {
    const actions = [
      's3:PutObject',
      's3:GetObject',
      's3:ListMultipartUploadParts',
      's3:AbortMultipartUpload',
    ];
    return [new PolicyStatement({ actions, resources: [...this.resources] })];
  }
}

export function runRecordObjects(bucket: LakeBucket['bucket']): string[] {
  return [bucket.arnForObjects(`${RUN_RECORDS_PREFIX}*`)];
}
