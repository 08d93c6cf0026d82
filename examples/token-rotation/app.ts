import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnPermission,
  Code,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, ScheduleTargetInput, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { BUNDLE_FILE, bundleFile } from '../../scripts/bundle.ts';

/** The rotation function as a stack of its own, beside the exporter's: `-c secretName=… -c loginSecret=… -c everyMinutes=…`. */
const app = new App();
const stack = new Stack(app, 'TokenRotation', {
  stackName: String(app.node.tryGetContext('stackName') ?? 'cfe-lake-token-rotation'),
});
const secretName = String(app.node.tryGetContext('secretName') ?? 'cfe-lake/companies');
/** The secret with what `login()` needs, if there is one. */
const loginSecret: unknown = app.node.tryGetContext('loginSecret');
const everyMinutes = Number(app.node.tryGetContext('everyMinutes') ?? 240);

const bundle = await mkdtemp(join(tmpdir(), 'token-rotation-'));
await bundleFile(fileURLToPath(new URL('rotate.ts', import.meta.url)), join(bundle, BUNDLE_FILE));

const secret = Secret.fromSecretNameV2(stack, 'Companies', secretName);
/** Secrets Manager adds a dash and six characters to a name. */
const secretArn = `${secret.secretArn}-??????`;
const rotation = new LambdaFunction(stack, 'Rotation', {
  code: Code.fromAsset(bundle),
  handler: 'index.handler',
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  timeout: Duration.minutes(10),
  memorySize: 256,
});
if (typeof loginSecret === 'string') {
  Secret.fromSecretNameV2(stack, 'Login', loginSecret).grantRead(rotation);
}
// Lets the function use this secret, and Secrets Manager call the function.
secret.addRotationSchedule('Schedule', {
  rotationLambda: rotation,
  // Secrets Manager's shortest interval is 4 hours.
  automaticallyAfter: Duration.hours(Math.max(4, Math.ceil(everyMinutes / 60))),
});
// For this secret of this account alone: CDK would let Secrets Manager call it for anybody's.
for (const permission of rotation.node.findAll()) {
  if (!(permission instanceof CfnPermission)) continue;
  permission.sourceAccount = stack.account;
  permission.sourceArn = secretArn;
}
if (everyMinutes < 240) {
  const target = new Universal({
    service: 'secretsmanager',
    action: 'rotateSecret',
    input: ScheduleTargetInput.fromObject({ SecretId: secretName }),
    policyStatements: [
      new PolicyStatement({
        actions: ['secretsmanager:RotateSecret'],
        resources: [secretArn],
      }),
    ],
  });
  new Schedule(stack, 'Often', {
    description: 'Renews tokens that expire sooner than Secrets Manager can rotate by itself',
    schedule: ScheduleExpression.rate(Duration.minutes(everyMinutes)),
    timeWindow: TimeWindow.off(),
    target,
  });
}
app.synth();
await rm(bundle, { recursive: true });
