import { Duration, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type * as v from 'valibot';
import {
  LAGGING_FOLDER,
  OPEN_RUNS_FOLDER,
  RUNS_FOLDER,
  SOURCE_FOLDER,
  UNITS_FOLDER,
  unitsFolder,
} from '../../lake/layout.ts';
import { CAMBIOS, EXPORTACIONES, RECEIPT_TABLES } from '../../lake/tables.ts';
import type { LakeEnvironmentSchema } from '../../run/lambda/environment.ts';
import type { WorkerEnvironmentSchema } from '../../run/lambda/export-company.ts';
import type { RenewerEnvironmentSchema } from '../../run/lambda/renew-tokens.ts';
import type { StarterEnvironmentSchema } from '../../run/lambda/start-run.ts';
import { RUN_EVENT_SOURCE, RUN_EVENT_TYPE } from '../../run/run-event.ts';
import type { Bundles } from '../../system/program.ts';
import { explain, explainWildcards, permit } from '../explain.ts';
import { COVERAGE_FOLDER, type LakeBucket } from '../lake-bucket.ts';
import { Naming } from '../naming.ts';
import type { CfeLakeProps } from '../props.ts';
import { LOGIN_SUFFIX, type Settings } from '../settings.ts';
import {
  allowFindingSecrets,
  allowObjects,
  allowReadingSecrets,
  allowReadingTokens,
  allowRenewing,
  type Secrets,
  type TokensOfLogin,
  tokensSecret,
} from './access.ts';
import { ExporterFunction, type ExporterFunctionProps, type Network } from './exporter-function.ts';
import { executionsOf, runWorkflow } from './run-workflow.ts';

/** A value for each variable that a Lambda's schema names; undefined where it isn't set. */
type Variables<Schema extends v.GenericSchema> = Record<keyof v.InferInput<Schema>, string | undefined>;

const READ = ['s3:GetObject'];
const READ_AND_WRITE = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'];
const DELETE = ['s3:DeleteObject'];

/** The memory that the audit of 800,000 units takes, which is read whole (start-run's MAX_UNITS). */
const RUN_MEMORY_MB = 2_048;
/** Most objects are short-lived: a small young generation and a bounded old one keep it within memory. */
const RUN_NODE_OPTIONS = '--max-semi-space-size=8 --max-old-space-size=1600';

const TABLES_OF_RECEIPTS = RECEIPT_TABLES.map(({ name }) => name);
const UNITS_OF_LISTS = ['recibidos', 'emitidos'].map((name) => unitsFolder(name));

/** The longest that Lambda has: what is left then, the next invocation continues with. */
const WORKER_TIMEOUT = Duration.minutes(15);

/** The functions, each with its variables and the least permissions, and the workflow that calls them. */
export class Exporter extends Construct {
  readonly startRun: ExporterFunction;
  readonly exportCompany: ExporterFunction;
  readonly publish: ExporterFunction;
  readonly finishRun: ExporterFunction;
  /** A stack without a login has none. */
  readonly renewTokens: ExporterFunction | undefined;
  readonly stateMachine: StateMachine;
  private readonly common: Pick<ExporterFunctionProps, 'bundles' | 'logRetentionDays'>;
  /** The network of the functions that call the API. */
  private readonly network: Network;
  readonly secrets: Secrets;
  /** The secret of the tokens is empty until the login gives one. */
  private readonly loginTokens: TokensOfLogin | undefined;

  constructor(
    scope: Construct,
    lake: LakeBucket,
    bundles: Bundles,
    settings: Settings,
    { secretKey, ...network }: Network & Pick<CfeLakeProps, 'secretKey'>,
  ) {
    super(scope, 'Exporter');
    this.common = { bundles, logRetentionDays: settings.logRetentionDays };
    this.network = network;
    const { secretName } = settings;
    const login = settings.login === true ? Naming.of(this).withSuffix(LOGIN_SUFFIX) : settings.login;
    this.secrets = { secretName, login, secretKey };
    this.loginTokens = login === undefined ? undefined : { login, tokens: tokensSecret(this, this.secrets) };
    this.renewTokens = this.loginTokens && this.renewTokensOf(this.loginTokens);
    this.exportCompany = this.exportCompanyOf(lake, settings);
    this.publish = this.publishOf(lake);
    this.finishRun = this.finishRunOf(lake);
    this.stateMachine = runWorkflow(new Construct(this, 'Run'), this, lake, settings);
    this.startRun = this.startRunOf(lake, settings);
    this.letPublishSeeRuns();
  }

  functions(): ExporterFunction[] {
    const { startRun, exportCompany, publish, finishRun, renewTokens } = this;
    return [startRun, exportCompany, publish, finishRun, ...(renewTokens ? [renewTokens] : [])];
  }

  /** Adds a policy of its own: the role's is there before the function, and so before the state machine. */
  private letPublishSeeRuns(): void {
    const policy = new Policy(this, 'SeeRuns', { roles: [this.publish.role] });
    const executions = executionsOf(this.stateMachine);
    policy.addStatements(
      new PolicyStatement({ actions: ['states:DescribeExecution'], resources: [executions] }),
    );
    explainWildcards(policy, 'All runs of the one state machine.', [executions]);
  }

  /**
   * It reads and replaces units, and marks their days. It reads the mark of the lake's source, and of days which units
   * they have. It writes its audit as parts of the run, and seals another run's changes. It deletes only parts, and
   * never writes to a table of receipts.
   */
  private exportCompanyOf(lake: LakeBucket, settings: Settings): ExporterFunction {
    const { details } = settings;
    const worker = new ExporterFunction(this, 'ExportCompany', {
      name: 'export-company',
      ...this.common,
      network: this.network,
      description: 'Reads the receipts of one company and replaces its units in the lake',
      memoryMb: settings.workerMemoryMb,
      timeout: WORKER_TIMEOUT,
      environment: {
        API_ADDRESS: settings.apiAddress,
        COMPANIES_SECRET: settings.secretName,
        TOKENS_SECRET: this.loginTokens?.tokens.secretArn,
        LAKE_BUCKET: lake.bucket.bucketName,
        ...sharesOf(settings),
        REQUESTS_PER_COMPANY: String(settings.requestsPerCompany),
        MAX_ROWS_PER_LIST: String(settings.maxRowsPerList),
        MAX_DETAILS_PER_UNIT: String(settings.maxDetailsPerUnit),
        DETAILS: details.length === 0 ? undefined : details.join(','),
      } satisfies Variables<typeof WorkerEnvironmentSchema>,
    });
    allowReadingSecrets(worker.role, this.secrets);
    allowReadingTokens(worker.role, this.loginTokens?.tokens);
    allowObjects(
      worker.role,
      lake,
      [READ_AND_WRITE, [UNITS_FOLDER, CAMBIOS.name, OPEN_RUNS_FOLDER]],
      [['s3:GetObject', 's3:PutObject'], [LAGGING_FOLDER]],
      [READ, [SOURCE_FOLDER, ...TABLES_OF_RECEIPTS]],
    );
    explainNoDeadLetters(worker);
    return worker;
  }

  /** It logs in for the companies without a token, and writes their tokens. It sees neither the lake nor companies. */
  private renewTokensOf(loginTokens: TokensOfLogin): ExporterFunction {
    const renewer = new ExporterFunction(this, 'RenewTokens', {
      name: 'renew-tokens',
      ...this.common,
      network: this.network,
      description: 'Keeps the tokens of the login fresh',
      memoryMb: 256,
      timeout: Duration.minutes(14),
      environment: {
        LOGIN_SECRET: loginTokens.login,
        TOKENS_SECRET: loginTokens.tokens.secretArn,
      } satisfies Variables<typeof RenewerEnvironmentSchema>,
    });
    allowRenewing(renewer.role, loginTokens, this.secrets);
    return renewer;
  }

  /**
   * It makes the receipts' tables from the units, and seals runs that ended before they were sealed. It puts an object
   * among the marks to learn the bucket's time. It deletes only marks, and the parts of these runs.
   */
  private publishOf(lake: LakeBucket): ExporterFunction {
    const publisher = new ExporterFunction(this, 'Publish', {
      name: 'publish',
      ...this.common,
      description: 'Rebuilds the days of the tables whose units changed',
      // For the audit of the largest run. A day takes less than 512 MB.
      memoryMb: RUN_MEMORY_MB,
      timeout: Duration.minutes(15),
      environment: {
        LAKE_BUCKET: lake.bucket.bucketName,
        NODE_OPTIONS: RUN_NODE_OPTIONS,
      } satisfies Variables<typeof LakeEnvironmentSchema> & { NODE_OPTIONS: string },
    });
    allowObjects(
      publisher.role,
      lake,
      [READ_AND_WRITE, [...TABLES_OF_RECEIPTS, EXPORTACIONES.name, CAMBIOS.name]],
      [READ, [UNITS_FOLDER, OPEN_RUNS_FOLDER]],
      [['s3:GetObject', 's3:PutObject'], [LAGGING_FOLDER]],
      [DELETE, [LAGGING_FOLDER, OPEN_RUNS_FOLDER]],
    );
    return publisher;
  }

  /**
   * It seals its run: it adds, reads and removes parts, replaces the run's objects, and reads of units which write they
   * come from. It writes the coverage page, and tells the account's event bus what is new.
   */
  private finishRunOf(lake: LakeBucket): ExporterFunction {
    const counter = new ExporterFunction(this, 'FinishRun', {
      name: 'finish-run',
      ...this.common,
      description:
        'Closes the audit of a run, counts it, writes the coverage page, sends what is new, and fails the run if any unit failed',
      memoryMb: RUN_MEMORY_MB,
      // A usual night takes a minute, sealing the backfill of a thousand companies some minutes.
      timeout: Duration.minutes(15),
      environment: {
        LAKE_BUCKET: lake.bucket.bucketName,
        NODE_OPTIONS: RUN_NODE_OPTIONS,
      } satisfies Variables<typeof LakeEnvironmentSchema> & { NODE_OPTIONS: string },
    });
    allowObjects(
      counter.role,
      lake,
      [READ_AND_WRITE, [EXPORTACIONES.name, CAMBIOS.name, OPEN_RUNS_FOLDER]],
      [READ, UNITS_OF_LISTS],
      [DELETE, [OPEN_RUNS_FOLDER]],
      [['s3:PutObject'], [COVERAGE_FOLDER]],
    );
    permit(counter.role, {
      actions: ['events:PutEvents'],
      resources: [
        Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' }),
      ],
      // The source has several values, one an event, and of none ForAllValues holds.
      conditions: {
        'ForAllValues:StringEquals': { 'events:source': RUN_EVENT_SOURCE },
        Null: { 'events:source': 'false' },
        StringEquals: { 'events:detail-type': RUN_EVENT_TYPE },
      },
    });
    explainNoDeadLetters(counter);
    return counter;
  }

  /**
   * It reads and writes the mark of the lake's source, and reads which units days have, and units of lists. It lists to see
   * whether the lake is empty, and of which days it has objects. It notes which runs are under way, and asks whether
   * they are.
   */
  private startRunOf(lake: LakeBucket, settings: Settings): ExporterFunction {
    const { stateMachineArn } = this.stateMachine;
    const starter = new ExporterFunction(this, 'StartRun', {
      name: 'start-run',
      ...this.common,
      network: this.network,
      description:
        'Starts a run: on schedule, or by hand with {"desde", "hasta", "ruts"?, "direcciones"?, "detalles"?, "fuente"?}; checks with {"comprobar": {}}',
      memoryMb: 512,
      timeout: Duration.minutes(2),
      environment: {
        API_ADDRESS: settings.apiAddress,
        COMPANIES_SECRET: settings.secretName,
        TOKENS_SECRET: this.loginTokens?.tokens.secretArn,
        LAKE_BUCKET: lake.bucket.bucketName,
        STATE_MACHINE_ARN: stateMachineArn,
        FIRST_DAY: settings.firstDay,
        ...sharesOf(settings),
      } satisfies Variables<typeof StarterEnvironmentSchema>,
    });
    allowFindingSecrets(starter.role, this.secrets);
    allowReadingTokens(starter.role, this.loginTokens?.tokens);
    allowObjects(
      starter.role,
      lake,
      [
        ['s3:GetObject', 's3:PutObject'],
        [SOURCE_FOLDER, RUNS_FOLDER],
      ],
      [READ, [...TABLES_OF_RECEIPTS, ...UNITS_OF_LISTS]],
    );
    permit(starter.role, { actions: ['states:StartExecution'], resources: [stateMachineArn] });
    permit(starter.role, {
      actions: ['states:DescribeExecution'],
      resources: [executionsOf(this.stateMachine)],
      because: 'Its own executions, which are named after their runs.',
    });
    return starter;
  }
}

function sharesOf(settings: Settings) {
  return {
    COMPANIES_AT_ONCE: String(settings.companiesAtOnce),
    BACKFILL_COMPANIES_AT_ONCE: String(settings.backfillCompaniesAtOnce),
    API_REQUESTS_PER_SECOND: settings.apiRequestsPerSecond?.toString(),
  };
}

function explainNoDeadLetters({ lambda }: ExporterFunction): void {
  explain(lambda, 'Only the state machine calls it, waits for its answer and takes care of its failures.', [
    'Serverless-LambdaDLQ',
  ]);
}
