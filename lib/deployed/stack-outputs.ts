import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { DeploymentError, StackMissingError, StackOutdatedError } from './errors.ts';

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
