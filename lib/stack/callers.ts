import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { EXPORTACIONES, TABLES } from '../lake/tables.ts';
import { explainWildcards } from './explain.ts';
import type { LakeBucket } from './lake-bucket.ts';
import { COVERAGE_PREFIX, LAGGING_PREFIX, OPEN_RUNS_PREFIX, QUERY_RESULTS_PREFIX } from './lake-prefixes.ts';

export interface CallersProps {
  lake: LakeBucket;
  startRun: LambdaFunction;
  stateMachine: StateMachine;
  workgroupName: string;
  databaseName: string;
  alarmTopic: ITopic;
}

/**
 * What people need who work with the stack, as two managed policies to attach to their roles: who starts and follows
 * runs, and who asks the tables. Neither sees a token.
 */
export class Callers extends Construct {
  constructor(scope: Construct, id: string, props: CallersProps) {
    super(scope, id);
    this.policy('Operator', 'Starts and follows runs, and reads what became of them', [
      ...this.runs(props),
      ...this.objects(
        props.lake,
        ['s3:GetObject'],
        [
          `${EXPORTACIONES.name}/*`,
          // Of a run that is not closed yet.
          `${OPEN_RUNS_PREFIX}*`,
          `${COVERAGE_PREFIX}*`,
        ],
      ),
    ]);
    this.policy('Analyst', 'Asks the tables in Athena, or from a machine of their own', [
      ...this.queries(props),
      ...this.objects(
        props.lake,
        ['s3:GetObject'],
        // Of what lags, for the note that `query` gives.
        [...TABLES.map(({ name }) => `${name}/*`), `${LAGGING_PREFIX}*`],
      ),
      // Athena writes answers as the one who asks.
      ...this.objects(
        props.lake,
        ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
        [`${QUERY_RESULTS_PREFIX}*`],
      ),
    ]);
  }

  private policy(name: string, description: string, statements: PolicyStatement[]): void {
    const policy = new ManagedPolicy(this, name, { description, statements });
    explainWildcards(
      policy,
      'Objects, runs and tables of this one stack: which there are, only time will tell. Lists of what Athena has know no resources.',
      statements.flatMap(({ resources }) => resources),
    );
    new CfnOutput(Stack.of(this), `${name}Policy`, { value: policy.managedPolicyArn, description });
  }

  private runs({ startRun, stateMachine, alarmTopic }: CallersProps): PolicyStatement[] {
    const { stackName } = Stack.of(this);
    const ofMachine = (resource: string, resourceName: string) =>
      this.arn('states', resource, resourceName, ArnFormat.COLON_RESOURCE_NAME);
    return [
      allow(['cloudformation:DescribeStacks'], [this.arn('cloudformation', 'stack', `${stackName}/*`)]),
      allow(['lambda:InvokeFunction'], [startRun.functionArn]),
      allow(['states:ListExecutions'], [stateMachine.stateMachineArn]),
      allow(
        ['states:DescribeExecution', 'states:ListMapRuns', 'states:StopExecution'],
        [ofMachine('execution', `${stackName}:*`)],
      ),
      allow(['states:DescribeMapRun'], [ofMachine('mapRun', `${stackName}/*`)]),
      // For `check`.
      allow(['scheduler:GetSchedule'], [this.arn('scheduler', 'schedule', `${stackName}/*`)]),
      allow(['sns:ListSubscriptionsByTopic'], [alarmTopic.topicArn]),
    ];
  }

  private queries({ workgroupName, databaseName }: CallersProps): PolicyStatement[] {
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
        [this.arn('athena', 'workgroup', workgroupName)],
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
        [this.arn('athena', 'datacatalog', 'AwsDataCatalog')],
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
          this.arn('glue', 'catalog'),
          this.arn('glue', 'database', databaseName),
          this.arn('glue', 'table', `${databaseName}/*`),
        ],
      ),
    ];
  }

  private objects({ bucket, key }: LakeBucket, actions: string[], objects: string[]): PolicyStatement[] {
    const writes = actions.includes('s3:PutObject');
    return [
      allow(
        actions,
        objects.map((object) => bucket.arnForObjects(object)),
      ),
      allow(['s3:ListBucket', 's3:GetBucketLocation'], [bucket.bucketArn]),
      ...(key === undefined
        ? []
        : [allow(writes ? ['kms:Decrypt', 'kms:GenerateDataKey'] : ['kms:Decrypt'], [key.keyArn])]),
    ];
  }

  private arn(service: string, resource: string, resourceName?: string, arnFormat?: ArnFormat): string {
    return Stack.of(this).formatArn({ service, resource, resourceName, arnFormat });
  }
}

function allow(actions: readonly string[], resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...actions], resources: [...resources] });
}
