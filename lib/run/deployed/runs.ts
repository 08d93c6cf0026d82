import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  DescribeMapRunCommand,
  type ExecutionStatus,
  ListMapRunsCommand,
  paginateListExecutions,
  SFNClient,
} from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { openStore } from '../../lake/store/open-store.ts';
import { awsConnections, START_RUN_MS } from '../../system/aws-connections.ts';
import { DEPLOY } from '../../system/program.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { countRun } from '../finish-run.ts';
import { type RunInput, RunInputSchema } from '../messages.ts';
import type { BackfillRequest } from '../run-request.ts';
import { StartedRunSchema } from '../start-run.ts';
import { answerOf, BackfillRefusedError, DeploymentError, readStackOutputs } from './stack-outputs.ts';

const FailureSchema = v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() }));

/** Never tries again: a lost answer may mean a started run, and asking twice would read the API twice. */
export function startRunClient(): LambdaClient {
  return new LambdaClient({ maxAttempts: 1, requestHandler: awsConnections(START_RUN_MS) });
}

/**
 * Invokes a function of the stack and returns its answer. Throws BackfillRefusedError with the function's own
 * message, and DeploymentError.
 */
export async function invoke<Answer>(
  client: LambdaClient,
  functionName: string,
  event: object,
  schema: v.GenericSchema<unknown, Answer>,
): Promise<Answer> {
  const request = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) });
  const answer = await answerOf(`Invoking ${functionName}`, client.send(request));
  const payload = Buffer.from(answer.Payload ?? []).toString('utf8');
  if (answer.FunctionError !== undefined) {
    const failure = v.safeParse(FailureSchema, payload);
    throw new BackfillRefusedError(
      failure.success
        ? failure.output.errorMessage
        : `${functionName} failed (${answer.FunctionError}); see its log.`,
    );
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), payload);
  if (!parsed.success) {
    throw new DeploymentError(`Invoking ${functionName}`, `another version answered: ${DEPLOY}`);
  }
  return parsed.output;
}

/** A run as Step Functions knows it. */
export interface RunDescription {
  runId: string;
  status: ExecutionStatus;
  startedAt: Date | undefined;
  /** A run that is under way has none. */
  endedAt: Date | undefined;
  /** What the run covers; undefined if another version of this program started it. */
  input: RunInput | undefined;
  /** Why it failed, as finish-run or Step Functions says it. */
  failure: string | undefined;
}

const InputText = v.pipe(v.string(), v.parseJson(), RunInputSchema);

function describeRun(execution: DescribeExecutionCommandOutput): RunDescription {
  const input = v.safeParse(InputText, execution.input);
  return {
    runId: execution.name ?? '',
    status: execution.status ?? 'RUNNING',
    startedAt: execution.startDate,
    endedAt: execution.stopDate,
    input: input.success ? input.output : undefined,
    failure: failureOf(execution),
  };
}

/** A Lambda's failure is a JSON document in the cause. */
function failureOf({ error, cause }: DescribeExecutionCommandOutput): string | undefined {
  const parsed = v.safeParse(FailureSchema, cause);
  if (parsed.success) return parsed.output.errorMessage;
  return [error, cause].filter((text) => text !== undefined && text !== '').join(': ') || undefined;
}

const POLL_MS = 5_000;

/** Progress of a run, in companies. */
export interface RunProgress {
  /** Companies whose units have all been tried. Only the audit says how many units failed. */
  done: number;
  /** Companies whose worker died. */
  failed: number;
  running: number;
}

export interface FollowOptions {
  onProgress?: (progress: RunProgress) => void;
  clock?: Clock;
  /** Stops following; the run goes on. */
  signal?: AbortSignal;
}

/** Follows an execution to its end. Throws DeploymentError, and the signal's reason when it is aborted. */
export async function followRun(
  client: SFNClient,
  executionArn: string,
  { onProgress, clock = systemClock, signal }: FollowOptions = {},
): Promise<RunDescription> {
  let mapRunArn: string | undefined;
  const readProgress = async () => {
    // The run's map over companies; there is none until it has begun.
    mapRunArn ??= (await client.send(new ListMapRunsCommand({ executionArn }))).mapRuns?.[0]?.mapRunArn;
    if (mapRunArn === undefined) return;
    const { itemCounts } = await client.send(new DescribeMapRunCommand({ mapRunArn }));
    const { succeeded = 0, failed = 0, timedOut = 0, aborted = 0, running = 0 } = itemCounts ?? {};
    onProgress?.({ done: succeeded, failed: failed + timedOut + aborted, running });
  };
  for (;;) {
    signal?.throwIfAborted();
    const request = new DescribeExecutionCommand({ executionArn });
    const execution = await answerOf('Following the run', client.send(request));
    await answerOf("Reading the run's progress", readProgress());
    if (!['RUNNING', 'PENDING_REDRIVE'].includes(execution.status ?? '')) return describeRun(execution);
    await clock.sleep(POLL_MS, signal);
  }
}

/** A stack's newest runs, newest first, at most `maxRuns`. Throws DeploymentError. */
export async function listRuns(
  client: SFNClient,
  stateMachineArn: string,
  maxRuns: number,
): Promise<RunDescription[]> {
  const runs: RunDescription[] = [];
  try {
    const paging = { client, pageSize: Math.min(maxRuns, 100) };
    for await (const { executions = [] } of paginateListExecutions(paging, { stateMachineArn })) {
      for (const { executionArn } of executions.slice(0, maxRuns - runs.length))
        runs.push(describeRun(await client.send(new DescribeExecutionCommand({ executionArn }))));
      if (runs.length >= maxRuns) break;
    }
    return runs;
  } catch (error) {
    throw new DeploymentError('Listing the runs', error);
  }
}

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** Finds a stack in the account and region of AWS's own settings. Throws what readStackOutputs does. */
export async function openDeployment(stackName: string) {
  const outputs = await readStackOutputs(
    new CloudFormationClient({ requestHandler: awsConnections() }),
    stackName,
  );
  const lambda = startRunClient();
  const stepFunctions = new SFNClient({ maxAttempts: 8, requestHandler: awsConnections() });
  const openLake = () => openStore(`s3://${outputs.lakeBucket}`);
  return {
    outputs,
    openLake,
    /** Throws BackfillRefusedError with start-run's own message, and DeploymentError. */
    startBackfill: (request: BackfillRequest) =>
      invoke(lambda, outputs.startRunFunction, request, StartedRunSchema),
    followRun: (executionArn: string, options: FollowOptions) =>
      followRun(stepFunctions, executionArn, options),
    listRuns: (maxRuns: number) => listRuns(stepFunctions, outputs.stateMachineArn, maxRuns),
    /** Counts a run's units by outcome, so far if it is still going on, and lists at most `maxFailures` failures. */
    countRun: async (run: RunInput, maxFailures: number) => countRun(await openLake(), run, maxFailures),
  };
}
