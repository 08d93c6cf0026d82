import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { openStore } from '../lake/store/open-store.ts';
import { countRun } from '../run/finish-run.ts';
import type { RunInput } from '../run/messages.ts';
import type { BackfillRequest } from '../run/run-request.ts';
import { DeploymentError, StackMissingError, StackOutdatedError } from './errors.ts';
import { type FollowOptions, followRun, listRuns, startBackfill } from './runs.ts';

/** Outputs of the stack, named as in CfeLake.addOutputs, but with a small letter first. */
const OutputsSchema = v.object({
  lakeBucket: v.string(),
  startRunFunction: v.string(),
  stateMachineArn: v.string(),
  // Undefined if an older version deployed the stack.
  database: v.optional(v.string()),
  workgroup: v.optional(v.string()),
  alarmTopicArn: v.optional(v.string()),
  /** Group of the schedules; their names begin with it. */
  scheduleGroup: v.optional(v.string()),
});

/** A deployed stack's status and outputs. */
export interface StackOutputs extends v.InferOutput<typeof OutputsSchema> {
  /** CloudFormation's stack status. */
  status: string;
  region: string;
  account: string;
}

/** Finds a stack's parts by its name. Throws StackMissingError, StackOutdatedError and DeploymentError. */
export async function readStackOutputs(
  client: CloudFormationClient,
  stackName: string,
): Promise<StackOutputs> {
  const stack = await findStack(client, stackName, 'Looking for the stack (--stack)');
  if (stack === undefined) throw new StackMissingError();
  const { StackStatus: status = 'unknown', StackId = '' } = stack;
  const given = Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue }) => [
      `${OutputKey.charAt(0).toLowerCase()}${OutputKey.slice(1)}`,
      OutputValue,
    ]),
  );
  const parsed = v.safeParse(OutputsSchema, given);
  if (!parsed.success) {
    const missing = parsed.issues.flatMap((issue) => v.getDotPath(issue) ?? []);
    const names = missing.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    throw new StackOutdatedError(stackName, `it has no output ${names.join(', ')} (its status is ${status})`);
  }
  const [, , , region = '', account = ''] = StackId.split(':');
  return { ...parsed.output, status, region, account };
}

/** The stack of this name; undefined if there is none. `what`: the purpose, for the DeploymentError. */
export async function findStack(
  client: CloudFormationClient,
  StackName: string,
  what: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return stack;
  } catch (error) {
    // CloudFormation has no error name for it.
    const isMissing =
      error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);
    if (isMissing) return undefined;
    throw new DeploymentError(what, error);
  }
}

/** A deployed stack, as the command line uses it. */
export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** Finds a stack in the account and region of AWS's own settings. Throws what readStackOutputs does. */
export async function openDeployment(stackName: string) {
  const outputs = await readStackOutputs(new CloudFormationClient(), stackName);
  // No automatic retry: it could start a manual run twice.
  const lambda = new LambdaClient({ maxAttempts: 1 });
  const stepFunctions = new SFNClient({ maxAttempts: 8 });
  const openLake = () => openStore(`s3://${outputs.lakeBucket}`);
  return {
    outputs,
    openLake,
    startBackfill: (request: BackfillRequest) => startBackfill(lambda, outputs.startRunFunction, request),
    followRun: (executionArn: string, options: FollowOptions) =>
      followRun(stepFunctions, executionArn, options),
    listRuns: (maxRuns: number) => listRuns(stepFunctions, outputs.stateMachineArn, maxRuns),
    /** Counts a run's units by outcome, so far if it is still going on, and lists at most `maxFailures` failures. */
    countRun: async (run: RunInput, maxFailures: number) => countRun(await openLake(), run, maxFailures),
  };
}
