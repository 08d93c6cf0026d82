import type { StandInAnswer } from './s3-answers.ts';

export interface StandInExecution {
  name: string;
  arn: string;
  input: string;
  hasEnded: boolean;
}

/** Answers StartExecution and DescribeExecution of Step Functions, and keeps what was started. Running it is up to the test. */
export class StepsStandIn {
  readonly executions: StandInExecution[] = [];

  answer(operation: string, body: string): StandInAnswer {
    if (operation === 'DescribeExecution') return this.describe(JSON.parse(body).executionArn);
    if (operation !== 'StartExecution') return reply(400, { __type: 'UnknownOperationException' });
    const { stateMachineArn, name, input }: { stateMachineArn: string; name: string; input: string } =
      JSON.parse(body);
    const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const standing = this.executions.find((execution) => execution.name === name);
    if (standing !== undefined && (standing.hasEnded || standing.input !== input)) {
      return reply(400, { __type: 'ExecutionAlreadyExists', message: `Execution Already Exists: '${arn}'` });
    }
    if (standing === undefined) this.executions.push({ name, arn, input, hasEnded: false });
    return reply(200, { executionArn: arn, startDate: 1_790_000_000 });
  }

  private describe(executionArn: string): StandInAnswer {
    const found = this.executions.find(({ arn }) => arn === executionArn);
    return found === undefined
      ? reply(400, {
          __type: 'ExecutionDoesNotExist',
          message: `Execution Does Not Exist: '${executionArn}'`,
        })
      : reply(200, { executionArn, status: found.hasEnded ? 'SUCCEEDED' : 'RUNNING' });
  }
}

function reply(status: number, value: object): StandInAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(value) };
}
