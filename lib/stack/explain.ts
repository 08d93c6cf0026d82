import { Stack, Validations } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Acknowledges findings of cdk-nag, with the reason, for the construct and everything below it. */
export function explain(construct: IConstruct, reason: string, findings: readonly string[]): void {
  Validations.of(construct).acknowledge(...findings.map((id) => ({ id, reason })));
}

/** Explains why the construct's policies name resources with a `*`. Resources without one are skipped. */
export function explainWildcards(construct: IConstruct, reason: string, resources: readonly string[]): void {
  const stack = Stack.of(construct);
  const findings = resources
    .map((resource) => asNagWritesIt(stack.resolve(resource)))
    .filter((resource) => resource.includes('*'))
    .map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`);
  explain(construct, reason, findings);
}

/** A template's resource in the form of cdk-nag's findings. cdk-nag itself is not part of the package. */
function asNagWritesIt(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [delimiter, parts]: unknown[] = value['Fn::Join'];
    return Array.isArray(parts) ? parts.map(asNagWritesIt).join(String(delimiter)) : '';
  }
  if ('Fn::Sub' in value) return asNagWritesIt(value['Fn::Sub']);
  if ('Fn::ImportValue' in value) return asNagWritesIt(value['Fn::ImportValue']);
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) {
    return `<${value['Fn::GetAtt'].map(asNagWritesIt).join('.')}>`;
  }
  return 'Ref' in value ? `<${asNagWritesIt(value.Ref)}>` : JSON.stringify(value);
}

export interface Permission {
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Conditions;
  /** Why a resource with a `*` can't be narrower. */
  because?: string;
}

export function permit(role: Role, { actions, resources, conditions, because }: Permission): void {
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
  if (because !== undefined) explainWildcards(role, because, resources);
}
