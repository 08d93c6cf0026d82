import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it } from 'vitest';
import { openDeployment } from '../../../lib/run/deployed/runs.ts';
import { describedStack } from '../../support/aws/stack-answers.ts';

const cloudFormation = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const stepFunctions = mockClient(SFNClient);
afterAll(() => {
  for (const mock of [cloudFormation, lambda, stepFunctions]) mock.restore();
});

it('opens a stack by its name and talks to its parts', async () => {
  cloudFormation.on(DescribeStacksCommand, { StackName: 's' }).resolves(describedStack());
  const deployment = await openDeployment('s');

  lambda.on(InvokeCommand, { FunctionName: 'cfe-lake-start-run' }).resolves({ FunctionError: 'Unhandled' });
  await expect(deployment.startBackfill({ desde: '2026-01-01', hasta: '2026-01-02' })).rejects.toThrow(
    'cfe-lake-start-run failed',
  );
  expect(await lambda.commandCalls(InvokeCommand)[0]?.thisValue.config.maxAttempts()).toBe(1);

  stepFunctions.on(ListExecutionsCommand, { stateMachineArn: 'arn:machine' }).resolves({ executions: [] });
  expect(await deployment.listRuns(5)).toEqual([]);
  expect((await deployment.openLake()).address).toBe('s3://a-bucket');
});
