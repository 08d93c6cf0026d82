import type { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { asText, propertiesOf } from './synthesis.ts';

const OneOrMore = v.pipe(
  v.unknown(),
  v.transform((value) => (Array.isArray(value) ? value : [value]).map(asText)),
);
const Statement = v.object({
  Effect: v.literal('Allow'),
  Action: OneOrMore,
  Resource: OneOrMore,
  Condition: v.optional(v.unknown()),
});
const Policy = v.object({
  PolicyDocument: v.object({ Statement: v.array(Statement) }),
  Roles: v.optional(v.array(v.object({ Ref: v.string() })), []),
});

export interface GivenPolicy {
  /** Its own logical id. */
  id: string;
  /** The logical ids of the roles that have it. */
  roles: string[];
  statements: v.InferOutput<typeof Statement>[];
}

/** `action resource`, and `if condition`, of each action of the policies, sorted, in the short form of a resource. */
export function permissionsIn(policies: readonly GivenPolicy[]): string[] {
  return policies
    .flatMap(({ statements }) => statements)
    .flatMap(({ Action: actions, Resource: resources, Condition: condition }) => {
      const limit = condition === undefined ? '' : ` if ${JSON.stringify(condition)}`;
      return actions.flatMap((action) =>
        resources.map((resource) => `${action} ${shorten(resource)}${limit}`),
      );
    })
    .sort();
}

/** The resource without account, region and the hashes of logical ids. */
export function shorten(resource: string): string {
  return resource
    .replace(/^arn:<AWS::Partition>:(\w+):<AWS::Region>:<AWS::AccountId>:/, '$1:')
    .replace(/<([A-Za-z]+?)[0-9A-F]{8}(\.Arn)?>/g, '<$1>');
}

/** The policies of this type in the template: `AWS::IAM::Policy` or `AWS::IAM::ManagedPolicy`. */
export function policiesIn(template: Template, type = 'AWS::IAM::Policy'): GivenPolicy[] {
  return Object.entries(propertiesOf(template, type)).map(([id, properties]) => {
    const { PolicyDocument: document, Roles: roles } = v.parse(Policy, properties);
    return { id, roles: roles.map(({ Ref }) => Ref), statements: document.Statement };
  });
}
