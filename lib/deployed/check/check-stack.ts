import type { AthenaClient } from '@aws-sdk/client-athena';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SNSClient } from '@aws-sdk/client-sns';
import { DEPLOY, PROGRAM } from '../../program.ts';
import type { CheckedRun } from '../../run/check-run.ts';
import type { Clock } from '../../time/clock.ts';
import { BackfillRefusedError } from '../errors.ts';
import { invoke } from '../invoke.ts';
import type { StackOutputs } from '../stack-outputs.ts';
import { alarmLine } from './alarm-line.ts';
import { athenaLine } from './athena-line.ts';
import { type CheckLine, failure, ok, warning } from './check-line.ts';
import { CheckedRunSchema, linesOfRun } from './lambda-lines.ts';
import { scheduleLines } from './schedule-lines.ts';

export interface CheckClients {
  lambda: LambdaClient;
  athena: AthenaClient;
  sns: SNSClient;
  scheduler: SchedulerClient;
}

export interface CheckOptions {
  stackName: string;
  /** Whose yesterday is read; the first company when absent. */
  rut?: string;
  clock: Clock;
  signal?: AbortSignal;
}

/** Whether a night would succeed, one line after the other as it is found out. Throws DeploymentError. */
export async function* checkStack(
  outputs: StackOutputs,
  clients: CheckClients,
  { stackName, rut, clock, signal }: CheckOptions,
): AsyncGenerator<CheckLine> {
  yield stackLine(stackName, outputs);
  const schedules = await scheduleLines(clients.scheduler, outputs.scheduleGroup ?? stackName, clock.now());
  const answer = await askLambda(clients.lambda, outputs.startRunFunction, rut);
  if (answer instanceof BackfillRefusedError) {
    yield failure('secret', answer.message, `Mend that; ${PROGRAM} check looks again.`);
  } else yield* linesOfRun(answer, clock.now(), schedules.nightsMs);
  const { workgroup, database, alarmTopicArn } = outputs;
  if (workgroup === undefined || database === undefined || alarmTopicArn === undefined) {
    yield failure('stack', 'it is of an older version', `Deploy it again: ${DEPLOY}`);
  } else {
    yield await athenaLine(clients.athena, { workgroup, database, clock, signal });
    yield await alarmLine(clients.sns, alarmTopicArn);
  }
  yield* schedules.lines;
}

function stackLine(stackName: string, { account, region, status, lakeBucket }: StackOutputs): CheckLine {
  const found = `${stackName} in account ${account}, region ${region}: ${status}; lake s3://${lakeBucket}`;
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return ok('stack', found);
  return /_IN_PROGRESS$/.test(status)
    ? warning('stack', found, 'It is being changed: check again when that is done.')
    : warning('stack', found, `Its last deployment did not succeed: ${DEPLOY}`);
}

/** The error is what start-run says itself. */
async function askLambda(
  client: LambdaClient,
  functionName: string,
  rut: string | undefined,
): Promise<CheckedRun | BackfillRefusedError> {
  try {
    return await invoke(client, functionName, { comprobar: { rut } }, CheckedRunSchema);
  } catch (error) {
    if (error instanceof BackfillRefusedError) return error;
    throw error;
  }
}
