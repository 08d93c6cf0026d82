import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { CfeLakeError } from '../errors.ts';
import type { RunInput } from './messages.ts';

/** What Step Functions takes as input, as UTF-8. */
export const MAX_STATE_BYTES = 262_144;

export interface StartedExecution {
  arn: string;
  /** Whether it had been started before, by the same event. */
  isRepeated: boolean;
}

/** More companies than the input of one execution can name. */
export class RunTooLargeError extends CfeLakeError {
  override name = 'RunTooLargeError';
  constructor(companyCount: number, byteCount: number) {
    super(
      `A run of ${companyCount} companies needs ${byteCount} bytes of input, and Step Functions takes ` +
        `${MAX_STATE_BYTES}.`,
      { advice: 'Start several runs, each with some of the companies in "ruts".' },
    );
  }
}

/**
 * Starts the run's execution, under the run's id as its name. One that was started before is not started again.
 * Throws RunTooLargeError and what Step Functions refuses.
 */
export async function startExecution(
  client: SFNClient,
  stateMachineArn: string,
  input: RunInput,
): Promise<StartedExecution> {
  const text = JSON.stringify(input);
  const byteCount = Buffer.byteLength(text);
  if (byteCount > MAX_STATE_BYTES) throw new RunTooLargeError(input.ruts.length, byteCount);
  const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${input.corrida}`;
  try {
    const started = await client.send(
      new StartExecutionCommand({ stateMachineArn, name: input.corrida, input: text }),
    );
    return { arn: started.executionArn ?? arn, isRepeated: false };
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return { arn, isRepeated: true };
    throw error;
  }
}
