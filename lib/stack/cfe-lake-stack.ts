import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Callers } from './callers.ts';
import { Catalog } from './catalog.ts';
import type { Bundles } from './exporter/bundle.ts';
import { Exporter } from './exporter/exporter.ts';
import { LakeBucket } from './lake-bucket.ts';
import { Alarms } from './monitoring/alarms.ts';
import { RunDashboard } from './monitoring/dashboard.ts';
import { SavedQueries } from './monitoring/saved-queries.ts';
import type { Watched } from './monitoring/watched.ts';
import { NamedQueries } from './named-queries.ts';
import { encryptLogsAndTopics } from './own-key.ts';
import { QueryWorkgroup } from './query-workgroup.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';

export interface CfeLakeStackProps {
  settings: Settings;
  bundles: Bundles;
}

/** Everything: the lake, its tables in Athena, the exporter and its schedules. */
export class CfeLakeStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles }: CfeLakeStackProps) {
    super(scope, id, {
      stackName: settings.stackName,
      description: 'Fiscal receipts, from the query API to Athena',
    });
    const { stackName, firstDay, scanCutoffGiB } = settings;

    const lake = new LakeBucket(this, 'Lake', settings);
    const catalog = new Catalog(this, 'Catalog', {
      bucket: lake.bucket,
      databaseName: stackName.toLowerCase().replaceAll('-', '_'),
      firstDay,
    });
    const queries = new QueryWorkgroup(this, 'Queries', { lake, workgroupName: stackName, scanCutoffGiB });
    new NamedQueries(this, 'NamedQueries', {
      workgroup: queries.workgroup,
      databaseName: catalog.databaseName,
    });
    const exporter = new Exporter(this, 'Exporter', { lake, bundles, settings });
    const schedules = new Schedules(this, 'Schedules', {
      startRun: exporter.startRun,
      publish: exporter.publish,
      settings,
    });
    const { topic } = this.watch(exporter, schedules, settings);
    new Callers(this, 'Callers', {
      lake,
      startRun: exporter.startRun.lambda,
      stateMachine: exporter.workflow.stateMachine,
      workgroupName: queries.workgroupName,
      databaseName: catalog.databaseName,
      alarmTopic: topic,
    });
    if (lake.ownKey !== undefined) encryptLogsAndTopics(this, lake.ownKey);

    // The command line finds them by these names.
    this.output('LakeBucket', lake.bucket.bucketName, 'Bucket of the lake');
    this.output('Database', catalog.databaseName, 'Glue database with the tables');
    this.output('Workgroup', queries.workgroupName, 'Athena workgroup to ask in');
    this.output('AlarmTopicArn', topic.topicArn, 'Where alarms are told');
    this.output(
      'StartRunFunction',
      exporter.startRun.lambda.functionName,
      'Invoke it to start a run by hand',
    );
    this.output(
      'StateMachineArn',
      exporter.workflow.stateMachine.stateMachineArn,
      'Where runs can be watched',
    );
  }

  private watch(exporter: Exporter, schedules: Schedules, settings: Settings): Alarms {
    const watched: Watched = {
      startRun: exporter.startRun,
      exportCompany: exporter.exportCompany,
      publish: exporter.publish,
      finishRun: exporter.finishRun,
      stateMachine: exporter.workflow.stateMachine,
      scheduleGroup: schedules.group,
      deadLetters: schedules.deadLetters,
    };
    const alarms = new Alarms(this, 'Alarms', { watched, settings });
    new RunDashboard(this, 'Dashboard', { watched, alarms: alarms.alarms });
    new SavedQueries(this, 'SavedQueries', watched);
    return alarms;
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
