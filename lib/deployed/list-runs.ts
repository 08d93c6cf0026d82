import { DescribeExecutionCommand, paginateListExecutions, type SFNClient } from '@aws-sdk/client-sfn';
import { DeploymentError } from './errors.ts';
import { describeRun, type RunDescription } from './run-description.ts';

/** The newest runs of a stack, the newest first, at most so many. Throws DeploymentError. */
export async function listRuns(
  client: SFNClient,
  stateMachineArn: string,
  maxRuns: number,
): Promise<RunDescription[]> {
  try {
    const arns: string[] = [];
    for await (const { executions = [] } of paginateListExecutions(
      { client, pageSize: Math.min(maxRuns, 100) },
      { stateMachineArn },
    )) {
      arns.push(...executions.flatMap(({ executionArn }) => executionArn ?? []));
      if (arns.length >= maxRuns) break;
    }
    const runs: RunDescription[] = [];
    for (const executionArn of arns.slice(0, maxRuns)) {
      runs.push(describeRun(await client.send(new DescribeExecutionCommand({ executionArn }))));
    }
    return runs;
  } catch (error) {
    throw new DeploymentError('Listing the runs', error);
  }
}
