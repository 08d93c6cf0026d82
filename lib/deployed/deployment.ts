import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { openStore } from '../lake/store/open-store.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { countRun, type RunCount } from '../run/finish-run.ts';
import type { RunInput } from '../run/messages.ts';
import type { StartedRun } from '../run/start-run.ts';
import { DeploymentError, StackMissingError, StackOutdatedError } from './errors.ts';
import {
  type BackfillRequest,
  type FollowOptions,
  followRun,
  listRuns,
  type RunDescription,
  startBackfill,
} from './runs.ts';

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

export interface DeploymentClients {
  lambda: LambdaClient;
  stepFunctions: SFNClient;
}

/** A deployed stack, as the command line uses it. */
export class Deployment {
  readonly outputs: StackOutputs;
  private readonly clients: DeploymentClients;

  constructor(outputs: StackOutputs, clients: DeploymentClients) {
    this.outputs = outputs;
    this.clients = clients;
  }

  startBackfill(request: BackfillRequest): Promise<StartedRun> {
    return startBackfill(this.clients.lambda, this.outputs.startRunFunction, request);
  }

  followRun(executionArn: string, options: FollowOptions): Promise<RunDescription> {
    return followRun(this.clients.stepFunctions, executionArn, options);
  }

  listRuns(maxRuns: number): Promise<RunDescription[]> {
    return listRuns(this.clients.stepFunctions, this.outputs.stateMachineArn, maxRuns);
  }

  openLake(): Promise<LakeStore> {
    return openStore(`s3://${this.outputs.lakeBucket}`);
  }

  /**
   * Counts a run's units by outcome, so far if it is still going on, and lists at most `maxFailures` failures.
   */
  async countRun(run: RunInput, maxFailures: number): Promise<RunCount> {
    return await countRun(await this.openLake(), run, maxFailures);
  }
}

/** Finds a stack in the account and region of AWS's own settings. Throws what readStackOutputs does. */
export async function openDeployment(stackName: string): Promise<Deployment> {
  const outputs = await readStackOutputs(new CloudFormationClient(), stackName);
  return new Deployment(outputs, {
    // No automatic retry: it could start a manual run twice.
    lambda: new LambdaClient({ maxAttempts: 1 }),
    stepFunctions: new SFNClient({ maxAttempts: 8 }),
  });
}
