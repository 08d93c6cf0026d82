import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { TROUBLE_QUERY } from '../../lib/stack/monitoring/log-queries.ts';
import { unauthorized } from '../../sandbox/answer.ts';
import { type Emulator, REGION, workersOf } from './emulator.ts';
import { deleteBucket, leftInAccount, objectsIn } from './left.ts';
import type { Logs } from './logs.ts';
import { ended, expectSame, PlayFailedError } from './process.ts';
import { askAthena, askQuery, compareWithService, tablesOf } from './questions.ts';
import { callOften, deliverTwice, nightlySchedules, schedulesOf } from './runs.ts';
import type { Service } from './service.ts';
import {
  askByQuery,
  clientFor,
  type Deployer,
  elementOf,
  LOGIN_SECRET,
  type Person,
  SECRET,
  TOKENS_SECRET,
} from './stack.ts';
import { ServiceTruth } from './truth.ts';

export interface Stage {
  deployer: Deployer;
  emulator: Emulator;
  service: Service;
  truth: ServiceTruth;
  logs: Logs;
  /** The day in Uruguay, this many before the one on which the test began. */
  daysAgo(days: number): string;
  /** The second at which the test began, in UTC. */
  startedAt: string;
  /** Made with the secret. */
  companiesFile: string;
}

interface Played {
  /** What was seen, for whoever reads the output. */
  summary?: string;
  /** Warnings and errors that the play has provoked. */
  provoked?: readonly RegExp[];
}

type Plays = Readonly<Record<string, (stage: Stage) => Promise<Played>>>;

/** What the emulator can't tell. */
export const UNSEEN: readonly string[] = [
  'that schedules fire at their times, in the time zone of Uruguay, and fill in their context attributes',
  "run records: the emulator's ResultWriter writes none of them as AWS does",
  'keys of KMS, a VPC, quotas, throttling, and what it costs',
  'that memory has a limit: a worker was given too small a heap',
  'alarms that go off, their e-mails, and the real Athena: here it is DuckDB',
];

/** Receipts that the service does not show before the night. */
const LATE = 3;
/** Of which company of the sandbox, and how many days ago. */
const LATE_COMPANY = 2;
const LATE_DAYS_AGO = 2;

/** From an empty account to a week of receipts. */
export const setUp: Plays = {
  'bootstrap, deploy, over the stack of the last landing': async (stage) => {
    const { deployer, service, logs } = stage;
    const { companies } = service;
    for (const { token } of service.sandbox.companies) logs.secrets.add(token);
    await deployer.cdk(['bootstrap']);
    await deployer.deployLastLanding();
    const [bucket, policy] = [await deployer.output('LakeBucket'), await deployer.output('OperatorPolicy')];
    await deployer.makeRole('earlier-operators', policy);
    await deployer.deploy({ apiAddress: service.address });
    expectSame('the lake after the upgrade', await deployer.output('LakeBucket'), bucket);
    await deployer.dropRole('earlier-operators', policy);
    stage.companiesFile = await deployer.createSecret(
      service.address,
      companies.map(({ rut, token }) => ({ rut, token })),
    );
    return { summary: `${companies.length} companies in the secret` };
  },

  check: async ({ deployer, service }) => {
    const words = ['check', '--json', '--rut', firstRut(service)];
    const { lines } = JSON.parse(ended('check', await deployer.cli(words)));
    const states = lines.map(({ check, state }: Record<string, string>) => `${check} ${state}`);
    expectSame('check', states, [
      'stack ok',
      'secret ok',
      'tokens ok',
      'api ok',
      'tables ok',
      'athena ok',
      'bucket ok',
      // Nobody receives them here.
      'alarms warning',
      'schedules ok',
    ]);
    return {};
  },

  'a week of four companies': async (stage) => {
    const { service, daysAgo, deployer } = stage;
    const hidden = { rut: service.sandbox.companies[LATE_COMPANY]?.rut, day: daysAgo(LATE_DAYS_AGO) };
    service.sandbox.behave({
      hidden: ({ rut, direction, day }) =>
        direction === 'recibidos' && rut === hidden.rut && day === hidden.day
          ? [{ start: 0, end: LATE }]
          : [],
    });
    const summary = await backfill(stage, WEEK);
    return {
      summary: `${summary}; ${await compareWithService(await tablesOf(deployer), stage.truth, daysOf(stage, WEEK))}`,
    };
  },
};

/** A company with receipts on every day. */
function firstRut({ sandbox }: Service): string {
  return sandbox.companies[0]?.rut ?? '';
}

/** Days ago, of the first and the last day. */
type Days = readonly [from: number, to: number];
const WEEK: Days = [7, 1];
const WEEK_BEFORE: Days = [14, 8];
const YESTERDAY: Days = [1, 1];
/** Read with the login's tokens. */
const WEEK_OF_LOGIN: Days = [22, 16];

function daysOf({ daysAgo }: Pick<Stage, 'daysAgo'>, [from, to]: Days): { from: string; to: string } {
  return { from: daysAgo(from), to: daysAgo(to) };
}

/** Returns what `backfill` tells of the run's end: the units by what became of them, and those that failed. */
async function backfill(
  { deployer, daysAgo }: Pick<Stage, 'deployer' | 'daysAgo'>,
  [from, to]: Days,
  { words = [], code = 0, person }: { words?: readonly string[]; code?: number; person?: Person } = {},
): Promise<string> {
  const days = ['--from', daysAgo(from), '--to', daysAgo(to)];
  const printed = ended('backfill', await deployer.cli(['backfill', ...days, ...words], person), code);
  return (/^(?:SUCCEEDED|FAILED): .*?(?=\nQuery it:)/ms.exec(printed)?.[0] ?? printed).replaceAll(
    /\s+/g,
    ' ',
  );
}

const FOLDERS = ['unidades', 'recibidos', 'emitidos', 'recibidos_detalle', 'emitidos_detalle', 'cambios'];

/** Exports days that the lake has. Throws PlayFailedError if that writes a unit or a day. */
async function backfillAgain(stage: Stage, days: Days): Promise<string> {
  const { deployer } = stage;
  const bucket = await deployer.output('LakeBucket');
  const before = await objectsIn(deployer.root, bucket, FOLDERS);
  const summary = await backfill(stage, days);
  if (!summary.includes('exportado 0,')) throw new PlayFailedError(`The same days again: ${summary}`);
  expectSame('objects of the lake', await objectsIn(deployer.root, bucket, FOLDERS), before);
  return summary;
}

/** What happens to a stack that has a week. */
export const PLAYS: Plays = {
  'the same week again': async (stage) => ({ summary: await backfillAgain(stage, WEEK) }),

  'a night, each event delivered twice': async (stage) => {
    const { deployer, service, daysAgo, startedAt } = stage;
    service.sandbox.behave({ hidden: () => [] });
    const schedules = await nightlySchedules(deployer);
    if (schedules.length === 0) throw new PlayFailedError('No schedule starts a run each night.');
    // Not a fixed hour of today: at midnight it would lie ahead, and no event of the future starts a run.
    for (const schedule of schedules) await deliverTwice(deployer, schedule, startedAt);
    const tables = await tablesOf(deployer);
    const changes = `SELECT count(*) AS n FROM cambios WHERE fecha_corrida >= DATE '${daysAgo(2)}'`;
    expectSame('changes', await askQuery(deployer, tables.lake, changes), [{ n: LATE }]);
    expectSame('changes in Athena', await askAthena(deployer.root, tables, changes), [[String(LATE)]]);
    const compared = await compareWithService(tables, stage.truth, daysOf(stage, WEEK));
    return {
      summary: `${schedules.map(({ name }) => name).join(', ')}; ${LATE} late receipts in cambios; ${compared}`,
    };
  },

  'changed settings, deployed': async (stage) => {
    const { deployer, service, logs } = stage;
    await writeCompaniesOfLogin(stage);
    const checked = ended('check', await deployer.cli(['check']), 1);
    if (!checked.includes('"login": true'))
      throw new PlayFailedError(`check does not say what to set: ${checked}`);
    const { address, companies, sandbox } = service;
    await deployer.writeSecret(SECRET, { api: address, companies });
    const { username, password } = sandbox.login;
    logs.secrets.add(password);
    const login = { tokenUrl: `${address}/token`, username, password };
    await deployer.writeSecret(LOGIN_SECRET, login, { isNew: true });
    const before = await schedulesOf(deployer);
    await deployer.deploy({ nightlyDays: 4, login: true, details: 'recibidos,emitidos' });
    const after = await schedulesOf(deployer);
    const changed = after.filter(({ name, input }) =>
      before.some((event) => event.name === name && event.input !== input),
    );
    if (changed.length === 0 || !changed.every(({ input }) => /:4\b/.test(input)))
      throw new PlayFailedError('nightlyDays=4 is in no schedule.');
    if (!/no changes/.test(await deployer.deploy()))
      throw new PlayFailedError('A second deployment changes something.');
    // The other risks are those of risky-changes.test.ts.
    const risk = 'bucketName=another';
    const refused = await deployer.cdk(['deploy', '--require-approval', 'never', '-c', risk], 1);
    if (!refused.includes('Nothing was deployed.')) throw new PlayFailedError(`${risk} was not refused.`);
    return { summary: changed.map(({ name }) => name).join(', ') };
  },

  'details, which are switched on': async (stage) => {
    const { deployer, truth } = stage;
    await backfill(stage, YESTERDAY);
    return {
      summary: await compareWithService(await tablesOf(deployer), truth, {
        ...daysOf(stage, YESTERDAY),
        withDetails: true,
      }),
    };
  },

  'a worker killed in mid-run': async (stage) => {
    const { emulator, service } = stage;
    const rut = firstRut(service);
    let requests = 0;
    let killed: Promise<number> | undefined;
    service.sandbox.behave({
      intercept: (request, usual) => {
        requests += 1;
        // Some pages into the worker's reading.
        if (requests === 20) killed = killWorkers(emulator);
        return usual(request);
      },
    });
    const summary = await backfill(stage, WEEK_BEFORE, { words: ['--rut', rut] });
    service.sandbox.behave({ intercept: (request, usual) => usual(request) });
    // That which was reading, and those that waited for another company.
    if (!(await killed)) throw new PlayFailedError('No worker was killed.');
    await backfill(stage, WEEK_BEFORE);
    const seen = await compareWithService(
      await tablesOf(stage.deployer),
      stage.truth,
      daysOf(stage, WEEK_BEFORE),
    );
    return { summary: `${summary}; ${seen}`, provoked: [DIED] };
  },

  'a worker without memory': async (stage) => {
    const { deployer, service } = stage;
    const rut = firstRut(service);
    const days: Days = [15, 15];
    const healthy = await setNodeOptions(deployer, EXPORT_COMPANY, HEAP_TOO_SMALL);
    const failed = await backfill(stage, days, { words: ['--rut', rut], code: 1 });
    await setNodeOptions(deployer, EXPORT_COMPANY, healthy);
    const named = failed.split(stage.daysAgo(15)).length - 1;
    if (!failed.startsWith('FAILED') || named !== 2) throw new PlayFailedError(`Without memory: ${failed}`);
    const summary = await backfill(stage, days);
    return {
      summary: `both its units failed by name; then ${summary}`,
      provoked: [DIED, /heap out of memory/],
    };
  },

  'a token that ends in mid-run, renewed by the login': async (stage) => {
    const { deployer, service, logs } = stage;
    const { sandbox, address } = service;
    const renew = async () => await callOften(deployer, RENEW_TOKENS);
    await writeCompaniesOfLogin(stage);
    sandbox.behave({ tokenSeconds: HOUR_S });
    expectSame('the first token', await renew(), { renewed: 1 });
    expectSame('a token that is new', await renew(), { renewed: 0 });
    const before = await waitAsLong(deployer, 40 * 60_000);

    let requests = 0;
    let renewal: Promise<void> | undefined;
    let renewed: unknown;
    const answered = new Map<string, number>();
    const isOld = (authorization: string) => authorization === `Bearer ${before}`;
    service.beforeEach = (authorization) => {
      requests += 1;
      logs.secrets.add(authorization.replace('Bearer ', ''));
      // Some pages into the workers' reading.
      if (requests === 20)
        renewal = renew().then((answer) => {
          renewed = answer;
        });
      const state = !isOld(authorization) ? 'new' : requests < 20 ? 'old' : 'ended';
      answered.set(state, (answered.get(state) ?? 0) + 1);
      return renewal;
    };
    sandbox.behave({
      intercept: (request, usual) =>
        renewed !== undefined && isOld(request.authorization ?? '')
          ? unauthorized('token expirado')
          : usual(request),
    });
    const summary = await backfill(stage, WEEK_OF_LOGIN);
    sandbox.behave({ intercept: (request, usual) => usual(request) });
    service.beforeEach = () => undefined;
    expectSame('the renewal in mid-run', renewed, { renewed: 1 });
    const seen = ['old', 'ended', 'new'].map((state) => answered.get(state) ?? 0);
    if (!seen.every((count) => count > 0) || !summary.includes('fallido 0'))
      throw new PlayFailedError(
        `Requests with the old token, after its end, with the new one: ${seen}; ${summary}`,
      );

    await readSecretAs(stage, RENEW_TOKENS, LOGIN_SECRET);
    for (const name of ['export-company', 'start-run', 'publish', 'finish-run'])
      await denied(`${name} reading the login`, readSecretAs(stage, name, LOGIN_SECRET));
    await denied('renew-tokens reading the companies', readSecretAs(stage, RENEW_TOKENS, SECRET));
    await deployer.writeSecret(SECRET, { api: address, companies: service.companies });
    const compared = await compareWithService(
      await tablesOf(deployer),
      stage.truth,
      daysOf(stage, WEEK_OF_LOGIN),
    );
    return {
      summary: `${seen.join(', ')} requests with the old token, after its end, with the new one; ${compared}`,
    };
  },

  'parts of a run that nobody sealed': async ({ deployer }) => {
    const tables = await tablesOf(deployer);
    const Bucket = tables.lake.slice('s3://'.length);
    const client = new S3Client(clientFor(deployer.root));
    const rows = async () => await askQuery(deployer, tables.lake, COUNTED_AUDIT);
    const before = await rows();
    const [sealed = ''] = await keysIn(deployer.root, Bucket, 'exportaciones');
    const [, day, id] = /fecha_corrida=([\d-]+)\/(.*)\.parquet$/.exec(sealed) ?? [];
    const part = `.open-runs/${day}/${id}/exportaciones/${FIRST_AND_LAST_RUT}-0a1b2c3d-4e5f.parquet`;
    await client.send(new CopyObjectCommand({ Bucket, Key: part, CopySource: `${Bucket}/${sealed}` }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: sealed }));
    await callOften(deployer, 'publish');
    expectSame('what is left of it', await keysIn(deployer.root, Bucket, '.open-runs'), []);
    expectSame('rows of the audit', await rows(), before);
    return {};
  },

  'a day that somebody removed from a table': async (stage) => {
    const { deployer, daysAgo, truth, service } = stage;
    const tables = await tablesOf(deployer);
    const day = daysAgo(3);
    const Bucket = tables.lake.slice('s3://'.length);
    const client = new S3Client(clientFor(deployer.root));
    // Once their time is over, a publication takes the marks of the runs before this.
    const marks = await keysIn(deployer.root, Bucket, '.lagging');
    for (const Key of [...marks, `recibidos/fecha=${day}/dia.parquet`])
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    const { lines } = JSON.parse(
      ended('check', await deployer.cli(['check', '--json', '--rut', firstRut(service)])),
    );
    const { state, found } = lines.find(({ check }: Record<string, string>) => check === 'tables');
    expectSame('what check names', [state, found], ['warning', `lack what was exported: recibidos ${day}`]);
    const summary = await backfill(stage, [3, 3]);
    if (!summary.includes('exportado 0,')) throw new PlayFailedError(`The same day again: ${summary}`);
    return { summary: `${summary}; ${await compareWithService(tables, truth, daysOf(stage, WEEK))}` };
  },

  'an operator, with OperatorPolicy alone': async (stage) => {
    const { deployer, daysAgo } = stage;
    const { person, leave } = await deployer.person('operator');
    const bucket = await deployer.output('LakeBucket');
    const { lines } = JSON.parse(
      ended('check', await deployer.cli(['check', '--json', '--rut', firstRut(stage.service)], person)),
    );
    const unseen = lines.flatMap(({ check, state }: Record<string, string>) =>
      state === 'ok' ? [] : [check],
    );
    // Athena is the analyst's.
    expectSame('what check does not see', unseen, ['athena', 'alarms']);
    await backfill(stage, YESTERDAY, { person });
    ended('runs', await deployer.cli(['runs'], person));
    await readObject(person, bucket, 'cobertura/index.html');
    const rates = join(dirname(stage.companiesFile), 'cotizaciones.csv');
    writeFileSync(rates, `Fecha;Moneda;Venta\n${daysAgo(2)};USD;39,85\n${daysAgo(1)};USD;39,9\n`);
    for (const added of [2, 0]) {
      const kept = await deployer.cli(['rates', rates, '--lake', `s3://${bucket}`, '--json'], person);
      expectSame('rates added', JSON.parse(ended('rates', kept)).added, added);
    }
    await followRunbook(stage, person, bucket);
    const sql = `SELECT count(*) FROM recibidos WHERE fecha = DATE '${daysAgo(1)}'`;
    await refused('query', deployer.cli(['query', '--lake', `s3://${bucket}`, sql], person));
    await denied('reading a token', readSecret(person, SECRET));
    await denied('reading the login', readSecret(person, LOGIN_SECRET));
    await denied("reading the login's token", readSecret(person, TOKENS_SECRET));
    await denied('reading a unit', readObject(person, bucket, await aUnit(deployer.root, bucket)));
    await leave();
    return {};
  },

  'an analyst, with AnalystPolicy alone': async (stage) => {
    const { deployer, daysAgo, companiesFile, service } = stage;
    const { person, leave } = await deployer.person('analyst');
    const tables = await tablesOf(deployer);
    const bucket = tables.lake.slice('s3://'.length);
    const onLake = ['--lake', tables.lake];
    const days = ['--from', daysAgo(7), '--to', daysAgo(1)];
    const sql = `SELECT count(*) AS n FROM recibidos WHERE fecha BETWEEN DATE '${daysAgo(7)}' AND DATE '${daysAgo(1)}'`;
    const [row] = await askQuery(deployer, tables.lake, sql, person);
    expectSame('an answer of Athena', await askAthena(person, tables, sql), [[String(row?.n)]]);
    ended(
      'missing',
      await deployer.cli(['missing', ...onLake, ...days, '--companies', companiesFile], person),
    );
    ended('coverage', await deployer.cli(['coverage', ...onLake, ...days], person));
    const rut = firstRut(service);
    const month = daysAgo(7).slice(0, 7);
    const report = await deployer.cli(
      ['report', ...onLake, '--rut', rut, '--month', month, '--json'],
      person,
    );
    // 1: the month is not complete.
    expectSame('report', JSON.parse(ended('report', report, report.code === 0 ? 0 : 1)).rut, rut);
    await refused('backfill', deployer.cli(['backfill', ...days], person));
    await denied('reading a token', readSecret(person, SECRET));
    await denied('reading the login', readSecret(person, LOGIN_SECRET));
    await denied("reading the login's token", readSecret(person, TOKENS_SECRET));
    await denied('reading a unit', readObject(person, bucket, await aUnit(deployer.root, bucket)));
    await leave();
    return {};
  },

  'verify, over all that was read': async ({ deployer, daysAgo, companiesFile }) => {
    const lake = `s3://${await deployer.output('LakeBucket')}`;
    const days = ['--from', daysAgo(15), '--to', daysAgo(1)];
    ended('verify', await deployer.cli(['verify', '--lake', lake, '--companies', companiesFile, ...days]));
    return {};
  },

  'destroy with a kept bucket, and the return to it': async (stage) => {
    const { deployer, truth } = stage;
    const bucket = await deployer.output('LakeBucket');
    await deployer.destroy();
    expectSame('what is left', await leftInAccount(deployer.root), [`bucket ${bucket}`]);
    const { Policy = '' } = await new S3Client(clientFor(deployer.root)).send(
      new GetBucketPolicyCommand({ Bucket: bucket }),
    );
    if (!Policy.includes('aws:SecureTransport'))
      throw new PlayFailedError('The kept bucket answers plain HTTP.');
    await deployer.deploy({ bucketName: bucket, details: undefined });
    const { lines } = JSON.parse(ended('check', await deployer.cli(['check', '--json'])));
    const ofBucket = lines.find(({ check }: Record<string, string>) => check === 'bucket');
    expectSame('check of the kept bucket', ofBucket?.state, 'ok');
    const summary = await backfillAgain(stage, WEEK);
    const seen = await compareWithService(await tablesOf(deployer), truth, daysOf(stage, WEEK));
    await deployer.destroy();
    await deleteBucket(deployer.root, bucket);
    return { summary: `${summary}; ${seen}` };
  },

  'two hundred companies in one night, and a destroy that leaves nothing': async (stage) => {
    const { deployer, service, daysAgo, startedAt } = stage;
    const { companies } = service.sandbox;
    await deployer.deploy({ bucketName: undefined, removalPolicy: 'destroy' });
    // As decision 7 has it: one secret is too small.
    const added = Map.groupBy(companies.slice(4), ({ rut }) => `${SECRET}/${rut.slice(0, 2)}`);
    for (const [name, members] of added)
      await deployer.writeSecret(
        name,
        { companies: members.map(({ rut, token }) => ({ rut, token })) },
        { isNew: true },
      );
    const [night] = await nightlySchedules(deployer);
    if (night === undefined) throw new PlayFailedError('No schedule starts a run each night.');
    const earlier = new Date(Date.parse(startedAt) - 3_600_000).toISOString().replace('.000Z', 'Z');
    const beganMs = performance.now();
    await deliverTwice(deployer, night, earlier);
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    const truth = new ServiceTruth(service.address, companies);
    const compared = await compareWithService(await tablesOf(deployer), truth, {
      from: daysAgo(2),
      to: daysAgo(1),
    });
    await deployer.destroy();
    for (const name of added.keys()) await deployer.removeSecret(name);
    expectSame('what is left', await leftInAccount(deployer.root), []);
    return { summary: `${companies.length} companies in ${seconds} s; ${compared}` };
  },
};

/** The companies' secret without a token of their own. */
async function writeCompaniesOfLogin({ deployer, service }: Stage): Promise<void> {
  const companies = service.companies.map(({ rut }) => ({ rut }));
  await deployer.writeSecret(SECRET, { api: service.address, companies });
}

/** What docs/runbook.md says to do, line by line, as far as it is an operator's. */
async function followRunbook(
  { deployer, service, daysAgo, companiesFile }: Stage,
  person: Person,
  bucket: string,
): Promise<void> {
  const watch = async (form: Record<string, string>) =>
    await askByQuery(person, 'monitoring', { Version: '2010-08-01', ...form });
  await watch({ Action: 'GetDashboard', DashboardName: `cfe-lake-${REGION}` });
  for (const StateValue of ['ALARM', 'OK'])
    await watch({
      Action: 'SetAlarmState',
      AlarmName: 'cfe-lake-RunFailed',
      StateReason: 'a try',
      StateValue,
    });
  const logs = new CloudWatchLogsClient(clientFor(person));
  const { queryId } = await logs.send(
    new StartQueryCommand({
      logGroupNames: ['start-run', 'export-company', 'publish', 'finish-run'].map(
        (name) => `/aws/lambda/cfe-lake-${name}`,
      ),
      queryString: TROUBLE_QUERY.text,
      startTime: 0,
      endTime: Math.floor(Date.now() / 1000),
    }),
  );
  await logs.send(new GetQueryResultsCommand({ queryId }));

  const audit = `SELECT count(*) AS n FROM exportaciones WHERE fecha_corrida >= DATE '${daysAgo(1)}'`;
  const [row] = await askQuery(deployer, `s3://${bucket}`, audit, person);
  if (Number(row?.n) === 0) throw new PlayFailedError('The audit has no rows.');
  const days = ['--from', daysAgo(2), '--to', daysAgo(1)];
  const words = ['missing', '--lake', `s3://${bucket}`, ...days, '--companies', companiesFile];
  ended('missing', await deployer.cli(words, person));
  const { address, companies } = service;
  const secret = { api: address, companies: companies.map(({ rut, token }) => ({ rut, token })) };
  await deployer.writeSecret(SECRET, secret, { as: person });

  const queue = async (form: Record<string, string>) =>
    await askByQuery(person, 'sqs', { Version: '2012-11-05', ...form });
  const found = await queue({ Action: 'GetQueueUrl', QueueName: 'cfe-lake-runs-not-started' });
  const QueueUrl = elementOf(found, 'QueueUrl');
  await queue({ Action: 'ReceiveMessage', QueueUrl, VisibilityTimeout: '0' });
  await queue({ Action: 'PurgeQueue', QueueUrl });
}

/** What a worker says of the one before it. */
const DIED = /"message":"[^"]*\bdied\b/;
const EXPORT_COMPANY = 'cfe-lake-export-company';
/** Enough to load the program, not to read a day. */
const HEAP_TOO_SMALL = '--max-old-space-size=14';

/** Kills the processes that run the exporter, as Lambda does with one that takes too much. Returns how many. */
async function killWorkers(emulator: Emulator): Promise<number> {
  const workers = await workersOf(emulator, EXPORT_COMPANY);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}

/** Sets a function's NODE_OPTIONS. Returns what they were. */
async function setNodeOptions(
  { root }: Deployer,
  FunctionName: string,
  options: string | undefined,
): Promise<string | undefined> {
  const client = new LambdaClient(clientFor(root));
  const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const { NODE_OPTIONS, ...others } = Environment?.Variables ?? {};
  const Variables = options === undefined ? others : { ...others, NODE_OPTIONS: options };
  await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
  await waitUntilFunctionUpdatedV2({ client, maxWaitTime: 60 }, { FunctionName });
  return NODE_OPTIONS;
}

const RENEW_TOKENS = 'renew-tokens';
const HOUR_S = 3600;

/**
 * Makes the login's tokens look as they do after a time: they came and end that much earlier. Returns the token of all
 * companies.
 */
async function waitAsLong(deployer: Deployer, ms: number): Promise<string> {
  const { tokens } = JSON.parse(await readSecret(deployer.root, TOKENS_SECRET));
  const [first] = tokens;
  const aged = { ...first, issuedAtMs: first.issuedAtMs - ms, endsAtMs: first.endsAtMs - ms };
  await deployer.writeSecret(TOKENS_SECRET, { tokens: [aged] });
  return first.token;
}

const COUNTED_AUDIT =
  "SELECT corrida, count(*) AS n FROM exportaciones WHERE fecha_corrida >= DATE '2000-01-01' GROUP BY corrida ORDER BY corrida";
const FIRST_AND_LAST_RUT = '000000000000-999999999999';

async function keysIn(root: Person, bucket: string, folder: string): Promise<string[]> {
  const objects = await objectsIn(root, bucket, [folder]);
  return objects.map((object) => object.split(' ')[0] ?? '');
}

/** Reads a secret as one of the stack's functions may. */
async function readSecretAs({ deployer }: Stage, functionName: string, secret: string): Promise<void> {
  const { person, leave } = await deployer.personLike(`cfe-lake-${functionName}`);
  await readSecret(person, secret).finally(leave);
}

async function readSecret(person: Person, SecretId: string): Promise<string> {
  const client = new SecretsManagerClient(clientFor(person));
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

async function readObject(person: Person, Bucket: string, Key: string): Promise<void> {
  const { Body } = await new S3Client(clientFor(person)).send(new GetObjectCommand({ Bucket, Key }));
  await Body?.transformToByteArray();
}

async function aUnit(root: Person, bucket: string): Promise<string> {
  const [unit = ''] = await keysIn(root, bucket, 'unidades');
  return unit;
}

/** Throws PlayFailedError unless AWS denies it. */
async function denied(what: string, asked: Promise<unknown>): Promise<void> {
  const name = await asked.then(
    () => 'nothing',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  if (!/^AccessDenied/.test(name)) throw new PlayFailedError(`${what}: ${name}, not AccessDenied.`);
}

/** Throws PlayFailedError unless the command says that AWS denied it. */
async function refused(what: string, asked: Promise<{ code: number; stderr: string }>): Promise<void> {
  const { code, stderr } = await asked;
  if (code === 0 || !/AccessDenied/.test(stderr))
    throw new PlayFailedError(`${what} was not refused: ${code}, ${stderr}`);
}
