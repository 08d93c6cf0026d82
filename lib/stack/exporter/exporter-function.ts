import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { explainWildcards } from '../explain.ts';
import { Naming } from '../naming.ts';
import type { Bundles, HandlerName } from './bundle-folders.ts';

export interface ExporterFunctionProps {
  name: HandlerName;
  bundles: Bundles;
  description: string;
  memoryMb: number;
  timeout: Duration;
  logRetentionDays: number;
  /** Names of things, never a secret. */
  environment: Readonly<Record<string, string>>;
}

/** A handler of functions/ as a Lambda, with a role and a log group of its own. It may do nothing yet but log. */
export class ExporterFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ExporterFunctionProps) {
    super(scope, id);
    const naming = Naming.of(this);
    const functionName = naming.withSuffix(`-${props.name}`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: functionName && `/aws/lambda/${functionName}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A role of its own instead of the managed policy, which may write to every log group of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    explainWildcards(this.role, 'X-Ray has no resources: traces can only be written to all.', ['*']);
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
      tracing: Tracing.ACTIVE,
      environment: {
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: naming.unique,
        ...props.environment,
      },
    });
  }
}
