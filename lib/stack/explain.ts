import { Stack, Validations } from 'aws-cdk-lib';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { IConstruct } from 'constructs';

/** Findings of cdk-nag that are meant to be so, and why. They count for the construct and what is below it. */
export function explain(construct: IConstruct, reason: string, findings: readonly string[]): void {
  Validations.of(construct).acknowledge(...findings.map((id) => ({ id, reason })));
}

/** Why policies of the construct name resources with a `*`. Resources without one are passed over. */
export function explainWildcards(construct: IConstruct, reason: string, resources: readonly string[]): void {
  const stack = Stack.of(construct);
  const findings = resources
    .map((resource) => flattenCfnReference(stack.resolve(resource)))
    .filter((resource) => resource.includes('*'))
    .map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`);
  explain(construct, reason, findings);
}
