import { ArnFormat, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { explain, explainWildcards } from '../explain.ts';
import { type LakeBucket, RUN_RECORDS_FOLDER } from '../lake-bucket.ts';
import { Naming, runLogsName } from '../naming.ts';
import type { Settings } from '../settings.ts';
import { type ExporterFunction, lambdaTask, NOT_TRACED } from './exporter-function.ts';

/** Part of every child execution's ARN. */
const MAP_LABEL = 'empresas';

/** Publishes until no day is left. The run is counted even if a day can't be published. */
function publication(scope: Construct, publish: ExporterFunction, next: LambdaInvoke): LambdaInvoke {
  const task = lambdaTask(scope, 'Publish', {
    worker: publish,
    comment: "Makes the tables' days from their units, until none lags or time runs out",
    resultPath: '$.publicacion',
  });
  task.addCatch(next, { errors: [sfn.Errors.ALL], resultPath: '$.publicacion' });
  const isMore = sfn.Choice.jsonPath(scope, 'AnyDayLeft', { comment: 'Days that there was no time for' });
  task.next(
    isMore.when(sfn.Condition.numberGreaterThan('$.publicacion.pendientes', 0), task).otherwise(next),
  );
  return task;
}

type Workers = Record<'exportCompany' | 'publish' | 'finishRun', ExporterFunction>;

/**
 * The state machine of a run: it exports all companies, some at a time, then publishes the changed days, then counts the
 * units. No token passes through it. All its constructs are directly in `scope`.
 */
export function runWorkflow(
  scope: Construct,
  { exportCompany, publish, finishRun }: Workers,
  lake: LakeBucket,
  settings: Settings,
): sfn.StateMachine {
  const finish = lambdaTask(scope, 'FinishRun', {
    worker: finishRun,
    comment: 'Counts the audit; fails the run if a unit failed or is missing',
    finalErrors: ['RunFailedError'],
  });
  const published = publication(scope, publish, finish);
  const companies = sfn.DistributedMap.jsonPath(scope, 'ExportCompanies', {
    comment: 'One child execution a company',
    label: MAP_LABEL,
    mapExecutionType: sfn.StateMachineType.STANDARD,
    itemsPath: '$.ruts',
    itemSelector: COMPANY_ITEM,
    maxConcurrencyPath: '$.a_la_vez',
    // One company's failure stops no other; finish-run reports its units as missing.
    toleratedFailurePercentage: 100,
    resultWriterV2: new RunRecordWriter(lake),
    resultPath: sfn.JsonPath.DISCARD,
  });
  companies.itemProcessor(companyWorkflow(scope, exportCompany));
  // Even if the map fails, the audit says what was exported.
  companies.addCatch(published, { errors: [sfn.Errors.ALL], resultPath: '$.mapa' });

  const naming = Naming.of(scope);
  const logGroup = new LogGroup(scope, 'Logs', {
    logGroupName: runLogsName(naming),
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const stateMachine = new sfn.StateMachine(scope, 'StateMachine', {
    stateMachineName: naming.given,
    stateMachineType: sfn.StateMachineType.STANDARD,
    comment: 'Exports the fiscal receipts of companies, one child execution each',
    definitionBody: sfn.DefinitionBody.fromChainable(companies.next(published)),
    timeout: Duration.hours(settings.runTimeoutHours),
    logs: { destination: logGroup, level: sfn.LogLevel.ERROR, includeExecutionData: false },
  });
  lake.allowKey(stateMachine);
  explainFindings(stateMachine, [exportCompany, publish, finishRun], lake);
  return stateMachine;
}

function explainFindings(
  stateMachine: sfn.StateMachine,
  functions: readonly ExporterFunction[],
  lake: LakeBucket,
): void {
  explain(
    stateMachine,
    'Errors only: the audit table has what became of every unit, and all events would be some twenty lines a company.',
    ['AwsSolutions-SF1'],
  );
  explain(stateMachine, NOT_TRACED, ['AwsSolutions-SF2', 'Serverless-StepFunctionStateMachineXray']);
  const versions = functions.map(({ lambda }) => `${lambda.functionArn}:*`);
  const children = [executionsOf(stateMachine), executionsOf(stateMachine, `/${MAP_LABEL}`)];
  const wildcards: readonly (readonly [reason: string, resources: string[]])[] = [
    ['The delivery of logs has no resources to name.', ['*']],
    ['All versions of the three functions, and no others.', versions],
    ['A run record has as many objects as it needs.', runRecordObjects(lake.bucket)],
    ['Its own children, whose names are made up when they start.', children],
  ];
  for (const [reason, resources] of wildcards) explainWildcards(stateMachine, reason, resources);
}

/** The ARN of all executions of the machine, or of a map's children. */
export function executionsOf(stateMachine: sfn.StateMachine, mapSuffix = ''): string {
  const name = Fn.select(6, Fn.split(':', stateMachine.stateMachineArn));
  return Stack.of(stateMachine).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${name}${mapSuffix}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/**
 * Makes Step Functions write the answers of a run's children into the lake's bucket: together they would not fit into
 * a state. CDK's own writer may write anywhere in the bucket; this one only below its prefix.
 */
class RunRecordWriter extends sfn.ResultWriterV2 {
  private readonly resources: readonly string[];

  constructor({ bucket }: LakeBucket) {
    super({ bucket, prefix: RUN_RECORDS_FOLDER });
    this.resources = runRecordObjects(bucket);
  }

  override providePolicyStatements(): PolicyStatement[] {
    const actions = [
      's3:PutObject',
      's3:GetObject',
      's3:ListMultipartUploadParts',
      's3:AbortMultipartUpload',
    ];
    return [new PolicyStatement({ actions, resources: [...this.resources] })];
  }
}

function runRecordObjects(bucket: LakeBucket['bucket']): string[] {
  return [bucket.arnForObjects(`${RUN_RECORDS_FOLDER}/*`)];
}

/** An API that restarts is back within the first, one that is repaired often within the second. A worker waits, too. */
const RETRY_WAITS_MINUTES = [2, 8];

/** Far more than any company needs: one that gets here is making no progress. */
const MAX_INVOCATIONS = 1500;

function runFields(path: string): Record<string, string> {
  const names = [
    'corrida',
    'dia',
    'desde',
    'hasta',
    'antiguos',
    'direcciones',
    'detalles',
    'servicio',
    'a_la_vez',
  ];
  return Object.fromEntries(names.map((name) => [`${name}.$`, `${path}.${name}`]));
}

/** The first state of a company's workflow: the worker's event, and a count of retry rounds. */
export const COMPANY_ITEM = { ronda: 0, evento: { ...runFields('$'), 'rut.$': '$$.Map.Item.Value' } };

/**
 * One company of a run. The worker's answer is its next event. The worker is called again while it has units that it
 * had no time for (`pendientes`). Then, after each of the waits, it is called with the units that failed
 * (`fallidas`). A worker that dies is called again like any task; then its company fails, and finish-run names it.
 */
export function companyWorkflow(scope: Construct, exportCompany: ExporterFunction): sfn.Chain {
  const worker = lambdaTask(scope, 'ExportCompany', {
    worker: exportCompany,
    comment: 'Exports units until none remains or time runs out',
    inputPath: '$.evento',
    resultPath: '$.evento',
  });
  const noProgress = new sfn.Fail(scope, 'NoProgress', {
    error: 'NoProgressError',
    cause: `Units remain after ${MAX_INVOCATIONS} invocations: the worker makes no progress. Look at its log.`,
  });
  const done = sfn.Succeed.jsonPath(scope, 'CompanyDone', {
    comment: 'The last answer goes into the run record',
    outputPath: '$.evento',
  });
  const next = sfn.Choice.jsonPath(scope, 'AnythingLeft', {
    comment: 'Units without time first, then failed ones',
  })
    .when(
      sfn.Condition.and(
        isThere('$.evento.pendientes'),
        sfn.Condition.numberGreaterThanEquals('$.evento.parte', MAX_INVOCATIONS),
      ),
      noProgress,
    )
    .when(isThere('$.evento.pendientes'), worker);
  next.when(
    sfn.Condition.and(
      isThere('$.evento.fallidas'),
      sfn.Condition.numberLessThan('$.ronda', RETRY_WAITS_MINUTES.length),
    ),
    retryRound(scope).next(worker),
  );
  return worker.next(next.otherwise(done));
}

function isThere(path: string): sfn.Condition {
  return sfn.Condition.and(sfn.Condition.isPresent(path), sfn.Condition.not(sfn.Condition.isNull(path)));
}

/** The failed units become the pending ones of the next round. */
function retryRound(scope: Construct): sfn.Chain {
  const waitsSeconds = RETRY_WAITS_MINUTES.map((minutes) => minutes * 60).join(', ');
  const takeFailed = sfn.Pass.jsonPath(scope, 'TakeFailedUnits', {
    parameters: {
      'ronda.$': 'States.MathAdd($.ronda, 1)',
      'pausa_s.$': `States.ArrayGetItem(States.Array(${waitsSeconds}), $.ronda)`,
      evento: {
        ...runFields('$.evento'),
        'rut.$': '$.evento.rut',
        'parte.$': '$.evento.parte',
        'pendientes.$': '$.evento.fallidas',
      },
    },
  });
  return takeFailed.next(
    sfn.Wait.jsonPath(scope, 'WaitBeforeRetry', { time: sfn.WaitTime.secondsPath('$.pausa_s') }),
  );
}
