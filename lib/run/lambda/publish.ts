import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn';
import { sealRuns } from '../../audit/seal.ts';
import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import type { Publication } from '../../publish/publish-days.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { count, logger } from './telemetry.ts';

/** The most problems logged for one invocation. */
const MAX_PROBLEMS_LOGGED = 50;

/**
 * Logs and counts what one invocation did. Within a run, publish is called again for the days that it had no time for:
 * they are no trouble.
 */
export function reportPublication(
  { written, unchanged, failedDays, remaining, problems }: Publication,
  { isScheduled }: { isScheduled: boolean },
): void {
  const logged = problems.slice(0, MAX_PROBLEMS_LOGGED);
  for (const { table, day, rut, isRebuilt, reason } of logged) {
    logger.warn(isRebuilt ? 'day rebuilt' : 'day not published', {
      tabla: table.name,
      fecha: day,
      rut,
      reason,
    });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
  count('DaysNotPublished', failedDays + (isScheduled ? remaining : 0));
}

/** Seals the audit of runs that Step Functions says have ended: they were stopped, or their end failed. */
export async function sealEndedRuns(store: LakeStore, stateMachineArn: string): Promise<void> {
  const client = new SFNClient({ requestHandler: awsConnections() });
  const executions = stateMachineArn.replace(':stateMachine:', ':execution:');
  let stopped = 0;
  const hasEnded = async ({ id }: { id: string }) => {
    try {
      const command = new DescribeExecutionCommand({ executionArn: `${executions}:${id}` });
      const { status } = await client.send(command);
      if (status === 'ABORTED' || status === 'TIMED_OUT') stopped += 1;
      return status !== 'RUNNING' && status !== 'PENDING_REDRIVE';
    } catch (error) {
      // Of another program, or older than Step Functions remembers. To seal a run that goes on does no harm.
      if (error instanceof ExecutionDoesNotExist) return true;
      throw error;
    }
  };
  try {
    const damaged = await sealRuns({ store, writer: writeWithHyparquet }, hasEnded);
    for (const reason of damaged) logger.warn('audit not readable', { reason });
    // One whose end failed is a failed run already.
    if (stopped > 0) count('RunsStopped', stopped);
  } finally {
    client.destroy();
  }
}
