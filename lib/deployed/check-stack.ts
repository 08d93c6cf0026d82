import {
  type AthenaClient,
  GetQueryExecutionCommand,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns';
import { changeSetting, DEPLOY, PROGRAM } from '../program.ts';
import { type CheckedRun, CheckedRunSchema } from '../run/checks.ts';
import { plural } from '../text/terminal.ts';
import type { Clock } from '../time/clock.ts';
import { type CheckLine, failure, linesOfRun, notSeen, ok, scheduleLines, warning } from './check-lines.ts';
import { invoke } from './runs.ts';
import { BackfillRefusedError, type StackOutputs } from './stack-outputs.ts';

export interface CheckClients {
  lambda: LambdaClient;
  athena: AthenaClient;
  sns: SNSClient;
  scheduler: SchedulerClient;
}

export interface CheckOptions {
  stackName: string;
  /** The company whose receipts of yesterday are read; the first one when absent. */
  rut?: string;
  clock: Clock;
  signal?: AbortSignal;
}

/** Checks whether a nightly run would succeed. Yields each line as soon as it is known. Throws DeploymentError. */
export async function* checkStack(
  outputs: StackOutputs,
  clients: CheckClients,
  { stackName, rut, clock, signal }: CheckOptions,
): AsyncGenerator<CheckLine> {
  yield stackLine(stackName, outputs);
  const schedules = await scheduleLines(clients.scheduler, {
    group: outputs.scheduleGroup ?? stackName,
    nowMs: clock.now(),
    areNightsWanted: outputs.nightlyRuns !== 'off',
  });
  const answer = await askLambda(clients.lambda, outputs.startRunFunction, rut);
  if (answer instanceof BackfillRefusedError) {
    yield failure('secret', answer.message, `Correct that, then check again: ${PROGRAM} check`);
  } else yield* linesOfRun(answer, clock.now(), schedules.nightsMs);
  const { workgroup, database, alarmTopicArn } = outputs;
  if (workgroup === undefined || database === undefined || alarmTopicArn === undefined) {
    yield failure('stack', 'an older version is deployed', `Deploy it again: ${DEPLOY}`);
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
    ? warning('stack', found, 'It is being updated. Check again when that is done.')
    : warning('stack', found, `Its last deployment did not succeed: ${DEPLOY}`);
}

/** Returns start-run's refusal instead of throwing it: it is a finding. */
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

const POLL_MS = 1_000;
const GIVE_UP_AFTER_MS = 60_000;
/** Scans a few days of the audit: cheap, and needs every permission that a query needs. */
const QUESTION =
  "SELECT count(*) FROM exportaciones WHERE fecha_corrida >= date_add('day', -3, current_date)";

/** Whether Athena answers a query in the workgroup. */
async function athenaLine(
  client: AthenaClient,
  {
    workgroup,
    database,
    clock,
    signal,
  }: Pick<CheckOptions, 'clock' | 'signal'> & Record<'workgroup' | 'database', string>,
): Promise<CheckLine> {
  try {
    const { QueryExecutionId } = await client.send(
      new StartQueryExecutionCommand({
        QueryString: QUESTION,
        WorkGroup: workgroup,
        QueryExecutionContext: { Database: database },
      }),
    );
    const untilMs = clock.monotonicMs() + GIVE_UP_AFTER_MS;
    while (clock.monotonicMs() < untilMs) {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId }));
      const { State, StateChangeReason } = QueryExecution?.Status ?? {};
      if (State === 'SUCCEEDED')
        return ok('athena', `answers in workgroup ${workgroup}, database ${database}`);
      if (State === 'FAILED' || State === 'CANCELLED') {
        return failure(
          'athena',
          StateChangeReason ?? State,
          'If a permission is missing, attach the AnalystPolicy of the stack; for Lake Formation, see README, "Who may do what".',
        );
      }
      await clock.sleep(POLL_MS, signal);
    }
    return failure('athena', 'no answer within a minute', 'Look at the workgroup in the Athena console.');
  } catch (error) {
    signal?.throwIfAborted();
    return notSeen('athena', error, 'AnalystPolicy');
  }
}

/** SNS gives this in place of an ARN until the address has confirmed. */
const PENDING = 'PendingConfirmation';

/** Whether an alarm reaches anybody. */
async function alarmLine(client: SNSClient, topicArn: string): Promise<CheckLine> {
  try {
    const states: boolean[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
      { client },
      { TopicArn: topicArn },
    )) {
      states.push(...Subscriptions.map(({ SubscriptionArn }) => SubscriptionArn !== PENDING));
    }
    const confirmed = states.filter((isConfirmed) => isConfirmed).length;
    if (confirmed > 0) return ok('alarms', plural(confirmed, 'confirmed subscriber'));
    return states.length > 0
      ? warning('alarms', 'nobody has confirmed', 'Open the e-mail from AWS Notifications and confirm it.')
      : warning('alarms', 'nobody receives them', `${changeSetting('alarmEmail', 'you@example.com')}.`);
  } catch (error) {
    return notSeen('alarms', error, 'OperatorPolicy');
  }
}
