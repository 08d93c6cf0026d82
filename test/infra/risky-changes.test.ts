import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  compareWithDeployed,
  type DeployedShape,
  readDeployedShape,
  refuseRiskyChanges,
} from '../../lib/stack/risky-changes.ts';
import { KEY, SECRETS_KEY } from './synthesis.ts';

const client = new CloudFormationClient({ region: 'us-east-1' });
const service = mockClient(CloudFormationClient);
beforeEach(() => service.reset());
afterAll(() => service.restore());

const PLACE = { account: '123456789012', region: 'us-east-1' };

function stack(StackName: string, StackStatus: StackStatus = 'CREATE_COMPLETE', account = PLACE.account) {
  const names = StackName === 'CDKToolkit' ? [] : ['LakeBucket', 'StartRunFunction', 'StateMachineArn'];
  const Outputs = names.map((OutputKey) => ({ OutputKey, OutputValue: 'the-lake' }));
  const StackId = `arn:aws:cloudformation:us-east-1:${account}:stack/${StackName}/1`;
  return { StackName, StackId, StackStatus, Outputs, CreationTime: new Date(0) };
}

function hasResources(...resources: (readonly [ResourceType: string, ResourceStatus: StackStatus])[]) {
  const summaries = resources.map(([ResourceType, ResourceStatus]) => ({
    LogicalResourceId: 'x',
    LastUpdatedTimestamp: new Date(0),
    ResourceType,
    ResourceStatus: ResourceStatus === 'DELETE_COMPLETE' ? ResourceStatus : ('CREATE_COMPLETE' as const),
  }));
  service.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: summaries });
}

const deployed = (given: Partial<DeployedShape['stack']> = {}): DeployedShape => ({
  stack: { bucket: 'the-lake', hasBucket: true, hasKey: false, encryptionKeyArn: undefined, ...given },
  otherStacks: [],
});

describe('what is deployed', () => {
  it('is seen on all pages: this stack, and those of this program under other names', async () => {
    service
      .on(DescribeStacksCommand)
      .resolvesOnce({ Stacks: [stack('CDKToolkit')], NextToken: 'p2' })
      .resolvesOnce({ Stacks: [stack('books'), stack('cfe-lake', 'UPDATE_COMPLETE')] });
    hasResources(['AWS::S3::Bucket', 'CREATE_COMPLETE'], ['AWS::KMS::Key', 'DELETE_COMPLETE']);
    expect(await readDeployedShape(client, 'cfe-lake', PLACE)).toEqual({
      ...deployed(),
      otherStacks: ['books'],
    });
  });

  it('is nothing after a first deployment that failed', async () => {
    service.on(DescribeStacksCommand).resolves({ Stacks: [stack('cfe-lake', 'ROLLBACK_COMPLETE')] });
    expect(await readDeployedShape(client, 'cfe-lake', PLACE)).toEqual({ stack: undefined, otherStacks: [] });
  });

  it('is never taken for nothing: not where it may not be seen, and not in another account', async () => {
    service.on(DescribeStacksCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDenied' }));
    const asking = () => readDeployedShape(client, 'cfe-lake', PLACE);
    await expect(asking()).rejects.toThrow(
      /already deployed failed \(AccessDenied\)\. Ask for the permission/,
    );
    for (const Stacks of [[], [stack('books', 'CREATE_COMPLETE', '210987654321')]]) {
      service.on(DescribeStacksCommand).resolves({ Stacks });
      await expect(asking()).rejects.toThrow(
        /account 123456789012, region us-east-1.*cdk bootstrap.*AWS_PROFILE/,
      );
    }
  });
});

describe('a deployment', () => {
  const plain = { stackName: 'cfe-lake', useKms: false, encryptionKeyArn: undefined, bucketName: undefined };

  it.each<[string, DeployedShape, Partial<Record<keyof typeof plain, unknown>>]>([
    ['there is none', { stack: undefined, otherStacks: [] }, { useKms: true }],
    ['none changes', deployed(), {}],
    ['its key stays', deployed({ hasKey: true }), { useKms: true }],
    ['the given key stays', deployed({ encryptionKeyArn: KEY }), { encryptionKeyArn: KEY }],
    ['the given bucket stays', deployed({ hasBucket: false }), { bucketName: 'the-lake' }],
    ['there is another stack besides', { ...deployed(), otherStacks: ['books'] }, {}],
  ])('passes where %s', (_, shape, settings) => {
    expect(() => refuseRiskyChanges(Object.assign({ ...plain }, settings), shape, [])).not.toThrow();
  });

  it.each<
    [
      'bucket' | 'encryption' | 'second-stack',
      DeployedShape,
      Partial<Record<keyof typeof plain, unknown>>,
      RegExp,
    ]
  >([
    ['encryption', deployed({ hasKey: true }), {}, /needs "useKms": true;/],
    ['encryption', deployed(), { useKms: true }, /needs neither useKms nor encryptionKeyArn;/],
    ['encryption', deployed(), { encryptionKeyArn: KEY }, /needs neither/],
    ['encryption', deployed({ encryptionKeyArn: KEY }), {}, new RegExp(`needs "encryptionKeyArn": "${KEY}"`)],
    ['encryption', deployed({ encryptionKeyArn: KEY }), { encryptionKeyArn: SECRETS_KEY }, new RegExp(KEY)],
    ['bucket', deployed(), { bucketName: 'the-lake' }, /needs no bucketName;/],
    ['bucket', deployed({ hasBucket: false }), {}, /a new, empty bucket.*needs "bucketName": "the-lake"/],
    ['bucket', deployed({ hasBucket: false }), { bucketName: 'other' }, /needs "bucketName": "the-lake"/],
    ['second-stack', { stack: undefined, otherStacks: ['books'] }, {}, /needs "stackName": "books"/],
  ])(
    'is refused for its %s: %j with %j, says what to write, and passes if it is accepted',
    (risk, shape, settings, text) => {
      const deploy = (...accepted: (typeof risk)[]) =>
        refuseRiskyChanges(Object.assign({ ...plain }, settings), shape, accepted);
      expect(() => deploy()).toThrow(/^Nothing was deployed\. /);
      expect(() => deploy()).toThrow(text);
      expect(() => deploy()).toThrow(`npx cdk deploy -c accept=${risk}`);
      expect(() => deploy(risk)).not.toThrow();
    },
  );

  it('is compared, unless there are no credentials or nobody is to look, and says which', async () => {
    service.on(DescribeStacksCommand).resolves({ Stacks: [stack('books')] });
    await expect(compareWithDeployed(plain, undefined, PLACE)).rejects.toThrow(/accept=second-stack/);
    const passed = await compareWithDeployed(plain, 'bucket,second-stack', PLACE);
    expect(passed).toBe('Compared with what is deployed in AWS account 123456789012, region us-east-1.');
    const skipped = /^Not compared with what is deployed/;
    expect(await compareWithDeployed(plain, undefined, undefined)).toMatch(skipped);
    expect(await compareWithDeployed(plain, 'unseen', PLACE)).toMatch(skipped);
    await expect(compareWithDeployed(plain, 'all', PLACE)).rejects.toThrow(
      /accept=… takes bucket, encryption/,
    );
  });
});
