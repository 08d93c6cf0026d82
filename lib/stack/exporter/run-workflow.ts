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
import { COMPANY_ITEM, companyWorkflow } from './company-workflow.ts';
import { type ExporterFunction, lambdaTask } from './exporter-function.ts';

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
    maxConcurrency: settings.companiesAtOnce,
    // One company's failure stops no other; finish-run reports its units as missing.
    toleratedFailurePercentage: 100,
    resultWriterV2: new RunRecordWriter(lake),
    resultPath: sfn.JsonPath.DISCARD,
  });
  companies.itemProcessor(companyWorkflow(scope, exportCompany, settings.retryWaitsMinutes));
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
    tracingEnabled: true,
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
  const ofMachine = (resourceName: string) =>
    Stack.of(stateMachine).formatArn({
      service: 'states',
      resource: 'execution',
      resourceName: `${resourceName}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const name = Fn.select(6, Fn.split(':', stateMachine.stateMachineArn));
  const versions = functions.map(({ lambda }) => `${lambda.functionArn}:*`);
  const children = [ofMachine(name), ofMachine(`${name}/${MAP_LABEL}`)];
  const wildcards: readonly (readonly [reason: string, resources: string[]])[] = [
    ['Neither X-Ray nor the delivery of logs has resources to name.', ['*']],
    ['All versions of the three functions, and no others.', versions],
    ['A run record has as many objects as it needs.', runRecordObjects(lake.bucket)],
    ['Its own children, whose names are made up when they start.', children],
  ];
  for (const [reason, resources] of wildcards) explainWildcards(stateMachine, reason, resources);
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
