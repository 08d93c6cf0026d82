import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Naming, runLogsName } from './naming.ts';

/**
 * Encrypts all logs and topics below a construct with its key too, because they name companies. Must be called once
 * all of them exist.
 */
export function encryptLogsAndTopics(scope: Construct, key: Key): void {
  const { region, account, partition } = Stack.of(scope);
  const naming = Naming.of(scope);
  const logGroup = (name: string) => `arn:${partition}:logs:${region}:${account}:log-group:${name}`;
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
}
