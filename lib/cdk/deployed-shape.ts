import {
  type CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DeploymentError } from '../deployed/errors.ts';

/** What is deployed already, as far as a deployment can do harm to it. */
export interface DeployedShape {
  /** The stack of this name; undefined when there is none, or none that ever came up. */
  stack: DeployedStack | undefined;
  /** Stacks of this program under other names. */
  others: readonly string[];
}

export interface DeployedStack {
  /** Whether the stack made a key for its lake. */
  hasKey: boolean;
  /** Its lake; undefined where it does not say. */
  bucket: string | undefined;
  /** Whether the stack made that bucket. */
  hasBucket: boolean;
}

/** A first deployment that did not get anywhere: CDK replaces the stack. */
const NEVER_CAME_UP: ReadonlySet<string> = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE']);
/** Outputs that no other stack has all of. */
const OUTPUTS = ['LakeBucket', 'StartRunFunction', 'StateMachineArn'];

/** Looks at the stacks of the account and region. Throws DeploymentError. */
export async function readDeployedShape(
  client: CloudFormationClient,
  stackName: string,
): Promise<DeployedShape> {
  try {
    let found: { bucket: string | undefined } | undefined;
    const others: string[] = [];
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', StackStatus = '', Outputs = [] } of Stacks) {
        const isOurs = OUTPUTS.every((name) => Outputs.some(({ OutputKey }) => OutputKey === name));
        const isThere = StackName === stackName && !NEVER_CAME_UP.has(StackStatus);
        if (isThere)
          found = { bucket: Outputs.find(({ OutputKey }) => OutputKey === 'LakeBucket')?.OutputValue };
        if (StackName !== stackName && isOurs) others.push(StackName);
      }
    }
    if (found === undefined) return { stack: undefined, others };
    const types = await typesIn(client, stackName);
    const stack = { ...found, hasKey: types.has('AWS::KMS::Key'), hasBucket: types.has('AWS::S3::Bucket') };
    return { stack, others };
  } catch (error) {
    throw new DeploymentError('Looking at what is deployed already', error);
  }
}

/** Types of the resources that the stack has now. */
async function typesIn(client: CloudFormationClient, StackName: string): Promise<Set<string>> {
  const types = new Set<string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType = '', ResourceStatus } of StackResourceSummaries) {
      if (ResourceStatus !== 'DELETE_COMPLETE') types.add(ResourceType);
    }
  }
  return types;
}
