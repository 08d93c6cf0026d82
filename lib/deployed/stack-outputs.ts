import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { DeploymentError, StackMissingError, StackOutdatedError } from './errors.ts';

/** What a deployed stack says of itself. */
export interface StackOutputs {
  lakeBucket: string;
  startRunFunction: string;
  stateMachineArn: string;
}

/** By the outputs' names in CfeLakeStack. */
const OutputsSchema = v.object({
  LakeBucket: v.string(),
  StartRunFunction: v.string(),
  StateMachineArn: v.string(),
});

/** Finds a stack's parts by its name. Throws StackMissingError, StackOutdatedError and DeploymentError. */
export async function readStackOutputs(
  client: CloudFormationClient,
  stackName: string,
): Promise<StackOutputs> {
  const stack = await describeStack(client, stackName);
  const given = Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const parsed = v.safeParse(OutputsSchema, given);
  if (!parsed.success) {
    const missing = Object.keys(OutputsSchema.entries).filter((name) => given[name] === undefined);
    const status = stack.StackStatus ?? 'unknown';
    throw new StackOutdatedError(
      stackName,
      `it has no output ${missing.join(', ')} (its status is ${status})`,
    );
  }
  const { LakeBucket, StartRunFunction, StateMachineArn } = parsed.output;
  return { lakeBucket: LakeBucket, startRunFunction: StartRunFunction, stateMachineArn: StateMachineArn };
}

async function describeStack(client: CloudFormationClient, StackName: string) {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (stack !== undefined) return stack;
  } catch (error) {
    // The service has no error of its own for a stack that is not there.
    const isMissing =
      error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);
    if (!isMissing) throw new DeploymentError('Looking for the stack (--stack)', error);
  }
  throw new StackMissingError();
}
