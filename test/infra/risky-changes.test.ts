import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { type DeployedShape, readDeployedShape, refuseRiskyChanges } from '../../lib/stack/risky-changes.ts';
import { KEY, SECRETS_KEY } from './synthesis.ts';

describe('readDeployedShape', () => {
  const client = new CloudFormationClient({ region: 'us-east-1' });
  const service = mockClient(client);
  beforeEach(() => service.reset());

  const PLACE = { account: '123456789012', region: 'us-east-1' };
  const read = () => readDeployedShape(client, 'cfe-lake', PLACE);

  function stack(StackName: string, StackStatus: StackStatus = 'CREATE_COMPLETE', isLake = true) {
    const outputs = isLake ? ['LakeBucket', 'StartRunFunction', 'StateMachineArn'] : ['BucketName'];
    return {
      StackName,
      StackStatus,
      StackId: `arn:aws:cloudformation:us-east-1:123456789012:stack/${StackName}/1`,
      Outputs: outputs.map((OutputKey) => ({ OutputKey, OutputValue: 'x' })),
      CreationTime: new Date(0),
    };
  }

  function resource(
    ResourceType: string,
    ResourceStatus: 'CREATE_COMPLETE' | 'DELETE_COMPLETE' = 'CREATE_COMPLETE',
  ) {
    return { LogicalResourceId: 'x', LastUpdatedTimestamp: new Date(0), ResourceType, ResourceStatus };
  }

  it('sees all pages of stacks: this one, and those of this program under other names', async () => {
    service
      .on(DescribeStacksCommand)
      .resolvesOnce({ Stacks: [stack('CDKToolkit', 'CREATE_COMPLETE', false)], NextToken: 'p2' })
      .resolvesOnce({ Stacks: [stack('books'), stack('cfe-lake', 'UPDATE_COMPLETE')] });
    service
      .on(ListStackResourcesCommand)
      .resolvesOnce({ StackResourceSummaries: [resource('AWS::S3::Bucket')], NextToken: 'p2' })
      .resolvesOnce({ StackResourceSummaries: [resource('AWS::KMS::Key')] });
    expect(await read()).toEqual({
      stack: { hasKey: true, hasBucket: true, bucket: 'x', encryptionKeyArn: undefined },
      others: ['books'],
    });
  });

  it('takes a deleted key for none, and a failed first deployment for no stack', async () => {
    service.on(DescribeStacksCommand).resolves({ Stacks: [stack('cfe-lake')] });
    const summaries = [resource('AWS::KMS::Key', 'DELETE_COMPLETE')];
    service.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: summaries });
    expect((await read()).stack).toMatchObject({ hasKey: false, hasBucket: false });
    const failed = stack('cfe-lake', 'ROLLBACK_COMPLETE', false);
    service.on(DescribeStacksCommand).resolves({ Stacks: [failed] });
    expect(await read()).toEqual({ stack: undefined, others: [] });
  });

  it('does not take for empty what it may not see, or another place than that of CDK', async () => {
    service.on(DescribeStacksCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDenied' }));
    await expect(read()).rejects.toThrow(
      'Checking what is already deployed failed (AccessDenied). Ask for the permission',
    );
    const elsewhere = {
      ...stack('cfe-lake'),
      StackId: 'arn:aws:cloudformation:us-east-1:2:stack/cfe-lake/1',
    };
    for (const stacks of [[], [elsewhere]]) {
      service.on(DescribeStacksCommand).resolves({ Stacks: stacks });
      service.on(ListStackResourcesCommand).resolves({});
      await expect(read()).rejects.toThrow(/123456789012, region us-east-1.*npx cdk bootstrap.*AWS_PROFILE/);
    }
  });
});

describe('refuseRiskyChanges', () => {
  type Given = Parameters<typeof refuseRiskyChanges>[0];
  type Stack = NonNullable<DeployedShape['stack']>;

  const plain = { hasBucket: true, hasKey: false, bucket: 'the-lake', encryptionKeyArn: undefined };
  const kept = { ...plain, hasBucket: false };
  const given = (changed: Partial<Given> = {}): Given => ({
    stackName: 'cfe-lake',
    useKms: false,
    encryptionKeyArn: undefined,
    bucketName: undefined,
    ...changed,
  });

  it.each<[what: string, Stack | undefined, Given, others?: string[]]>([
    ['a first deployment', undefined, given()],
    ['a first deployment with a key', undefined, given({ useKms: true })],
    ['nothing changed', plain, given(), ['books']],
    ['its own key again', { ...plain, hasKey: true }, given({ useKms: true })],
    ['the same key again', { ...plain, encryptionKeyArn: KEY }, given({ encryptionKeyArn: KEY })],
    ['the same bucket again', kept, given({ bucketName: 'the-lake' })],
    [
      'another key beside a bucket of the user’s',
      kept,
      given({ bucketName: 'the-lake', encryptionKeyArn: KEY }),
    ],
  ])('lets pass: %s', (_, stack, settings, others = []) => {
    refuseRiskyChanges(settings, { stack, others }, []);
  });

  const NO_KEY = 'neither useKms nor encryptionKeyArn';
  it.each<[risk: 'bucket' | 'encryption' | 'second-stack', Stack | undefined, Given, needs: string]>([
    ['second-stack', undefined, given(), '"stackName": "books"'],
    ['encryption', { ...plain, hasKey: true }, given(), '"useKms": true'],
    ['encryption', { ...plain, hasKey: true }, given({ encryptionKeyArn: KEY }), '"useKms": true'],
    ['encryption', plain, given({ useKms: true }), NO_KEY],
    ['encryption', plain, given({ encryptionKeyArn: KEY }), NO_KEY],
    ['encryption', { ...plain, encryptionKeyArn: KEY }, given(), `"encryptionKeyArn": "${KEY}"`],
    [
      'encryption',
      { ...plain, encryptionKeyArn: KEY },
      given({ encryptionKeyArn: SECRETS_KEY }),
      `"encryptionKeyArn": "${KEY}"`,
    ],
    ['bucket', plain, given({ bucketName: 'other' }), 'no bucketName'],
    ['bucket', plain, given({ bucketName: 'the-lake' }), 'no bucketName'],
    ['bucket', kept, given({ bucketName: 'other' }), '"bucketName": "the-lake"'],
    ['bucket', kept, given(), '"bucketName": "the-lake"'],
  ])('refuses, unless accepted: %s %j %j', (risk, stack, settings, needs) => {
    const shape = { stack, others: ['books'] };
    const others = (['bucket', 'encryption', 'second-stack'] as const).filter((other) => other !== risk);
    const message = `To keep what is there, cfe-lake.config.json needs ${needs}; if you want the change: npx cdk deploy -c accept=${risk}`;
    for (const accepted of [[], others]) {
      const refusal = () => refuseRiskyChanges(settings, shape, accepted);
      expect(refusal).toThrow(/^Nothing was deployed\. /);
      expect(refusal).toThrow(message);
    }
    refuseRiskyChanges(settings, shape, [risk]);
  });
});
