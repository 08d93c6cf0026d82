import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  DescribeMapRunCommand,
  type ExecutionStatus,
  ListMapRunsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { type Clock, systemClock } from '../time/clock.ts';
import { DeploymentError } from './errors.ts';
import { describeRun, type RunDescription } from './run-description.ts';

const POLL_MS = 5_000;

/** How far a run is, in companies. */
export interface RunProgress {
  total: number;
  /** Companies whose units have all been tried; how many failed, only the audit says. */
  done: number;
  /** Companies whose worker died. */
  failed: number;
  running: number;
  waiting: number;
}

export interface FollowOptions {
  onProgress?: (progress: RunProgress) => void;
  clock?: Clock;
  /** Ends the following; the run goes on. */
  signal?: AbortSignal;
  pollMs?: number;
}

/** Follows an execution to its end. Throws DeploymentError, and the signal's reason when it is aborted. */
export async function followRun(
  client: SFNClient,
  executionArn: string,
  { onProgress, clock = systemClock, signal, pollMs = POLL_MS }: FollowOptions = {},
): Promise<RunDescription> {
  let mapRunArn: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const execution = await describe(client, executionArn);
    try {
      mapRunArn ??= await findMapRun(client, executionArn);
      if (mapRunArn !== undefined) onProgress?.(await readProgress(client, mapRunArn));
    } catch (error) {
      throw new DeploymentError('Reading how far the run is', error);
    }
    if (!isUnderWay(execution.status)) return describeRun(execution);
    await clock.sleep(pollMs, signal);
  }
}

function isUnderWay(status: ExecutionStatus | undefined): boolean {
  return status === 'RUNNING' || status === 'PENDING_REDRIVE';
}

async function describe(client: SFNClient, executionArn: string): Promise<DescribeExecutionCommandOutput> {
  try {
    return await client.send(new DescribeExecutionCommand({ executionArn }));
  } catch (error) {
    throw new DeploymentError('Following the run', error);
  }
}

/** The run's map over companies; there is none before it has begun. */
async function findMapRun(client: SFNClient, executionArn: string): Promise<string | undefined> {
  const { mapRuns = [] } = await client.send(new ListMapRunsCommand({ executionArn }));
  return mapRuns[0]?.mapRunArn;
}

async function readProgress(client: SFNClient, mapRunArn: string): Promise<RunProgress> {
  const { itemCounts } = await client.send(new DescribeMapRunCommand({ mapRunArn }));
  const {
    total = 0,
    succeeded = 0,
    failed = 0,
    timedOut = 0,
    aborted = 0,
    running = 0,
    pending = 0,
  } = itemCounts ?? {};
  return { total, done: succeeded, failed: failed + timedOut + aborted, running, waiting: pending };
}
