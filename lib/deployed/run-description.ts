import type { DescribeExecutionCommandOutput, ExecutionStatus } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { type RunInput, RunInputSchema } from '../run/messages.ts';

/** A run as Step Functions knows it. */
export interface RunDescription {
  /** Run id. */
  corrida: string;
  ejecucion: string;
  status: ExecutionStatus;
  startedAt: Date | undefined;
  /** Undefined while it is under way. */
  endedAt: Date | undefined;
  /** What the run is of; undefined when another version of this program started it. */
  input: RunInput | undefined;
  /** Why it failed, in finish-run's words or those of Step Functions. */
  failure: string | undefined;
}

type Execution = Pick<
  DescribeExecutionCommandOutput,
  'name' | 'executionArn' | 'status' | 'startDate' | 'stopDate' | 'input' | 'error' | 'cause'
>;

export function describeRun(execution: Execution): RunDescription {
  return {
    corrida: execution.name ?? '',
    ejecucion: execution.executionArn ?? '',
    status: execution.status ?? 'RUNNING',
    startedAt: execution.startDate,
    endedAt: execution.stopDate,
    input: parseInput(execution.input),
    failure: failureOf(execution),
  };
}

function parseInput(text: string | undefined): RunInput | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), RunInputSchema), text);
  return parsed.success ? parsed.output : undefined;
}

const CauseSchema = v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() }));

/** A Lambda's failure is a JSON document in the cause. */
function failureOf({ error, cause }: Execution): string | undefined {
  const parsed = v.safeParse(CauseSchema, cause);
  if (parsed.success) return parsed.output.errorMessage;
  return [error, cause].filter((text) => text !== undefined && text !== '').join(': ') || undefined;
}
