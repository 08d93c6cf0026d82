import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  type ExecutionStatus,
  SFNClient,
  SFNServiceException,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunInput } from '../../lib/run/messages.ts';
import { hasExecutionEnded, startExecution } from '../../lib/run/start-run.ts';

const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:cfe-lake';
const ARN = 'arn:aws:states:us-east-1:123456789012:execution:cfe-lake:20261120020000-nocturna';
const INPUT: RunInput = {
  runId: '20261120020000-nocturna',
  runDay: '2026-11-20',
  from: '2026-11-19',
  to: '2026-11-19',
  directions: ['recibidos'],
  companiesAtOnce: 2,
  ruts: ['219999830019'],
};

const client = new SFNClient({});
const service = mockClient(client);
beforeEach(() => void service.reset());

describe('startExecution', () => {
  it('passes a fault of the service on: the event is then delivered again', async () => {
    const fault = { $fault: 'client', $metadata: {}, message: 'as the service says' } as const;
    service
      .on(StartExecutionCommand)
      .rejects(new SFNServiceException({ name: 'ThrottlingException', ...fault }));
    await expect(startExecution(client, MACHINE, INPUT)).rejects.toMatchObject({
      name: 'ThrottlingException',
    });
  });

  it('refuses more companies than an input can name, and says what to do', async () => {
    const ruts = Array.from({ length: 20_000 }, () => '219999830019' as const);
    await expect(startExecution(client, MACHINE, { ...INPUT, ruts })).rejects.toThrow(
      /^A run of 20000 companies needs 30\d+ bytes of input, but Step Functions accepts 262144\. Start several runs/,
    );
    expect(service.calls()).toHaveLength(0);
  });
});

describe('hasExecutionEnded', () => {
  const HOLDER = { name: INPUT.runId, untilMs: 1_000 };
  const asked = { executionArn: ARN };

  it.each([
    ['RUNNING', false],
    ['PENDING_REDRIVE', false],
    ['SUCCEEDED', true],
    ['FAILED', true],
    ['TIMED_OUT', true],
    ['ABORTED', true],
  ] satisfies [ExecutionStatus, boolean][])('of one that is %s is %s', async (status, hasEnded) => {
    service.on(DescribeExecutionCommand, asked).resolves({ status });
    expect(await hasExecutionEnded(client, MACHINE, HOLDER, 9_999)).toBe(hasEnded);
  });

  it('of one that is not there is so once its start-run can’t start it any more', async () => {
    service
      .on(DescribeExecutionCommand, asked)
      .rejects(new ExecutionDoesNotExist({ $metadata: {}, message: 'no' }));
    const ended = await Promise.all([999, 1_000].map((at) => hasExecutionEnded(client, MACHINE, HOLDER, at)));
    expect(ended).toEqual([false, true]);
  });

  it('is not known where Step Functions does not say', async () => {
    service.on(DescribeExecutionCommand).rejects(new Error('throttled'));
    await expect(hasExecutionEnded(client, MACHINE, HOLDER, 9_999)).rejects.toThrow('throttled');
  });
});
