import { type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { campaign, itLong } from '../support/campaign.ts';
import { makeStack } from './synthesis.ts';

const VARIANTS: Record<string, Record<string, unknown>> = {
  default: {},
  'everything on': {
    useKms: true,
    removalPolicy: 'destroy',
    alarmEmail: 'ops@example.com',
    secretKeyArn: 'arn:aws:kms:sa-east-1:123456789012:key/0000-1111',
  },
  'an existing bucket': {
    bucketName: 'the-lake',
    bucketKeyArn: 'arn:aws:kms:sa-east-1:123456789012:key/0000-1111',
  },
  'a platform’s own': {
    vpcId: 'vpc-0123456789abcdef0',
    subnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
    securityGroupIds: 'sg-0123456789abcdef0',
    encryptionKeyArn: 'arn:aws:kms:sa-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
    accessLogsBucket: 'the-logs',
    permissionsBoundary: 'platform/boundary',
    tags: 'team=finance',
    deepReadDays: 400,
    apiRequestsPerSecond: 20,
    alarmEmail: 'ops@example.com',
  },
  'everything off': { nightlyReceived: 'off', nightlyIssued: 'off', weekly: 'off', retryWaitsMinutes: '' },
};

/** `rule: construct` for each unexplained finding. */
function findingsIn(stack: Stack): string[] {
  return [new AwsSolutionsChecks(stack), new ServerlessChecks(stack)]
    .flatMap((pack) => pack.validateScope(stack).violations)
    .flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName}: ${constructPath}`),
    );
}

afterEach(() => vi.restoreAllMocks());

describe('CloudFormation’s own rules, as CDK knows them', () => {
  // Seconds each; they are CDK's default, so `npm run synth` and each deployment check them too.
  itLong.each(Object.keys(VARIANTS))('find nothing in the template: %s', (variant) => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    // It throws on errors, and prints all other findings.
    Template.fromStack(makeStack(VARIANTS[variant], { builtinCloudFormationValidation: true }));
    expect(said.mock.calls).toEqual([]);
  });
});

describe('cdk-nag', () => {
  const tried = campaign({
    quick: ['default', 'everything on', 'a platform’s own'],
    long: Object.keys(VARIANTS),
  });
  it.each(tried)('leaves no finding unexplained: %s', (variant) => {
    expect(findingsIn(makeStack(VARIANTS[variant]))).toEqual([]);
  });

  it.each(['everything on', 'a platform’s own'])(
    'finds what is explained, so that no explanation is stale, and each has a reason: %s',
    (variant) => {
      const explained: { id: string; reason: string }[] = [];
      vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation((...rules) => {
        explained.push(...rules);
      });
      const found = findingsIn(makeStack(VARIANTS[variant]));
      expect(explained.length).toBeGreaterThan(10);
      const stale = explained.filter(({ id }) => !found.some((finding) => finding.startsWith(`${id}: `)));
      expect(stale).toEqual([]);
      for (const { reason } of explained) expect(reason.length).toBeGreaterThan(30);
    },
  );
});
