import { CfnOutput, RemovalPolicy, SecretValue, Stack, Tags } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  FunctionUrlAuthType,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { CfeLake } from '../../lib/stack/cfe-lake.ts';
import type { Bundles } from '../../lib/system/program.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';

/** The stack's name, and of its lake. */
export const INTEGRATION = 'cfe-lake-integration';

interface IntegrationProps {
  /** Folder of the sandbox's bundle. */
  sandboxBundle: string;
  bundles: Bundles;
}

/**
 * The construct beside a sandbox behind a function URL: all of it in a real account, with invented receipts and no
 * provider's token. Everything goes when the stack is destroyed.
 */
export class IntegrationStack extends Stack {
  constructor(scope: Construct, id: string, { sandboxBundle, bundles }: IntegrationProps) {
    super(scope, id, { stackName: INTEGRATION, description: 'cfe-lake, tried with invented receipts' });
    const sandbox = new LambdaFunction(this, 'Sandbox', {
      description: 'The query API of invented companies',
      code: Code.fromAsset(sandboxBundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      logGroup: new LogGroup(this, 'SandboxLogs', {
        retention: RetentionDays.ONE_DAY,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    });
    // Open to everybody who knows the address: it has nothing to hide, and refuses who has no invented token.
    const { url } = sandbox.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });

    const secretName = `${INTEGRATION}/companies`;
    const companies = sandboxCompanies().map(({ rut, token, name }) => ({ rut, token, name }));
    // Tokens of real companies never pass through CloudFormation; these open nothing but the sandbox.
    new Secret(this, 'Companies', {
      secretName,
      secretStringValue: SecretValue.unsafePlainText(this.toJsonString({ api: url, companies })),
      removalPolicy: RemovalPolicy.DESTROY,
    });

    const lake = new CfeLake(this, 'Lake', {
      name: INTEGRATION,
      apiAddress: url,
      secretName,
      removalPolicy: RemovalPolicy.DESTROY,
      checkout: { bundles },
    });
    lake.addOutputs();
    new CfnOutput(this, 'ApiAddress', { value: url, description: 'The sandbox' });
    Tags.of(this).add('purpose', 'integration');
  }
}
