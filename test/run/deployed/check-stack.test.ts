import { readFileSync } from 'node:fs';
import { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } from '@aws-sdk/client-athena';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { GetScheduleCommand, ResourceNotFoundException, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckLine } from '../../../lib/run/deployed/check-stack.ts';
import { checkStack } from '../../../lib/run/deployed/check-stack.ts';
import { describedStack, lambdaPayload, STACK_OUTPUTS } from '../../support/aws/stack-answers.ts';
import { HurriedClock } from '../../support/fake-clock.ts';

const CHECKED = {
  empresas: 1,
  problemas: [],
  vencimientos: [],
  sin_vencimiento: 1,
  lectura: { rut: '219999830019', fecha: '2026-11-19', recibidos: 5, emitidos: 2, incompleta: false },
  sin_publicar: [] as string[],
};

const cloudFormation = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const athena = mockClient(AthenaClient);
const sns = mockClient(SNSClient);
const scheduler = mockClient(SchedulerClient);
const s3 = mockClient(S3Client);
const mocks = [cloudFormation, lambda, athena, sns, scheduler, s3];
afterAll(() => {
  for (const mock of mocks) mock.restore();
});

const schedule = (name: string, ScheduleExpression: string, State: 'ENABLED' | 'DISABLED' = 'ENABLED') =>
  scheduler
    .on(GetScheduleCommand, { GroupName: 'cfe-lake', Name: `cfe-lake-${name}` })
    .resolves({ ScheduleExpression, State });

const TLS = { Bool: { 'aws:SecureTransport': 'false' } };

/** The policy of a bucket that refuses plain HTTP, with another one of its statement's parts. */
const bucketPolicy = (changed: object = {}) => {
  const Statement = {
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: 's3:*',
    Resource: ['arn:aws:s3:::a-bucket', 'arn:aws:s3:::a-bucket/*'],
    Condition: TLS,
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ ...Statement, ...changed }] });
};

beforeEach(() => {
  for (const mock of mocks) mock.reset();
  lambda.on(InvokeCommand).resolves({ Payload: lambdaPayload(CHECKED) });
  athena.on(StartQueryExecutionCommand).resolves({ QueryExecutionId: 'q' });
  athena
    .on(GetQueryExecutionCommand)
    .resolvesOnce({ QueryExecution: { Status: { State: 'QUEUED' } } })
    .resolves({ QueryExecution: { Status: { State: 'SUCCEEDED' } } });
  s3.on(GetBucketPolicyCommand, { Bucket: 'a-bucket' }).resolves({ Policy: bucketPolicy() });
  sns.on(ListSubscriptionsByTopicCommand).resolves({
    Subscriptions: [{ SubscriptionArn: 'arn:aws:sns:us-east-1:123456789012:topic:1' }],
  });
  scheduler
    .on(GetScheduleCommand)
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'no', Message: 'no' }));
  schedule('nocturna', 'cron(0 2 * * ? *)');
  schedule('revision-tokens', 'cron(0 18 * * ? *)');
});

interface Deployed {
  outputs?: Readonly<Record<string, string>>;
  status?: StackStatus;
}

async function check({ outputs = STACK_OUTPUTS, status = 'UPDATE_COMPLETE' }: Deployed = {}, rut?: string) {
  cloudFormation
    .on(DescribeStacksCommand, { StackName: 'cfe-lake' })
    .resolves(describedStack(outputs, status));
  // 2026-11-20 at 06:00 in Uruguay.
  const clock = new HurriedClock();
  return await Array.fromAsync(checkStack({ stackName: 'cfe-lake', rut, clock }));
}

const lineOf = async (name: string) => (await check()).find(({ check: checkName }) => checkName === name);
const linesFrom = async (name: string, deployed?: Deployed) => {
  const lines = await check(deployed);
  return lines.slice(lines.findIndex(({ check: checkName }) => checkName === name));
};

const states = (lines: readonly CheckLine[]) =>
  lines.map(({ check: checkName, state }) => `${checkName} ${state}`);

describe('checkStack', () => {
  it('finds a stack ready: secret, tokens, API, Athena, alarms and the next runs', async () => {
    const lines = await check();
    expect(states(lines)).toEqual([
      'stack ok',
      'secret ok',
      'tokens ok',
      'api ok',
      'tables ok',
      'athena ok',
      'bucket ok',
      'alarms ok',
      'schedules ok',
    ]);
    expect(lines[0]?.found).toBe(
      'cfe-lake in account 123456789012, region us-east-1: UPDATE_COMPLETE; lake s3://a-bucket',
    );
    expect(lines.at(-1)?.found).toBe('revision-tokens 2026-11-20 18:00, nocturna 2026-11-21 02:00 (Uruguay)');
    expect(lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input)).toEqual([
      { FunctionName: 'cfe-lake-start-run', Payload: '{"comprobar":{}}' },
    ]);
    expect(athena.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input).toMatchObject({
      WorkGroup: 'cfe-lake',
      QueryExecutionContext: { Database: 'cfe_lake' },
    });
  });

  it('names days of tables that lack what was exported, and how to mend them', async () => {
    const names = ['02', '09', '05', '06', '07', '08'].map((day) => `recibidos 2026-11-${day}`);
    lambda.on(InvokeCommand).resolves({ Payload: lambdaPayload({ ...CHECKED, sin_publicar: names }) });
    const line = await lineOf('tables');
    expect(line).toMatchObject({ state: 'warning' });
    expect(line?.found).toBe(`lack what was exported: ${names.slice(0, 5).join(', ')}, and 1 more`);
    expect(line?.todo).toMatch(/backfill --from 2026-11-02 --to 2026-11-09$/);
  });

  it('reads the company that is named', async () => {
    await check({}, '219999830019');
    expect(lambda.commandCalls(InvokeCommand)[0]?.args[0].input.Payload).toBe(
      '{"comprobar":{"rut":"219999830019"}}',
    );
  });

  it('goes on after what start-run says is wrong', async () => {
    const errorMessage = 'There is no secret named cfe-lake/companies. Create it: …';
    lambda
      .on(InvokeCommand)
      .resolves({ FunctionError: 'Unhandled', Payload: lambdaPayload({ errorMessage }) });
    const lines = await check();
    expect(lines[1]).toMatchObject({ check: 'secret', state: 'failure', found: errorMessage });
    expect(states(lines).slice(2)).toEqual(['athena ok', 'bucket ok', 'alarms ok', 'schedules ok']);
  });

  it('says what Athena says, and gives up after a minute', async () => {
    athena.on(GetQueryExecutionCommand).resolves({
      QueryExecution: {
        Status: { State: 'FAILED', StateChangeReason: 'Insufficient Lake Formation permission(s)' },
      },
    });
    expect(await lineOf('athena')).toMatchObject({
      state: 'failure',
      found: 'Insufficient Lake Formation permission(s)',
      todo: expect.stringContaining('Lake Formation'),
    });
    athena.on(GetQueryExecutionCommand).resolves({ QueryExecution: { Status: { State: 'RUNNING' } } });
    expect(await lineOf('athena')).toMatchObject({ state: 'failure', found: 'no answer within a minute' });
    const refusal = Object.assign(new Error('no such workgroup'), { name: 'InvalidRequestException' });
    athena.on(StartQueryExecutionCommand).rejects(refusal);
    const found = 'InvalidRequestException: no such workgroup';
    expect(await lineOf('athena')).toMatchObject({ state: 'failure', found });
  });

  it.each([
    [[], [], 'nobody receives them', 'alarmEmail'],
    [['PendingConfirmation'], ['PendingConfirmation'], 'nobody has confirmed them', 'confirm it'],
    [['arn'], ['PendingConfirmation'], 'nobody has confirmed those for the morning', 'confirm it'],
    [[], ['arn'], 'nobody receives the urgent ones', 'alarmEmail'],
  ])('warns of alarms whose subscribers are %j and %j', async (urgent, morning, found, todo) => {
    for (const [TopicArn, arns] of [
      ['arn:topic', urgent],
      ['arn:morning', morning],
    ] as const)
      sns
        .on(ListSubscriptionsByTopicCommand, { TopicArn })
        .resolves({ Subscriptions: arns.map((SubscriptionArn) => ({ SubscriptionArn })) });
    expect(await lineOf('alarms')).toMatchObject({
      state: 'warning',
      found,
      todo: expect.stringContaining(todo),
    });
  });

  it('warns of a schedule that is switched off, and fails without the nightly one', async () => {
    schedule('revision-tokens', 'cron(0 18 * * ? *)', 'DISABLED');
    expect(await linesFrom('schedules')).toMatchObject([
      { state: 'ok', found: expect.stringMatching(/^nocturna/) },
      { state: 'warning', found: 'revision-tokens is switched off' },
    ]);
    schedule('nocturna', 'cron(0 2 * * ? *)', 'DISABLED');
    const found = expect.stringMatching(/^no nightly run is due/);
    expect(await linesFrom('schedules')).toMatchObject([
      { state: 'warning', found: 'nocturna is switched off' },
      { state: 'warning', found: 'revision-tokens is switched off' },
      { state: 'failure', found },
    ]);
    scheduler.reset();
    scheduler
      .on(GetScheduleCommand)
      .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'no', Message: 'no' }));
    // Somebody may have deleted them: only the deployed settings can say that none is wanted.
    expect(await linesFrom('schedules')).toMatchObject([{ state: 'failure', found }]);
    expect(await linesFrom('schedules', { outputs: { ...STACK_OUTPUTS, NightlyRuns: 'off' } })).toMatchObject(
      [{ state: 'warning', found, todo: expect.stringContaining('"nightly": "02:00"') }],
    );
  });

  it('warns of checks that it may not make, and names the policy that allows them', async () => {
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    athena.on(StartQueryExecutionCommand).rejects(denied);
    sns
      .on(ListSubscriptionsByTopicCommand)
      .rejects(Object.assign(new Error('no'), { name: 'AuthorizationErrorException' }));
    scheduler.on(GetScheduleCommand).rejects(denied);
    s3.on(GetBucketPolicyCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDenied' }));
    const lines = await linesFrom('athena');
    expect(lines.map(({ state }) => state)).toEqual(['warning', 'warning', 'warning', 'warning']);
    expect(lines.map(({ todo }) => /Attach (\w+)/.exec(todo ?? '')?.[1])).toEqual([
      'AnalystPolicy',
      'OperatorPolicy',
      'OperatorPolicy',
      'OperatorPolicy',
    ]);
  });

  it.each([
    ['allows it', bucketPolicy({ Effect: 'Allow' })],
    ['is about one person', bucketPolicy({ Principal: { AWS: 'arn:aws:iam::123456789012:root' } })],
    ['is about one action', bucketPolicy({ Action: 's3:PutObject' })],
    ['is about the bucket alone', bucketPolicy({ Resource: ['arn:aws:s3:::a-bucket'] })],
    ['is about another bucket', bucketPolicy({ Resource: ['arn:aws:s3:::b-bucket/*'] })],
    [
      'has one condition more',
      bucketPolicy({ Condition: { ...TLS, IpAddress: { 'aws:SourceIp': '1.1.1.1' } } }),
    ],
    ['is about TLS itself', bucketPolicy({ Condition: { Bool: { 'aws:SecureTransport': 'true' } } })],
    ['has no condition', bucketPolicy({ Condition: undefined })],
    ['is unreadable', '{'],
  ])('warns of a bucket that answers plain HTTP, since its policy %s', async (_, Policy) => {
    s3.on(GetBucketPolicyCommand).resolves({ Policy });
    expect(await lineOf('bucket')).toMatchObject({
      check: 'bucket',
      state: 'warning',
      found: 'a-bucket answers requests without TLS',
      todo: expect.stringContaining('docs/aws.md'),
    });
  });

  it('warns of a bucket that has no policy', async () => {
    s3.on(GetBucketPolicyCommand).rejects(Object.assign(new Error('no'), { name: 'NoSuchBucketPolicy' }));
    expect(await lineOf('bucket')).toMatchObject({ check: 'bucket', state: 'warning' });
  });

  it('knows the refusal as docs/aws.md writes it', async () => {
    const page = readFileSync('docs/aws.md', 'utf8');
    const [, text = ''] = /```json\n(\{\s+"Effect": "Deny"[\s\S]+?)```/.exec(page) ?? [];
    const Statement = [JSON.parse(text.replaceAll('BUCKET', 'a-bucket'))];
    s3.on(GetBucketPolicyCommand).resolves({ Policy: JSON.stringify({ Statement }) });
    expect(await lineOf('bucket')).toMatchObject({ state: 'ok' });
  });

  it.each([
    ['UPDATE_IN_PROGRESS', /is being updated/],
    ['UPDATE_ROLLBACK_COMPLETE', /did not succeed/],
  ] as const)('warns of a stack that is %s', async (status, todo) => {
    expect((await check({ status }))[0]).toMatchObject({
      state: 'warning',
      todo: expect.stringMatching(todo),
    });
  });
});
