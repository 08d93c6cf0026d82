import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it } from 'vitest';
import { openDeployment } from '../../../lib/run/deployed/runs.ts';

const cloudFormation = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const stepFunctions = mockClient(SFNClient);
afterAll(() => {
  for (const mock of [cloudFormation, lambda, stepFunctions]) mock.restore();
});

it('opens a stack by its name and talks to its parts', async () => {
  const names = { Database: 'd', Workgroup: 'w', AlarmTopicArn: 'arn:topic', ScheduleGroup: 'g' };
  const outputs = { LakeBucket: 'a-bucket', StartRunFunction: 'f', StateMachineArn: 'arn:machine', ...names };
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  const stack = {
    StackName: 's',
    CreationTime: new Date(0),
    StackStatus: 'CREATE_COMPLETE' as const,
    Outputs,
  };
  cloudFormation.on(DescribeStacksCommand, { StackName: 's' }).resolves({ Stacks: [stack] });
  const deployment = await openDeployment('s');

  lambda.on(InvokeCommand, { FunctionName: 'f' }).resolves({ FunctionError: 'Unhandled' });
  await expect(deployment.startBackfill({ desde: '2026-01-01', hasta: '2026-01-02' })).rejects.toThrow(
    'f failed',
  );
  expect(await lambda.commandCalls(InvokeCommand)[0]?.thisValue.config.maxAttempts()).toBe(1);

  stepFunctions.on(ListExecutionsCommand, { stateMachineArn: 'arn:machine' }).resolves({ executions: [] });
  expect(await deployment.listRuns(5)).toEqual([]);
  expect((await deployment.openLake()).address).toBe('s3://a-bucket');
});
