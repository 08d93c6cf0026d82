import type { StandInAnswer } from './s3-answers.ts';

export interface StandInExecution {
  name: string;
  arn: string;
  input: string;
}

/** Answers StartExecution of Step Functions and keeps what was started. Running it is up to the test. */
export class StepsStandIn {
  readonly executions: StandInExecution[] = [];
  /** Whether executions have ended. Then one of the same name is refused, even with the same input. */
  haveEnded = false;

  answer(operation: string, body: string): StandInAnswer {
    if (operation !== 'StartExecution') return reply(400, { __type: 'UnknownOperationException' });
    const { stateMachineArn, name, input }: { stateMachineArn: string; name: string; input: string } =
      JSON.parse(body);
    const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const standing = this.executions.find((execution) => execution.name === name);
    if (standing !== undefined && (this.haveEnded || standing.input !== input)) {
      return reply(400, { __type: 'ExecutionAlreadyExists', message: `Execution Already Exists: '${arn}'` });
    }
    if (standing === undefined) this.executions.push({ name, arn, input });
    return reply(200, { executionArn: arn, startDate: 1_790_000_000 });
  }
}

function reply(status: number, value: object): StandInAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(value) };
}
