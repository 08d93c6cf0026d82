import {
  type CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DeploymentError } from '../deployed/errors.ts';

/** What is deployed already, as far as a deployment can do harm to it. */
export interface DeployedShape {
  /** The stack of this name; undefined when there is none, or none that ever came up. */
  stack: { hasKey: boolean } | undefined;
  /** Stacks of this program under other names. */
  others: readonly string[];
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
    let isThere = false;
    const others: string[] = [];
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', StackStatus = '', Outputs = [] } of Stacks) {
        const isOurs = OUTPUTS.every((name) => Outputs.some(({ OutputKey }) => OutputKey === name));
        if (StackName === stackName) isThere = !NEVER_CAME_UP.has(StackStatus);
        else if (isOurs) others.push(StackName);
      }
    }
    return { stack: isThere ? { hasKey: await hasKey(client, stackName) } : undefined, others };
  } catch (error) {
    throw new DeploymentError('Looking at what is deployed already', error);
  }
}

async function hasKey(client: CloudFormationClient, StackName: string): Promise<boolean> {
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    const isKey = StackResourceSummaries.some(
      ({ ResourceType, ResourceStatus }) =>
        ResourceType === 'AWS::KMS::Key' && ResourceStatus !== 'DELETE_COMPLETE',
    );
    if (isKey) return true;
  }
  return false;
}
