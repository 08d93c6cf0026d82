import { Duration } from 'aws-cdk-lib';
import { Errors, JitterType, type TaskInput, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import type { ExporterFunction } from './exporter-function.ts';

export interface LambdaTaskProps {
  worker: ExporterFunction;
  comment: string;
  inputPath?: string;
  /** What the function is given, where that is not the state, or a part of it. */
  payload?: TaskInput;
  resultPath?: string;
  /** Errors that are the function's answer: asking again would bring the same. */
  finalErrors?: readonly string[];
}

/** Step Functions waits a little longer than the function itself may take. */
const SLACK = Duration.seconds(30);

/**
 * A function as a task. Faults of the Lambda service and throttling are waited out; a function that dies is asked
 * twice more, since all that it does may be done again.
 */
export function lambdaTask(scope: Construct, id: string, props: LambdaTaskProps): LambdaInvoke {
  const { worker, comment, inputPath, payload, resultPath, finalErrors } = props;
  const task = LambdaInvoke.jsonPath(scope, id, {
    lambdaFunction: worker.lambda,
    payloadResponseOnly: true,
    comment,
    inputPath,
    payload,
    resultPath,
    taskTimeout: Timeout.duration(worker.timeout.plus(SLACK)),
  });
  if (finalErrors !== undefined) task.addRetry({ errors: [...finalErrors], maxAttempts: 0 });
  // The account's Lambdas may be busy with something else for long.
  task.addRetry({
    errors: ['Lambda.TooManyRequestsException'],
    interval: Duration.seconds(5),
    backoffRate: 2,
    maxDelay: Duration.minutes(2),
    maxAttempts: 40,
    jitterStrategy: JitterType.FULL,
  });
  task.addRetry({
    errors: [Errors.ALL],
    interval: Duration.seconds(30),
    backoffRate: 2,
    maxAttempts: 2,
    jitterStrategy: JitterType.FULL,
  });
  return task;
}
