import {
  DescribeExecutionCommand,
  DescribeMapRunCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  SFNClient,
  SFNServiceException,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { followRun, listRuns, type RunProgress } from '../../../lib/run/deployed/runs.ts';
import { inSpanish, type RunInput } from '../../../lib/run/messages.ts';
import { FakeClock, HurriedClock, settled } from '../../support/fake-clock.ts';

const client = new SFNClient({});
const service = mockClient(client);
beforeEach(() => void service.reset());

const ARN = 'arn:aws:states:us-east-1:123456789012:execution:cfe-lake:run-1';
const INPUT: RunInput = {
  runId: 'run-1',
  runDay: '2026-11-20',
  from: '2026-11-18',
  to: '2026-11-19',
  directions: ['recibidos'],
  companiesAtOnce: 1,
  ruts: ['219999830019'],
};
const startDate = new Date('2026-11-20T05:00:00Z');
const stopDate = new Date('2026-11-20T05:09:00Z');
const execution = { name: 'run-1', executionArn: ARN, stateMachineArn: 'arn:machine', startDate };
const running = { ...execution, status: 'RUNNING' as const, input: JSON.stringify(inSpanish(INPUT)) };

function counts(changes: Partial<Record<string, number>> = {}) {
  const none = { pending: 0, running: 0, succeeded: 0, failed: 0, timedOut: 0, aborted: 0 };
  const itemCounts = { ...none, total: 10, resultsWritten: 0, ...changes };
  return {
    itemCounts,
    executionCounts: itemCounts,
    mapRunArn: 'arn:map',
    executionArn: ARN,
    status: 'RUNNING' as const,
    startDate,
    maxConcurrency: 16,
    toleratedFailureCount: 0,
    toleratedFailurePercentage: 100,
  };
}

function failure(name: string): SFNServiceException {
  return new SFNServiceException({ name, message: 'as the service says', $fault: 'client', $metadata: {} });
}

describe('followRun', () => {
  it('reports the run’s progress until it ends, asking every five seconds', async () => {
    const mapRun = { executionArn: ARN, mapRunArn: 'arn:map', stateMachineArn: 'arn:machine', startDate };
    service
      .on(DescribeExecutionCommand)
      .resolvesOnce(running)
      .resolvesOnce(running)
      .resolves({ ...running, status: 'SUCCEEDED', stopDate });
    service
      .on(ListMapRunsCommand)
      .resolvesOnce({ mapRuns: [] })
      .resolves({ mapRuns: [mapRun] });
    service
      .on(DescribeMapRunCommand, { mapRunArn: 'arn:map' })
      .resolvesOnce(counts({ pending: 6, running: 2, succeeded: 1, failed: 1 }))
      .resolves(counts({ succeeded: 7, failed: 1, timedOut: 1, aborted: 1 }));
    const progress: RunProgress[] = [];
    const clock = new HurriedClock();
    const onProgress = (step: RunProgress) => void progress.push(step);
    expect(await followRun(client, ARN, { clock, onProgress })).toEqual({
      runId: 'run-1',
      status: 'SUCCEEDED',
      startedAt: startDate,
      endedAt: stopDate,
      input: INPUT,
      failure: undefined,
    });
    expect(progress).toEqual([
      { done: 1, failed: 1, running: 2 },
      { done: 7, failed: 3, running: 0 },
    ]);
    expect(clock.delays).toEqual([5_000, 5_000]);
    expect(service.commandCalls(ListMapRunsCommand)).toHaveLength(2);
  });

  it.each([
    [
      'FAILED',
      {
        error: 'RunFailedError',
        cause: JSON.stringify({ errorType: 'RunFailedError', errorMessage: 'Of 4 units …' }),
      },
      'Of 4 units …',
    ],
    ['TIMED_OUT', { error: 'States.Timeout' }, 'States.Timeout'],
    ['ABORTED', {}, undefined],
    ['FAILED', { error: 'States.Runtime', cause: 'not JSON' }, 'States.Runtime: not JSON'],
  ] as const)('returns the reason of a run that ends as %s', async (status, reason, expected) => {
    service.on(DescribeExecutionCommand).resolves({ ...running, ...reason, status, stopDate });
    service.on(ListMapRunsCommand).resolves({ mapRuns: [] });
    expect(await followRun(client, ARN, { clock: new HurriedClock() })).toMatchObject({
      status,
      failure: expected,
    });
  });

  it('stops at once when it is told to; the run is not touched', async () => {
    service.on(DescribeExecutionCommand).resolves(running);
    service.on(ListMapRunsCommand).resolves({ mapRuns: [] });
    const interruption = new AbortController();
    const clock = new FakeClock();
    const following = followRun(client, ARN, { clock, signal: interruption.signal });
    await settled();
    await settled();
    interruption.abort(new Error('interrupted'));
    await expect(following).rejects.toThrow('interrupted');
    expect(clock.sleeperCount).toBe(0);
  });

  it('says what failed when the service refuses', async () => {
    service.on(DescribeExecutionCommand).rejects(failure('AccessDeniedException'));
    await expect(followRun(client, ARN)).rejects.toThrow(
      'Following the run failed (AccessDeniedException). Ask for the permission, or use another AWS_PROFILE.',
    );
    service.on(DescribeExecutionCommand).resolves(running);
    service.on(ListMapRunsCommand).rejects(failure('ThrottlingException'));
    await expect(followRun(client, ARN)).rejects.toThrow(
      /^Reading the run's progress failed \(ThrottlingException\)/,
    );
  });
});

describe('listRuns', () => {
  const listed = (name: string) => ({
    name,
    executionArn: `arn:${name}`,
    stateMachineArn: 'arn:machine',
    status: 'SUCCEEDED' as const,
    startDate,
  });

  it('returns the newest runs with what they cover, and no more than were asked for', async () => {
    service
      .on(ListExecutionsCommand)
      .resolvesOnce({ executions: [listed('c'), listed('b')], nextToken: 'n' })
      .resolvesOnce({ executions: [listed('a'), listed('older')], nextToken: 'n2' });
    service.on(DescribeExecutionCommand).callsFake(({ executionArn }) => ({
      ...running,
      name: executionArn.slice(4),
      status: 'SUCCEEDED',
      stopDate,
    }));
    const runs = await listRuns(client, 'arn:machine', 3);
    expect(runs.map(({ runId }) => runId)).toEqual(['c', 'b', 'a']);
    expect(runs[0]).toMatchObject({ status: 'SUCCEEDED', endedAt: stopDate, input: INPUT });
    expect(service.commandCalls(DescribeExecutionCommand)).toHaveLength(3);
  });

  it('shows runs of another version too, without what they cover', async () => {
    service.on(ListExecutionsCommand).resolves({ executions: [listed('a')] });
    service.on(DescribeExecutionCommand).resolves({ ...running, input: '{"old": true}' });
    expect(await listRuns(client, 'arn:machine', 3)).toMatchObject([{ runId: 'run-1', input: undefined }]);
  });
});
