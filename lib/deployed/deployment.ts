import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { openStore } from '../lake/store/open-store.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { countRun, type RunCount } from '../run/count-run.ts';
import type { RunInput } from '../run/messages.ts';
import type { StartedRun } from '../run/start-run.ts';
import { DeploymentError, StackMissingError, StackOutdatedError } from './errors.ts';
import { type FollowOptions, followRun, listRuns, type RunDescription } from './runs.ts';
import { type BackfillRequest, startBackfill } from './start-run.ts';

/** What a deployed stack says of itself. */
export interface StackOutputs {
  lakeBucket: string;
  startRunFunction: string;
  stateMachineArn: string;
  /** The stack's own, of CloudFormation. */
  status: string;
  region: string;
  account: string;
  /** Undefined of a stack that an older version deployed. */
  database?: string;
  workgroup?: string;
  alarmTopicArn?: string;
  /** Of the schedules, whose names begin with it. */
  scheduleGroup?: string;
}

/** By the outputs' names in CfeLake. */
const OutputsSchema = v.object({
  LakeBucket: v.string(),
  StartRunFunction: v.string(),
  StateMachineArn: v.string(),
  Database: v.optional(v.string()),
  Workgroup: v.optional(v.string()),
  AlarmTopicArn: v.optional(v.string()),
  ScheduleGroup: v.optional(v.string()),
});

/** Finds a stack's parts by its name. Throws StackMissingError, StackOutdatedError and DeploymentError. */
export async function readStackOutputs(
  client: CloudFormationClient,
  stackName: string,
): Promise<StackOutputs> {
  const stack = await describeStack(client, stackName);
  const { StackStatus: status = 'unknown', StackId = '' } = stack;
  const given = Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const parsed = v.safeParse(OutputsSchema, given);
  if (!parsed.success) {
    const missing = parsed.issues.flatMap((issue) => v.getDotPath(issue) ?? []);
    throw new StackOutdatedError(
      stackName,
      `it has no output ${missing.join(', ')} (its status is ${status})`,
    );
  }
  const { LakeBucket, StartRunFunction, StateMachineArn, Database, Workgroup, AlarmTopicArn } = parsed.output;
  const [, , , region = '', account = ''] = StackId.split(':');
  return {
    lakeBucket: LakeBucket,
    startRunFunction: StartRunFunction,
    stateMachineArn: StateMachineArn,
    status,
    region,
    account,
    database: Database,
    workgroup: Workgroup,
    alarmTopicArn: AlarmTopicArn,
    scheduleGroup: parsed.output.ScheduleGroup,
  };
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

export interface DeploymentClients {
  lambda: LambdaClient;
  stepFunctions: SFNClient;
}

/** A deployed stack, from the command line's side. */
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

  /** What became of a run's units, with the first so many failures; of a run under way, so far. */
  async countRun(run: RunInput, maxFailures: number): Promise<RunCount> {
    return await countRun(await this.openLake(), run, maxFailures);
  }
}

/** Finds a stack, with AWS's own settings for account and region. Throws what readStackOutputs does. */
export async function openDeployment(stackName: string): Promise<Deployment> {
  const outputs = await readStackOutputs(new CloudFormationClient(), stackName);
  return new Deployment(outputs, {
    // Never by itself a second time: a run by hand would be started twice.
    lambda: new LambdaClient({ maxAttempts: 1 }),
    stepFunctions: new SFNClient({ maxAttempts: 8 }),
  });
}
