import { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } from '@aws-sdk/client-athena';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { GetBucketPolicyCommand, type S3Client } from '@aws-sdk/client-s3';
import { GetScheduleCommand, ResourceNotFoundException, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import * as v from 'valibot';
import { createS3Client } from '../../lake/store/s3.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { changeSetting, DEPLOY, PROGRAM } from '../../system/program.ts';
import { plural } from '../../text/terminal.ts';
import { shortened } from '../../text/text-table.ts';
import type { Clock } from '../../time/clock.ts';
import { addDays, HOUR_MS, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import { type CheckedRun, CheckedRunSchema } from '../checks.ts';
import { NIGHT_HOURS, NIGHTLY, TOKEN_REVIEW } from '../messages.ts';
import { invoke, startRunClient } from './runs.ts';
import { BackfillRefusedError, readStackOutputs, type StackOutputs } from './stack-outputs.ts';

interface CheckOptions {
  stackName: string;
  /** The company whose receipts of yesterday are read; the first one when absent. */
  rut?: string;
  clock: Clock;
  signal?: AbortSignal;
}

/**
 * Checks whether a nightly run of a stack would succeed, in the account and region of AWS's own settings. Yields each
 * line as soon as it is known. Throws what readStackOutputs does.
 */
export async function* checkStack({
  stackName,
  rut,
  clock,
  signal,
}: CheckOptions): AsyncGenerator<CheckLine> {
  const requestHandler = awsConnections();
  const outputs = await readStackOutputs(new CloudFormationClient({ requestHandler }), stackName);
  yield stackLine(stackName, outputs);
  const schedules = await scheduleLines(new SchedulerClient({ requestHandler }), {
    group: outputs.scheduleGroup,
    nowMs: clock.now(),
    isNightWanted: outputs.nightlyRuns !== 'off',
  });
  yield* await startRunLines(outputs.startRunFunction, rut, clock.now(), schedules.nightMs);
  yield await athenaLine(new AthenaClient({ requestHandler }), { ...outputs, clock, signal });
  yield await bucketLine(createS3Client(), outputs.lakeBucket);
  const topics = new Set([outputs.alarmTopicArn, outputs.morningTopicArn]);
  yield await alarmLine(new SNSClient({ requestHandler }), [...topics]);
  yield* schedules.lines;
}

function stackLine(stackName: string, { account, region, status, lakeBucket }: StackOutputs): CheckLine {
  const found = `${stackName} in account ${account}, region ${region}: ${status}; lake s3://${lakeBucket}`;
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return ok('stack', found);
  return /_IN_PROGRESS$/.test(status)
    ? warning('stack', found, 'It is being updated. Check again when that is done.')
    : warning('stack', found, `Its last deployment did not succeed: ${DEPLOY}`);
}

/** What start-run finds. Its refusal is a finding, too. */
async function startRunLines(
  functionName: string,
  rut: string | undefined,
  nowMs: number,
  nightMs: number | undefined,
): Promise<CheckLine[]> {
  try {
    const found = await invoke(startRunClient(), functionName, { comprobar: { rut } }, CheckedRunSchema);
    return linesOfRun(found, nowMs, nightMs);
  } catch (error) {
    if (!(error instanceof BackfillRefusedError)) throw error;
    return [failure('secret', error.message, `Correct that, then check again: ${PROGRAM} check`)];
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
  }: Pick<CheckOptions, 'clock' | 'signal'> & Pick<StackOutputs, 'workgroup' | 'database'>,
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
          'If a permission is missing, attach the AnalystPolicy of the stack; for Lake Formation, see docs/aws.md, "Lake Formation".',
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

/** The statement that docs/aws.md gives, and CDK writes: another that says the same in other words is not seen. */
const TlsStatementSchema = v.object({
  Effect: v.literal('Deny'),
  Principal: v.union([v.literal('*'), v.strictObject({ AWS: v.literal('*') })]),
  Action: v.literal('s3:*'),
  Resource: v.array(v.string()),
  Condition: v.strictObject({ Bool: v.strictObject({ 'aws:SecureTransport': v.literal('false') }) }),
});
const PolicySchema = v.pipe(v.string(), v.parseJson(), v.object({ Statement: v.array(v.unknown()) }));

function refusesPlainHttp(policy: string, bucket: string): boolean {
  const parsed = v.safeParse(PolicySchema, policy);
  const statements = parsed.success ? parsed.output.Statement : [];
  return statements.some(
    (statement) =>
      v.is(TlsStatementSchema, statement) &&
      statement.Resource.some((resource) => resource.endsWith(`:::${bucket}/*`)),
  );
}

/** Whether the lake's bucket refuses plain HTTP. The stack says so of a bucket that it makes, not of one that was there. */
async function bucketLine(client: S3Client, bucket: string): Promise<CheckLine> {
  try {
    const { Policy = '' } = await client.send(new GetBucketPolicyCommand({ Bucket: bucket }));
    if (refusesPlainHttp(Policy, bucket)) return ok('bucket', 'refuses requests without TLS');
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoSuchBucketPolicy')
      return notSeen('bucket', error, 'OperatorPolicy');
  }
  return warning(
    'bucket',
    `${bucket} answers requests without TLS`,
    'Let its policy refuse them, as docs/aws.md says under "A bucket that is there already".',
  );
}

/** SNS gives this in place of an ARN until the address has confirmed. */
const PENDING = 'PendingConfirmation';

/** Whether each alarm reaches somebody. */
async function alarmLine(client: SNSClient, topicArns: readonly string[]): Promise<CheckLine> {
  try {
    const confirmed: number[] = [];
    let pending = 0;
    for (const TopicArn of topicArns) {
      let count = 0;
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn })) {
        const waiting = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === PENDING).length;
        pending += waiting;
        count += Subscriptions.length - waiting;
      }
      confirmed.push(count);
    }
    const [urgent = 0, soon = urgent] = confirmed;
    if (urgent > 0 && soon > 0)
      return ok('alarms', `${plural(urgent, 'confirmed subscriber')} of urgent ones, ${soon} of the others`);
    const recipients = urgent > 0 ? 'those for the morning' : soon > 0 ? 'the urgent ones' : 'them';
    return pending > 0
      ? warning(
          'alarms',
          `nobody has confirmed ${recipients}`,
          'Open the e-mail from AWS Notifications and confirm it.',
        )
      : warning(
          'alarms',
          `nobody receives ${recipients}`,
          `${changeSetting('alarmEmail', 'you@example.com')}.`,
        );
  } catch (error) {
    return notSeen('alarms', error, 'OperatorPolicy');
  }
}

/**
 * `warning`: it works or can't be checked, and somebody should look. `failure`: a nightly run would fail, at least in
 * part.
 */
export type CheckState = 'ok' | 'warning' | 'failure';

export interface CheckLine {
  check: string;
  state: CheckState;
  found: string;
  /** What to do; absent if nothing. */
  todo?: string;
}

export function ok(check: string, found: string): CheckLine {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'warning', found, todo };
}

export function failure(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'failure', found, todo };
}

/** A warning if AWS denied the caller this request, which says nothing about the stack; otherwise a failure. */
function notSeen(check: string, error: unknown, policy: string): CheckLine {
  const code = error instanceof Error ? error.name : String(error);
  const isDenied = /^(AccessDenied|AuthorizationError)/.test(code);
  const reason = error instanceof Error && error.message !== '' ? `${code}: ${error.message}` : code;
  return isDenied
    ? warning(check, `not checked: ${code}`, `Attach ${policy} of the stack to your role to see it.`)
    : failure(check, reason, 'Try again. If it keeps failing, look at the service in the console.');
}

/** What start-run found: companies, their problems, their tokens, and one company's receipts of yesterday. */
export function linesOfRun(found: CheckedRun, nowMs: number, nextNightMs = nowMs): CheckLine[] {
  const { empresas, problemas } = found;
  return [
    ok('secret', `${plural(empresas, 'company', 'companies')} with a usable entry`),
    ...problemas.map((problem) =>
      failure(
        'secret',
        problem,
        'Correct the entry: until then, its company is in no run. See the runbook, "A company is left out".',
      ),
    ),
    ...loginLines(found, nowMs),
    ...tokenLines(found, nowMs, nextNightMs + NIGHT_HOURS * HOUR_MS),
    apiLine(found.lectura),
    tablesLine(found.sin_publicar),
  ];
}

/** renew-tokens runs every 15 minutes, and a worker may need its token as long. */
const LEAST_LIFE_MINUTES = 30;

function loginLines({ login }: CheckedRun, nowMs: number): CheckLine[] {
  if (login === undefined) return [];
  const { empresas, vence, minutos, problema } = login;
  const endText = `${uruguayDateTime(Date.parse(vence))} (Uruguay), for ${plural(empresas, 'company', 'companies')}`;
  if (Date.parse(vence) <= nowMs)
    return [failure('login', `its token expired ${endText}`, 'See the runbook, "The login failed".')];
  if (problema !== undefined)
    return [
      failure(
        'login',
        `${problema} Its token is valid until ${endText}`,
        'See the runbook, "The login failed".',
      ),
    ];
  if (minutos >= LEAST_LIFE_MINUTES) return [ok('login', `works: its token is valid until ${endText}`)];
  return [
    failure(
      'login',
      `its tokens live ${minutos} minutes, which is too short: they are renewed every 15 minutes, so that a worker may ` +
        `be given one with ${Math.max(minutos - 15, 0)} minutes left`,
      `Ask the provider for tokens that live ${LEAST_LIFE_MINUTES} minutes or more.`,
    ),
  ];
}

function tokenLines(found: CheckedRun, nowMs: number, untilMs: number): CheckLine[] {
  // All are of the login.
  if (found.vencimientos.length + found.sin_vencimiento === 0) return [];
  return [tokenLine(found, nowMs, untilMs)];
}

function tokenLine({ vencimientos, sin_vencimiento }: CheckedRun, nowMs: number, untilMs: number): CheckLine {
  const ending = vencimientos.filter(({ vence }) => Date.parse(vence) <= untilMs);
  const describe = ({ rut, vence }: CheckedRun['vencimientos'][number]) =>
    `RUT ${rut} ${Date.parse(vence) <= nowMs ? 'expired' : 'expires'} ${uruguayDateTime(Date.parse(vence))}`;
  const named = ending.slice(0, 5).map(describe).join(', ');
  const endingText = ending.length > 5 ? `${named} and ${ending.length - 5} more` : named;
  if (ending.some(({ vence }) => Date.parse(vence) <= nowMs))
    return failure('tokens', endingText, 'Put new tokens into the secret; see docs/tokens.md.');
  if (ending.length > 0)
    return warning(
      'tokens',
      `${endingText}, before the next night is over`,
      'Put new tokens into the secret, or let something renew them; see docs/tokens.md.',
    );
  const [first] = vencimientos;
  const soonest = first === undefined ? '' : `the first: ${describe(first)} (Uruguay)`;
  return ok('tokens', [soonest, silentText(sin_vencimiento)].filter((part) => part !== '').join('; '));
}

function silentText(count: number): string {
  if (count === 0) return '';
  return plural(count, 'token does not say when it expires', 'tokens do not say when they expire');
}

function apiLine({ rut, fecha, incompleta, ocupada, error, ...counts }: CheckedRun['lectura']): CheckLine {
  if (error !== undefined)
    return failure('api', error, 'Correct this first: every unit would fail the same way.');
  if (ocupada === true)
    return warning(
      'api',
      'not asked: another check, or the start of a run, has the share of apiRequestsPerSecond that is for both',
      'Check again in two minutes.',
    );
  const read = DIRECTIONS.map(
    (direction) =>
      `${counts[direction]?.toLocaleString('en') ?? (incompleta ? 'uncounted' : 0)} ${direction}`,
  ).join(', ');
  const found = `reached from AWS; RUT ${rut} has ${read} of ${fecha}${incompleta ? ': there was no time to read all' : ''}`;
  const isEmpty = !incompleta && DIRECTIONS.every((direction) => (counts[direction] ?? 0) === 0);
  if (!isEmpty) return ok('api', found);
  return warning(
    'api',
    found,
    'If that is unlikely, check with a company that had receipts yesterday: --rut RUT.',
  );
}

/** Whether the tables of the last weeks have what was exported. */
function tablesLine(lagging: CheckedRun['sin_publicar']): CheckLine {
  if (lagging === undefined) return warning('tables', 'could not be looked at', 'Check again.');
  if (lagging.length === 0) return ok('tables', 'of the last weeks have what was exported');
  const days = lagging.map((name) => name.split(' ')[1] ?? '').sort();
  return warning(
    'tables',
    `lack what was exported: ${shortened(lagging, 5, (count) => `and ${count} more`).join(', ')}`,
    `Somebody removed or replaced those objects. A night that reads their days mends them; now: ${PROGRAM} backfill --from ${days[0]} --to ${days.at(-1)}`,
  );
}

/** The form in which lib/stack/schedules.ts writes schedules. */
const CRON = /^cron\((\d{1,2}) (\d{1,2}) \* \* \? \*\)$/;

/**
 * The next time of each schedule that is deployed and switched on, and when the night starts. None of these is a
 * failure, unless the settings want none.
 */
async function scheduleLines(
  client: SchedulerClient,
  { group, nowMs, isNightWanted }: { group: string; nowMs: number; isNightWanted: boolean },
): Promise<{ lines: CheckLine[]; nightMs: number | undefined }> {
  const lines: CheckLine[] = [];
  const next: { name: string; atMs: number }[] = [];
  try {
    for (const name of [NIGHTLY, TOKEN_REVIEW]) {
      const found = await client
        .send(new GetScheduleCommand({ GroupName: group, Name: `${group}-${name}` }))
        .catch((error: unknown) => {
          if (error instanceof ResourceNotFoundException) return undefined;
          throw error;
        });
      if (found === undefined) continue;
      const atMs = nextOf(found.ScheduleExpression ?? '', nowMs);
      if (found.State === 'DISABLED') {
        lines.push(
          warning(
            'schedules',
            `${name} is switched off`,
            'Somebody switched it off by hand. Switch it on in the console.',
          ),
        );
      } else if (atMs !== undefined) next.push({ name, atMs });
    }
  } catch (error) {
    return { lines: [notSeen('schedules', error, 'OperatorPolicy')], nightMs: undefined };
  }
  next.sort((a, b) => a.atMs - b.atMs);
  const nightMs = next.find(({ name }) => name === NIGHTLY)?.atMs;
  const moments = next.map(
    ({ name, atMs }) => `${name} ${uruguayDateTime(atMs).replace('T', ' ').slice(0, 16)}`,
  );
  if (moments.length > 0) lines.unshift(ok('schedules', `${moments.join(', ')} (Uruguay)`));
  if (nightMs === undefined)
    lines.push(
      isNightWanted
        ? failure(
            'schedules',
            'no nightly run is due: nothing will be exported',
            `Switch the schedule ${NIGHTLY} on in the console. If it is gone, or is off in the settings: ${DEPLOY}`,
          )
        : warning(
            'schedules',
            'no nightly run is due: the settings switch it off',
            `If that is not meant: ${changeSetting('nightly', '02:00')}.`,
          ),
    );
  return { lines, nightMs };
}

/** The next time at which the expression fires, in Uruguayan time; undefined if it is not one of ours. */
export function nextOf(expression: string, nowMs: number): number | undefined {
  const [, minute = '', hour = ''] = CRON.exec(expression) ?? [];
  if (minute === '' || hour === '') return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}:00`;
  // Clocks in Uruguay differ from UTC by the same all year.
  const offsetMs = Date.parse(`${uruguayDateTime(nowMs)}Z`) - Math.floor(nowMs / 1000) * 1000;
  const today = uruguayDay(nowMs);
  const [todayMs, tomorrowMs] = [today, addDays(today, 1)].map(
    (day) => Date.parse(`${day}T${time}Z`) - offsetMs,
  );
  return todayMs !== undefined && todayMs > nowMs ? todayMs : tomorrowMs;
}
