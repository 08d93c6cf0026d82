import type { Context } from 'aws-lambda';

/** The context of an invocation with this much time left. */
export function lambdaContext(remainingMs: () => number = () => 600_000): Context {
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'cfe-lake-test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:cfe-lake-test',
    memoryLimitInMB: '1024',
    awsRequestId: '00000000-0000-0000-0000-000000000000',
    logGroupName: 'test',
    logStreamName: 'test',
    getRemainingTimeInMillis: remainingMs,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
