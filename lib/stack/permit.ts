import { type Conditions, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { explainWildcards } from './explain.ts';

export interface Permission {
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Conditions;
  /** Why a resource with a `*` can't be narrower. */
  because?: string;
}

/** Adds one permission to a role. */
export function permit(role: Role, { actions, resources, conditions, because }: Permission): void {
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
  if (because !== undefined) explainWildcards(role, because, resources);
}
