import { Duration } from 'aws-cdk-lib';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Bundles } from '../../program.ts';
import { explain, permit } from '../explain.ts';
import type { LakeBucket } from '../lake-bucket.ts';
import type { Settings } from '../settings.ts';
import {
  allowCounting,
  allowExporting,
  allowFindingSecrets,
  allowPublishing,
  allowReadingSecrets,
  allowStarting,
} from './access.ts';
import { ExporterFunction, type ExporterFunctionProps } from './exporter-function.ts';
import { runWorkflow } from './run-workflow.ts';

/** The four functions and the workflow that calls them, each with the least permissions. */
export class Exporter extends Construct {
  readonly startRun: ExporterFunction;
  readonly exportCompany: ExporterFunction;
  readonly publish: ExporterFunction;
  readonly finishRun: ExporterFunction;
  readonly stateMachine: StateMachine;
  private readonly common: Pick<ExporterFunctionProps, 'bundles' | 'logRetentionDays'>;

  constructor(scope: Construct, lake: LakeBucket, bundles: Bundles, settings: Settings) {
    super(scope, 'Exporter');
    this.common = { bundles, logRetentionDays: settings.logRetentionDays };
    this.exportCompany = this.exportCompanyOf(lake, settings);
    this.publish = this.publishOf(lake);
    this.finishRun = this.finishRunOf(lake);
    this.stateMachine = runWorkflow(new Construct(this, 'Run'), this, lake, settings);
    this.startRun = this.startRunOf(lake, settings);
  }

  private exportCompanyOf(lake: LakeBucket, settings: Settings): ExporterFunction {
    const worker = new ExporterFunction(this, 'ExportCompany', {
      name: 'export-company',
      ...this.common,
      description: 'Reads the receipts of one company and replaces its units in the lake',
      memoryMb: settings.workerMemoryMb,
      timeout: Duration.minutes(settings.workerTimeoutMinutes),
      environment: {
        API_ADDRESS: settings.apiAddress,
        COMPANIES_SECRET: settings.secretName,
        LAKE_BUCKET: lake.bucket.bucketName,
        COMPANIES_AT_ONCE: String(settings.companiesAtOnce),
        REQUESTS_PER_COMPANY: String(settings.requestsPerCompany),
        MAX_ROWS_PER_LIST: String(settings.maxRowsPerList),
        ...detailVariables(settings),
      },
    });
    allowReadingSecrets(worker.role, settings);
    allowExporting(worker.role, lake);
    explainNoDeadLetters(worker);
    return worker;
  }

  private publishOf(lake: LakeBucket): ExporterFunction {
    const publisher = new ExporterFunction(this, 'Publish', {
      name: 'publish',
      ...this.common,
      description: 'Rebuilds the days of the tables whose units changed',
      memoryMb: 1024,
      timeout: Duration.minutes(15),
      environment: {
        LAKE_BUCKET: lake.bucket.bucketName,
        // Most objects are short-lived: a small young generation and a bounded old one keep a large day within memory.
        NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=700',
      },
    });
    allowPublishing(publisher.role, lake);
    return publisher;
  }

  private finishRunOf(lake: LakeBucket): ExporterFunction {
    const counter = new ExporterFunction(this, 'FinishRun', {
      name: 'finish-run',
      ...this.common,
      description:
        'Closes the audit of a run, counts it, writes the coverage page, and fails the run if any unit failed',
      memoryMb: 1024,
      // A usual night takes a minute, closing the backfill of a thousand companies some minutes.
      timeout: Duration.minutes(15),
      environment: { LAKE_BUCKET: lake.bucket.bucketName },
    });
    allowCounting(counter.role, lake);
    explainNoDeadLetters(counter);
    return counter;
  }

  private startRunOf(lake: LakeBucket, settings: Settings): ExporterFunction {
    const { stateMachineArn } = this.stateMachine;
    const starter = new ExporterFunction(this, 'StartRun', {
      name: 'start-run',
      ...this.common,
      description:
        'Starts a run: on schedule, or by hand with {"desde", "hasta", "ruts"?, "direcciones"?, "detalles"?, "fuente"?}; checks with {"comprobar": {}}',
      memoryMb: 512,
      timeout: Duration.minutes(2),
      environment: {
        API_ADDRESS: settings.apiAddress,
        COMPANIES_SECRET: settings.secretName,
        LAKE_BUCKET: lake.bucket.bucketName,
        STATE_MACHINE_ARN: stateMachineArn,
        FIRST_DAY: settings.firstDay,
      },
    });
    allowFindingSecrets(starter.role, settings);
    allowStarting(starter.role, lake);
    permit(starter.role, { actions: ['states:StartExecution'], resources: [stateMachineArn] });
    return starter;
  }
}

function detailVariables(settings: Settings): Record<string, string> {
  const { details, maxDetailsPerUnit, detailsMaxAgeDays } = settings;
  return {
    MAX_DETAILS_PER_UNIT: String(maxDetailsPerUnit),
    ...(details.length > 0 && { DETAILS: details.join(',') }),
    ...(detailsMaxAgeDays !== undefined && { DETAILS_MAX_AGE_DAYS: String(detailsMaxAgeDays) }),
  };
}

function explainNoDeadLetters({ lambda }: ExporterFunction): void {
  explain(lambda, 'Only the state machine calls it, waits for its answer and takes care of its failures.', [
    'Serverless-LambdaDLQ',
  ]);
}
