import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { readDeployedShape, refuseRiskyChanges } from '../../../lib/cli/stack/preflight.ts';

const client = new CloudFormationClient({ region: 'us-east-1' });
const service = mockClient(client);
beforeEach(() => service.reset());

const OUTPUTS = ['LakeBucket', 'StartRunFunction', 'StateMachineArn'];

function stack(StackName: string, StackStatus: StackStatus = 'CREATE_COMPLETE', outputs = OUTPUTS) {
  const Outputs = outputs.map((OutputKey) => ({ OutputKey, OutputValue: 'x' }));
  return { StackName, StackStatus, Outputs, CreationTime: new Date(0) };
}

function resource(
  ResourceType: string,
  ResourceStatus: 'CREATE_COMPLETE' | 'DELETE_COMPLETE' = 'CREATE_COMPLETE',
) {
  return { LogicalResourceId: 'x', LastUpdatedTimestamp: new Date(0), ResourceType, ResourceStatus };
}

describe('readDeployedShape', () => {
  it('sees all pages of stacks: this one, and those of this program under other names', async () => {
    service
      .on(DescribeStacksCommand)
      .resolvesOnce({ Stacks: [stack('CDKToolkit', 'CREATE_COMPLETE', ['BucketName'])], NextToken: 'p2' })
      .resolvesOnce({ Stacks: [stack('books'), stack('cfe-lake', 'UPDATE_COMPLETE')] });
    service
      .on(ListStackResourcesCommand)
      .resolvesOnce({ StackResourceSummaries: [resource('AWS::S3::Bucket')], NextToken: 'p2' })
      .resolvesOnce({ StackResourceSummaries: [resource('AWS::KMS::Key')] });
    expect(await readDeployedShape(client, 'cfe-lake')).toEqual({
      stack: { hasKey: true, hasBucket: true, bucket: 'x' },
      others: ['books'],
    });
  });

  it('treats a deleted key as none', async () => {
    service.on(DescribeStacksCommand).resolves({ Stacks: [stack('cfe-lake')] });
    const summaries = [resource('AWS::KMS::Key', 'DELETE_COMPLETE')];
    service.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: summaries });
    expect(await readDeployedShape(client, 'cfe-lake')).toEqual({
      stack: { hasKey: false, hasBucket: false, bucket: 'x' },
      others: [],
    });
  });

  it('treats a failed first deployment as none', async () => {
    service.on(DescribeStacksCommand).resolves({ Stacks: [stack('cfe-lake', 'ROLLBACK_COMPLETE', [])] });
    expect(await readDeployedShape(client, 'cfe-lake')).toEqual({ stack: undefined, others: [] });
  });

  it('does not treat what it may not see as empty', async () => {
    service.on(DescribeStacksCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDenied' }));
    await expect(readDeployedShape(client, 'cfe-lake')).rejects.toThrow(
      'Checking what is already deployed failed (AccessDenied). Ask for the permission',
    );
  });
});

describe('refuseRiskyChanges', () => {
  const settings = (useKms: boolean, bucketName?: string) => ({ stackName: 'cfe-lake', useKms, bucketName });
  const deployed = (hasKey: boolean, hasBucket = true) => ({
    stack: { hasKey, hasBucket, bucket: 'the-lake' },
    others: [],
  });
  const refusal = (...[given, shape, accepted]: Parameters<typeof refuseRiskyChanges>) => {
    return () => refuseRiskyChanges(given, shape, accepted);
  };

  it('lets a first deployment pass, and one that changes neither name nor encryption', () => {
    for (const useKms of [true, false]) {
      refuseRiskyChanges(settings(useKms), { stack: undefined, others: [] }, []);
      refuseRiskyChanges(settings(useKms), { ...deployed(useKms), others: ['books'] }, []);
    }
  });

  it('refuses to remove the key or to add one later, and says what that means', () => {
    expect(refusal(settings(false), deployed(true), [])).toThrow(
      /^Nothing was deployed\. The lake of cfe-lake is encrypted .* npm run settings -- useKms=true; if you want the change: npm run deploy -- --accept encryption$/,
    );
    expect(refusal(settings(true), deployed(false), [])).toThrow(/would stay as it is.*--accept encryption$/);
    expect(refusal(settings(false), deployed(true), ['second-stack'])).toThrow(/--accept encryption$/);
    expect(refusal(settings(false), deployed(true), ['encryption'])).not.toThrow();
  });

  it('refuses to add, change or remove a key of the user’s', () => {
    const key = 'arn:aws:kms:sa-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';
    const encryptedWith = (encryptionKeyArn?: string) => ({
      stack: { hasKey: false, hasBucket: true, bucket: 'the-lake', encryptionKeyArn },
      others: [],
    });
    for (const [before, after] of [
      [undefined, key],
      [key, undefined],
      [key, `${key}2`],
    ] as const) {
      const given = { ...settings(false), encryptionKeyArn: after };
      expect(refusal(given, encryptedWith(before), [])).toThrow(
        `To leave it: npm run settings -- encryptionKeyArn=${before ?? ''}; if you want the change: npm run deploy -- --accept encryption`,
      );
      expect(refusal(given, encryptedWith(before), ['encryption'])).not.toThrow();
      expect(refusal(given, encryptedWith(after), [])).not.toThrow();
    }
  });

  it('refuses a second stack beside an existing one', () => {
    const shape = { stack: undefined, others: ['books'] };
    expect(refusal(settings(false), shape, [])).toThrow(
      /There is no stack cfe-lake here, but there is books\. .* stackName=books; if you want the change: .* --accept second-stack$/,
    );
    expect(refusal(settings(false), shape, ['encryption'])).toThrow(/second-stack$/);
    expect(refusal(settings(false), shape, ['second-stack'])).not.toThrow();
  });

  it('refuses to go on in a bucket other than the one that has the receipts', () => {
    for (const name of ['the-lake', 'other']) {
      expect(refusal(settings(false, name), deployed(false), [])).toThrow(
        /^Nothing was deployed\. The lake of cfe-lake is the-lake, which the stack created\. .* -- bucketName=; if .*--accept bucket$/,
      );
    }
    for (const name of ['other', undefined]) {
      expect(refusal(settings(false, name), deployed(false, false), [])).toThrow(
        /The lake of cfe-lake is the-lake\. .* -- bucketName=the-lake; if .*--accept bucket$/,
      );
      expect(refusal(settings(false, name), deployed(false, false), ['bucket'])).not.toThrow();
    }
    expect(refusal(settings(false, 'the-lake'), deployed(false, false), [])).not.toThrow();
  });
});
