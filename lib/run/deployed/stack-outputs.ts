import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import {
  awsFaultOf,
  CfeLakeError,
  type ExitCode,
  REGION_MISSING,
  WrongInputError,
} from '../../system/errors.ts';
import { DEPLOY } from '../../system/program.ts';

/** Outputs of the stack, named as in CfeLake.addOutputs, but with a small letter first. */
const OutputsSchema = v.object({
  lakeBucket: v.string(),
  startRunFunction: v.string(),
  stateMachineArn: v.string(),
  database: v.string(),
  workgroup: v.string(),
  alarmTopicArn: v.string(),
  morningTopicArn: v.string(),
  /** Group of the schedules; their names begin with it. */
  scheduleGroup: v.string(),
  /** `off` if the settings switch the nightly run off; otherwise absent. */
  nightlyRuns: v.optional(v.string()),
});

export interface StackOutputs extends v.InferOutput<typeof OutputsSchema> {
  status: string;
  region: string;
  account: string;
}

/**
 * Finds a stack's parts by its name. Throws WrongInputError if there is none, CfeLakeError if it is an old one or not of
 * this program, and DeploymentError.
 */
export async function readStackOutputs(
  client: CloudFormationClient,
  stackName: string,
): Promise<StackOutputs> {
  const stack = await findStack(client, stackName, 'Looking for the stack (--stack)');
  if (stack === undefined) {
    throw new WrongInputError('There is no stack of that name (--stack) in this account and region.', {
      advice: `Deploy it (${DEPLOY}), name another, or set AWS_PROFILE and AWS_REGION.`,
    });
  }
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
    throw new CfeLakeError(
      `The stack ${stackName} can't be used: it has no output ${names.join(', ')} (its status is ${status}).`,
      { advice: `Deploy it again: ${DEPLOY}` },
    );
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

/** A request to AWS failed; says which, and what to do. */
export class DeploymentError extends CfeLakeError {
  override name = 'DeploymentError';
  override readonly exitCode: ExitCode;
  /** The error's name as the service gives it. */
  readonly awsCode: string;

  constructor(whatFailed: string, error: unknown) {
    const { code, advice = reasonOf(error), exitCode } = awsFaultOf(error, 'stack');
    const isRegionMissing = code === REGION_MISSING;
    super(isRegionMissing ? 'No AWS region is set.' : `${whatFailed} failed (${code}).`, { advice });
    this.awsCode = code;
    this.exitCode = exitCode;
  }
}

/** Waits for an answer of AWS. Throws DeploymentError, which says what failed. */
export async function answerOf<Answer>(whatFailed: string, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    throw new DeploymentError(whatFailed, error);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === '') return 'Try again.';
  return error.name === 'Error' ? 'Check the region and the network, then try again.' : error.message;
}

/** start-run refused the request and started nothing. The message is start-run's. */
export class BackfillRefusedError extends CfeLakeError {
  override name = 'BackfillRefusedError';
}
