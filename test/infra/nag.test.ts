import { type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it, vi } from 'vitest';
import { campaign, itLong } from '../support/campaign.ts';
import { makeStack, STACKS } from './synthesis.ts';

type Name = keyof typeof STACKS;
const NAMES: readonly Name[] = ['default', 'own', 'platform', 'adopted', 'off', 'other'];

/** `rule: construct` for each unexplained finding. */
function findingsIn(stack: Stack): string[] {
  return [new AwsSolutionsChecks(stack), new ServerlessChecks(stack)]
    .flatMap((pack) => pack.validateScope(stack).violations)
    .flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName}: ${constructPath}`),
    );
}

// Seconds each; they are CDK's default, so `cdk synth` and each deployment check them too.
itLong.each(NAMES)(
  'CloudFormation’s own rules, as CDK knows them, find nothing in the template: %s',
  (name) => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    // It throws on errors, and prints all other findings.
    Template.fromStack(makeStack(STACKS[name], { builtinCloudFormationValidation: true }));
    expect(said.mock.calls).toEqual([]);
  },
);

describe('cdk-nag', () => {
  const tried = campaign<readonly Name[]>({ quick: ['default', 'own', 'platform'], long: NAMES });
  it.each(tried)('leaves no finding unexplained: %s', (name) => {
    expect(findingsIn(makeStack(STACKS[name]))).toEqual([]);
  });

  it.each(['own', 'platform'] as const)(
    'finds what is explained, so that no explanation is stale, and each has a reason: %s',
    (name) => {
      const explained: { id: string; reason: string }[] = [];
      vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation((...rules) => {
        explained.push(...rules);
      });
      const found = findingsIn(makeStack(STACKS[name]));
      expect(explained.length).toBeGreaterThan(10);
      const stale = explained.filter(({ id }) => !found.some((finding) => finding.startsWith(`${id}: `)));
      expect(stale).toEqual([]);
      for (const { reason } of explained) expect(reason.length).toBeGreaterThan(30);
    },
  );
});
