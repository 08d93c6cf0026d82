import type { Stack, StackStatus } from '@aws-sdk/client-cloudformation';

/** The outputs of a deployed stack that commands read. */
export const STACK_OUTPUTS = {
  LakeBucket: 'a-bucket',
  StartRunFunction: 'cfe-lake-start-run',
  StateMachineArn: 'arn:machine',
  Database: 'cfe_lake',
  Workgroup: 'cfe-lake',
  AlarmTopicArn: 'arn:topic',
  MorningTopicArn: 'arn:morning',
  ScheduleGroup: 'cfe-lake',
};

/** The stack as CloudFormation describes it. */
export function describedStack(
  outputs: Readonly<Record<string, string>> = STACK_OUTPUTS,
  StackStatus: StackStatus = 'UPDATE_COMPLETE',
): { Stacks: [Stack] } {
  const StackId = 'arn:aws:cloudformation:us-east-1:123456789012:stack/cfe-lake/1';
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  return { Stacks: [{ StackName: 'cfe-lake', StackId, StackStatus, CreationTime: new Date(0), Outputs }] };
}

/** What a function answers, as the SDK returns it. */
export function lambdaPayload(value: unknown) {
  const text = JSON.stringify(value);
  return Object.assign(new TextEncoder().encode(text), { transformToString: () => text });
}
