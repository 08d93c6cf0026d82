import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { DeploymentError } from '../deployed/errors.ts';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';

/** The account and region that a command goes to. */
export interface Place {
  region: string;
  /** Undefined where only CDK will know. */
  account: string | undefined;
}

/** CDK was never set up in this account and region. */
export class BootstrapMissingError extends CfeLakeError {
  override name = 'BootstrapMissingError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(region: string) {
    super(`CDK is not set up yet in this account in ${region}.`, {
      advice:
        'Once for each account and region: npm run bootstrap. ' +
        'If that is the wrong account or region, set AWS_PROFILE and AWS_REGION.',
    });
  }
}

/**
 * Whether somebody is signed in and a region is set: asks for the stack that `cdk bootstrap` makes, which takes a
 * second. Without a region CDK would take us-east-1 by itself. Throws DeploymentError, and BootstrapMissingError
 * where the stack is needed and is not there.
 */
export async function findPlace(
  client: CloudFormationClient,
  toolkitStackName: string,
  isBootstrapNeeded: boolean,
): Promise<Place> {
  const stack = await findStack(client, toolkitStackName, 'Looking whether CDK is set up');
  const region = await client.config.region();
  if (stack === undefined && isBootstrapNeeded) throw new BootstrapMissingError(region);
  const account = typeof stack === 'object' ? stack.StackId?.split(':')[4] : undefined;
  return { region, account };
}

/**
 * The stack of this name; undefined when there is none, 'hidden' for somebody who may not ask: CDK takes roles that
 * may. Throws DeploymentError.
 */
async function findStack(
  client: CloudFormationClient,
  StackName: string,
  what: string,
): Promise<Stack | 'hidden' | undefined> {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return stack;
  } catch (error) {
    if (error instanceof Error && /^AccessDenied/.test(error.name)) return 'hidden';
    // The service has no error of its own for a stack that is not there.
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
      return undefined;
    throw new DeploymentError(what, error);
  }
}
