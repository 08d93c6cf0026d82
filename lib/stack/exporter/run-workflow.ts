import { ArnFormat, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  Choice,
  Condition,
  DefinitionBody,
  DistributedMap,
  Errors,
  JsonPath,
  LogLevel,
  ResultWriterV2,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { explain, explainWildcards } from '../explain.ts';
import { type LakeBucket, RUN_RECORDS_FOLDER } from '../lake-bucket.ts';
import { Naming, runLogsName } from '../naming.ts';
import type { Settings } from '../settings.ts';
import { COMPANY_ITEM, companyWorkflow } from './company-workflow.ts';
import { type ExporterFunction, lambdaTask } from './exporter-function.ts';

export interface RunWorkflowProps {
  exportCompany: ExporterFunction;
  publish: ExporterFunction;
  finishRun: ExporterFunction;
  lake: LakeBucket;
  settings: Pick<Settings, 'companiesAtOnce' | 'retryWaitsMinutes' | 'runTimeoutHours' | 'logRetentionDays'>;
}

/** Part of every child execution's ARN. */
const MAP_LABEL = 'empresas';

/** Publishes until no day is left. The run is counted even if a day can't be published. */
function publication(scope: Construct, publish: ExporterFunction, next: LambdaInvoke): LambdaInvoke {
  const task = lambdaTask(scope, 'Publish', {
    worker: publish,
    comment: "Makes the tables' days from their units, until none lags or time runs out",
    resultPath: '$.publicacion',
  });
  task.addCatch(next, { errors: [Errors.ALL], resultPath: '$.publicacion' });
  const isMore = Choice.jsonPath(scope, 'AnyDayLeft', { comment: 'Days that there was no time for' });
  task.next(isMore.when(Condition.numberGreaterThan('$.publicacion.pendientes', 0), task).otherwise(next));
  return task;
}

/**
 * A run: exports all companies, some at a time, then publishes the changed days, then counts the units. No token
 * passes through it.
 */
export class RunWorkflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(
    scope: Construct,
    id: string,
    { exportCompany, publish, finishRun, lake, settings }: RunWorkflowProps,
  ) {
    super(scope, id);
    const finish = lambdaTask(this, 'FinishRun', {
      worker: finishRun,
      comment: 'Counts the audit; fails the run if a unit failed or is missing',
      finalErrors: ['RunFailedError'],
    });
    const published = publication(this, publish, finish);
    const companies = DistributedMap.jsonPath(this, 'ExportCompanies', {
      comment: 'One child execution a company',
      label: MAP_LABEL,
      mapExecutionType: StateMachineType.STANDARD,
      itemsPath: '$.ruts',
      itemSelector: COMPANY_ITEM,
      maxConcurrency: settings.companiesAtOnce,
      // One company's failure stops no other; finish-run reports its units as missing.
      toleratedFailurePercentage: 100,
      resultWriterV2: new RunRecordWriter(lake),
      resultPath: JsonPath.DISCARD,
    });
    companies.itemProcessor(
      companyWorkflow(this, { exportCompany, publish, retryWaitsMinutes: settings.retryWaitsMinutes }),
    );
    // Even if the map fails, the audit says what was exported.
    companies.addCatch(published, { errors: [Errors.ALL], resultPath: '$.mapa' });

    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: Naming.of(this).given,
      stateMachineType: StateMachineType.STANDARD,
      comment: 'Exports the fiscal receipts of companies, one child execution each',
      definitionBody: DefinitionBody.fromChainable(companies.next(published)),
      timeout: Duration.hours(settings.runTimeoutHours),
      tracingEnabled: true,
      logs: {
        destination: this.logGroup(settings.logRetentionDays),
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    lake.allowKey(this.stateMachine);
    this.explainFindings([exportCompany, publish, finishRun], lake);
  }

  private logGroup(retention: number): LogGroup {
    return new LogGroup(this, 'Logs', {
      logGroupName: runLogsName(Naming.of(this)),
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private explainFindings(functions: readonly ExporterFunction[], lake: LakeBucket): void {
    explain(
      this.stateMachine,
      'Errors only: the audit table has what became of every unit, and all events would be some twenty lines a company.',
      ['AwsSolutions-SF1'],
    );
    explainWildcards(this.stateMachine, 'Neither X-Ray nor the delivery of logs has resources to name.', [
      '*',
    ]);
    explainWildcards(this.stateMachine, 'All versions of the three functions, and no others.', [
      ...functions.map(({ lambda }) => `${lambda.functionArn}:*`),
    ]);
    explainWildcards(
      this.stateMachine,
      'A run record has as many objects as it needs.',
      runRecordObjects(lake.bucket),
    );
    const executionsOf = (name: string) =>
      Stack.of(this).formatArn({
        service: 'states',
        resource: 'execution',
        resourceName: `${name}:*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
    const machine = Fn.select(6, Fn.split(':', this.stateMachine.stateMachineArn));
    explainWildcards(this.stateMachine, 'Its own children, whose names are made up when they start.', [
      executionsOf(machine),
      executionsOf(`${machine}/${MAP_LABEL}`),
    ]);
  }
}

/**
 * Makes Step Functions write the answers of a run's children into the lake's bucket: together they would not fit into
 * a state. CDK's own writer may write anywhere in the bucket; this one only below its prefix.
 */
class RunRecordWriter extends ResultWriterV2 {
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
