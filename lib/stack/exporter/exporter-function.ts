import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Errors, JitterType, type TaskInput, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { MetricName } from '../../run/lambda/telemetry.ts';
import type { Bundles, HandlerName } from '../../system/program.ts';
import { explain } from '../explain.ts';
import { Naming } from '../naming.ts';
import type { CfeLakeProps } from '../props.ts';
import { allowConnecting } from './access.ts';

export interface ExporterFunctionProps {
  name: HandlerName;
  bundles: Bundles;
  description: string;
  memoryMb: number;
  timeout: Duration;
  logRetentionDays: number;
  /** Names of things, never a secret. Those that are undefined are not set. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Without one, the function is in AWS's own network. */
  network?: Network;
}

export type Network = Pick<CfeLakeProps, 'vpc' | 'subnets' | 'securityGroups'>;

export interface HandlerMetricOptions {
  period: Duration;
  /** @default 'Sum' */
  statistic?: string;
  label?: string;
}

/** A handler of functions/ as a Lambda with its own role and log group. At first it may only write its log. */
export class ExporterFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly timeout: Duration;
  readonly handler: HandlerName;

  constructor(scope: Construct, id: string, props: ExporterFunctionProps) {
    super(scope, id);
    const { network = {} } = props;
    this.handler = props.name;
    const naming = Naming.of(this);
    const functionName = naming.withSuffix(`-${props.name}`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: functionName && `/aws/lambda/${functionName}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Its own role: the managed policy may write to every log group of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.timeout = props.timeout;
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.bundles[props.name]),
      memorySize: props.memoryMb,
      timeout: props.timeout,
      role: this.role,
      logGroup,
      vpc: network.vpc,
      vpcSubnets: network.subnets,
      securityGroups: network.securityGroups,
      environment: {
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: naming.unique,
        ...Object.fromEntries(
          Object.entries(props.environment).flatMap(([variable, value]) =>
            value === undefined ? [] : [[variable, value]],
          ),
        ),
      },
    });
    explain(this.lambda, NOT_TRACED, ['Serverless-LambdaTracing']);
    const subnetIds = network.vpc?.selectSubnets(network.subnets).subnetIds;
    if (subnetIds !== undefined)
      allowConnecting(this.role, subnetIds, this.lambda.connections.securityGroups);
  }

  /** A metric that the handler writes into its log. Its only dimension is the handler. */
  metric(metricName: MetricName, { statistic = 'Sum', ...options }: HandlerMetricOptions): Metric {
    return new Metric({
      namespace: Naming.of(this).unique,
      metricName,
      dimensionsMap: { service: this.handler },
      statistic,
      ...options,
    });
  }
}

export const NOT_TRACED =
  'The audit table has what became of every unit, how long it took and how often the API was asked: nobody read the traces.';

export interface LambdaTaskProps {
  worker: ExporterFunction;
  comment: string;
  inputPath?: string;
  /** The function's event, if it is not the state or a part of it. */
  payload?: TaskInput;
  resultPath?: string;
  /** Errors that are not retried: the function would fail in the same way. */
  finalErrors?: readonly string[];
}

/** Step Functions waits a little longer than the function may take. */
const SLACK = Duration.seconds(30);

/**
 * A task that invokes a function. Faults of the Lambda service and throttling are retried for a long time. A function
 * that dies is retried twice: repeating its work does no harm.
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
  // Other functions may use up the account's concurrency for a long time.
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
