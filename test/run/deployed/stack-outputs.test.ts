import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { readStackOutputs } from '../../../lib/run/deployed/stack-outputs.ts';
import { describedStack, STACK_OUTPUTS } from '../../support/aws/stack-answers.ts';

const client = new CloudFormationClient({});
const service = mockClient(client);
beforeEach(() => void service.reset());

function failure(name: string, message: string): CloudFormationServiceException {
  return new CloudFormationServiceException({ name, message, $fault: 'client', $metadata: {} });
}

describe('readStackOutputs', () => {
  it('finds the parts of a stack by its name', async () => {
    service.on(DescribeStacksCommand, { StackName: 'cfe-lake' }).resolves(describedStack());
    expect(await readStackOutputs(client, 'cfe-lake')).toEqual({
      lakeBucket: 'a-bucket',
      startRunFunction: 'cfe-lake-start-run',
      stateMachineArn: 'arn:machine',
      status: 'UPDATE_COMPLETE',
      region: 'us-east-1',
      account: '123456789012',
      database: 'cfe_lake',
      workgroup: 'cfe-lake',
      alarmTopicArn: 'arn:topic',
      morningTopicArn: 'arn:morning',
      scheduleGroup: 'cfe-lake',
    });
  });

  it('says what to do when there is no such stack', async () => {
    service
      .on(DescribeStacksCommand)
      .rejects(failure('ValidationError', 'Stack with id other does not exist'));
    await expect(readStackOutputs(client, 'other')).rejects.toThrow(
      'There is no stack of that name (--stack) in this account and region. Deploy it (npx cdk deploy)',
    );
  });

  it('says which outputs a stack lacks, and its status', async () => {
    const { StartRunFunction: _, StateMachineArn: __, ...others } = STACK_OUTPUTS;
    service.on(DescribeStacksCommand).resolves(describedStack(others));
    await expect(readStackOutputs(client, 'cfe-lake')).rejects.toThrow(
      "The stack cfe-lake can't be used: it has no output StartRunFunction, StateMachineArn (its status is UPDATE_COMPLETE). Deploy it again: npx cdk deploy",
    );
  });

  it.each([
    ['AccessDenied', /Looking for the stack \(--stack\) failed \(AccessDenied\)\. Ask for the permission/],
    ['ExpiredToken', /\(ExpiredToken\)\. Sign in to AWS first/],
    ['Throttling', /\(Throttling\)\. as the service says/],
    ['ValidationError', /\(ValidationError\)\. as the service says/],
  ])('passes %s on with what to do', async (name, message) => {
    service.on(DescribeStacksCommand).rejects(failure(name, 'as the service says'));
    const reading = readStackOutputs(client, 'cfe-lake');
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toMatchObject({ name: 'DeploymentError', awsCode: name });
  });
});
