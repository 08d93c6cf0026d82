import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { OPEN_RUNS_FOLDER, SOURCE_FOLDER } from '../lake/layout.ts';
import { COTIZACIONES, EXPORTACIONES, TABLES } from '../lake/tables.ts';
import { explainWildcards } from './explain.ts';
import { companySecrets, secretOfName } from './exporter/access.ts';
import type { Exporter } from './exporter/exporter.ts';
import { COVERAGE_FOLDER, type LakeBucket, QUERY_RESULTS_FOLDER } from './lake-bucket.ts';
import type { Topics } from './monitoring/alarms.ts';
import { Naming } from './naming.ts';
import type { Schedules } from './schedules.ts';

export interface Called {
  lake: LakeBucket;
  exporter: Exporter;
  schedules: Schedules;
  dashboard: Dashboard;
  topics: Topics;
}

/**
 * A description never changes: CloudFormation would replace the policy, which its name forbids. The names have the
 * region, since an account has each once, and since permission sets of Identity Center take policies by name.
 */
const OPERATOR = {
  id: 'Operator',
  name: 'operator',
  description: 'Starts and follows runs, reads what became of them, and keeps the exchange rates',
};
const ANALYST = {
  id: 'Analyst',
  name: 'analyst',
  description: 'Queries the tables in Athena, or from a machine of their own',
};

/**
 * Adds two managed policies for the people who work with the stack, to attach to their roles: one to start and follow
 * runs, to do what the runbook says and to keep the exchange rates, one to query the tables. Neither can read a token.
 */
export function addCallers(scope: Construct, called: Called): void {
  const parent = new Construct(scope, 'Callers');
  const ratesAccess = objects(called.lake, ['s3:GetObject', 's3:PutObject'], [COTIZACIONES.name]);
  addPolicy(parent, OPERATOR, called, [...toRun(called), ...toFollowTheRunbook(called), ...ratesAccess]);
  addPolicy(parent, ANALYST, called, toQuery(called));
}

function addPolicy(
  scope: Construct,
  { id, name, description }: typeof OPERATOR,
  { lake }: Called,
  statements: PolicyStatement[],
): void {
  const stack = Stack.of(scope);
  const policy = new ManagedPolicy(scope, id, {
    managedPolicyName: `${Naming.of(lake).unique}-${name}-${stack.region}`,
    description,
    statements,
  });
  explainWildcards(
    policy,
    'Objects, runs, tables, secrets, alarms and logs of this stack alone; their names are not known beforehand. Lists, and what is read of metrics and logs, take no resources.',
    statements.flatMap(({ resources }) => resources),
  );
  new CfnOutput(stack, `${id}Policy`, { value: policy.managedPolicyArn, description });
}

/** Permissions to start runs, follow them and read their results. */
export function toRun(called: Called): PolicyStatement[] {
  return [
    ...runs(called),
    // The second has the audit of runs that are not sealed yet.
    ...objects(called.lake, ['s3:GetObject'], [EXPORTACIONES.name, OPEN_RUNS_FOLDER, COVERAGE_FOLDER]),
  ];
}

/** What docs/runbook.md asks for besides: alarms, dashboard and logs, the dead-letter queue, a new token. */
function toFollowTheRunbook({ lake, exporter, schedules, dashboard }: Called): PolicyStatement[] {
  const { unique } = Naming.of(lake);
  const { secrets } = exporter;
  const written = companySecrets(lake, secrets);
  if (secrets.login !== undefined) written.push(secretOfName(lake, secrets.login));
  const queueKey = lake.keyOfQueues;
  return [
    // For `missing`: whose receipts these are.
    ...objects(lake, ['s3:GetObject'], [SOURCE_FOLDER]),
    allow(
      ['logs:StartQuery'],
      exporter.functions().map(({ lambda }) => lambda.logGroup.logGroupArn),
    ),
    allow(['logs:GetQueryResults', 'logs:DescribeQueryDefinitions', 'logs:DescribeLogGroups'], ['*']),
    allow(['cloudwatch:GetDashboard'], [dashboard.dashboardArn]),
    allow(['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudwatch:ListDashboards'], ['*']),
    // To try whether an alarm reaches anybody.
    allow(['cloudwatch:SetAlarmState'], [alarmArn(lake, `${unique}-*`)]),
    allow(
      ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:PurgeQueue'],
      [schedules.deadLetters.queueArn],
    ),
    ...(queueKey === undefined ? [] : [allow(['kms:Decrypt'], [queueKey.keyArn])]),
    allow(['secretsmanager:PutSecretValue'], written),
    ...(secrets.secretKey === undefined
      ? []
      : [allow(['kms:Decrypt', 'kms:GenerateDataKey'], [secrets.secretKey.keyArn])]),
  ];
}

function alarmArn(scope: Construct, resourceName: string): string {
  return Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/** Permissions to query the tables. */
export function toQuery(called: Called): PolicyStatement[] {
  return [
    ...queries(called),
    // The open runs have the audit of those that are not sealed yet; the source says whose receipts these are.
    ...objects(
      called.lake,
      ['s3:GetObject'],
      [...TABLES.map(({ name }) => name), OPEN_RUNS_FOLDER, SOURCE_FOLDER],
    ),
    // Athena writes results with the caller's permissions.
    ...objects(
      called.lake,
      ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
      [QUERY_RESULTS_FOLDER],
    ),
  ];
}

function runs({ lake, exporter: { startRun, stateMachine }, topics }: Called): PolicyStatement[] {
  const { stackName } = Stack.of(lake);
  const naming = Naming.of(lake);
  const machine = naming.given ?? stateMachine.stateMachineName;
  const ofMachine = (resource: string, resourceName: string) =>
    Stack.of(lake).formatArn({
      service: 'states',
      resource,
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  return [
    allow(['cloudformation:DescribeStacks'], [arn(lake, 'cloudformation', 'stack', `${stackName}/*`)]),
    allow(['lambda:InvokeFunction'], [startRun.lambda.functionArn]),
    allow(['states:ListExecutions'], [stateMachine.stateMachineArn]),
    allow(
      ['states:DescribeExecution', 'states:ListMapRuns', 'states:StopExecution'],
      [ofMachine('execution', `${machine}:*`)],
    ),
    allow(['states:DescribeMapRun'], [ofMachine('mapRun', `${machine}/*`)]),
    // For `check`.
    allow(['s3:GetBucketPolicy'], [lake.bucket.bucketArn]),
    allow(['scheduler:GetSchedule'], [arn(lake, 'scheduler', 'schedule', `${naming.unique}/*`)]),
    allow(
      ['sns:ListSubscriptionsByTopic'],
      [...new Set(Object.values(topics))].map(({ topicArn }) => topicArn),
    ),
  ];
}

function queries({ lake }: Called): PolicyStatement[] {
  const { unique: workgroup, database } = Naming.of(lake);
  return [
    allow(
      [
        'athena:StartQueryExecution',
        'athena:StopQueryExecution',
        'athena:GetQueryExecution',
        'athena:GetQueryResults',
        'athena:BatchGetQueryExecution',
        'athena:ListQueryExecutions',
        'athena:GetWorkGroup',
        'athena:ListNamedQueries',
        'athena:GetNamedQuery',
        'athena:BatchGetNamedQuery',
      ],
      [arn(lake, 'athena', 'workgroup', workgroup)],
    ),
    allow(['athena:ListWorkGroups', 'athena:ListDataCatalogs'], ['*']),
    allow(
      [
        'athena:GetDataCatalog',
        'athena:GetDatabase',
        'athena:ListDatabases',
        'athena:GetTableMetadata',
        'athena:ListTableMetadata',
      ],
      [arn(lake, 'athena', 'datacatalog', 'AwsDataCatalog')],
    ),
    allow(
      [
        'glue:GetDatabase',
        'glue:GetDatabases',
        'glue:GetTable',
        'glue:GetTables',
        'glue:GetPartition',
        'glue:GetPartitions',
        'glue:BatchGetPartition',
      ],
      [
        arn(lake, 'glue', 'catalog'),
        arn(lake, 'glue', 'database', database),
        arn(lake, 'glue', 'table', `${database}/*`),
      ],
    ),
    // The ODBC driver and the console look at it, whatever database is asked.
    allow(['glue:GetDatabase'], [arn(lake, 'glue', 'database', 'default')]),
  ];
}

function objects({ bucket, key }: LakeBucket, actions: string[], folders: string[]): PolicyStatement[] {
  const writes = actions.includes('s3:PutObject');
  return [
    allow(
      actions,
      folders.map((folder) => bucket.arnForObjects(`${folder}/*`)),
    ),
    allow(['s3:ListBucket', 's3:GetBucketLocation'], [bucket.bucketArn]),
    ...(key === undefined
      ? []
      : [allow(writes ? ['kms:Decrypt', 'kms:GenerateDataKey'] : ['kms:Decrypt'], [key.keyArn])]),
  ];
}

function arn(scope: Construct, service: string, resource: string, resourceName?: string): string {
  return Stack.of(scope).formatArn({ service, resource, resourceName });
}

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
