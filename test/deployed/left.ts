import {
  AthenaClient,
  ListDatabasesCommand,
  ListNamedQueriesCommand,
  ListWorkGroupsCommand,
} from '@aws-sdk/client-athena';
import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { IAMClient, ListPoliciesCommand, ListRolesCommand } from '@aws-sdk/client-iam';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListScheduleGroupsCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { Logs } from './logs.ts';
import { clientFor, type Person } from './stack.ts';

/**
 * What CDK's own bootstrap made, what every account has, the secrets that a person made by hand, and the log of CDK's function that
 * emptied the bucket: its group is no resource of the stack (docs/aws.md).
 */
const OF_OTHERS =
  /CDKToolkit|cdk-hnb659fds|^default$|^primary$|^secret cfe-lake\/(?:companies|login)$|^log .*CustomS3AutoDeleteObjects/;

/** The names of all that is in the account, but for what the stack has not made. */
export async function leftInAccount(root: Person): Promise<string[]> {
  const config = clientFor(root);
  const athena = new AthenaClient(config);
  const iam = new IAMClient(config);
  const named = (kind: string, names: readonly (string | undefined)[] = []) =>
    names.map((name) => `${kind} ${name}`);
  const found = await Promise.all([
    new S3Client(config).send(new ListBucketsCommand()).then(({ Buckets }) =>
      named(
        'bucket',
        Buckets?.map(({ Name }) => Name),
      ),
    ),
    new LambdaClient(config).send(new ListFunctionsCommand()).then(({ Functions }) =>
      named(
        'function',
        Functions?.map(({ FunctionName }) => FunctionName),
      ),
    ),
    new SFNClient(config).send(new ListStateMachinesCommand()).then(({ stateMachines }) =>
      named(
        'state machine',
        stateMachines?.map(({ name }) => name),
      ),
    ),
    new SchedulerClient(config).send(new ListScheduleGroupsCommand()).then(({ ScheduleGroups }) =>
      named(
        'schedules',
        ScheduleGroups?.map(({ Name }) => Name),
      ),
    ),
    new SNSClient(config).send(new ListTopicsCommand()).then(({ Topics }) =>
      named(
        'topic',
        Topics?.map(({ TopicArn }) => TopicArn),
      ),
    ),
    athena.send(new ListDatabasesCommand({ CatalogName: 'AwsDataCatalog' })).then(({ DatabaseList }) =>
      named(
        'database',
        DatabaseList?.map(({ Name }) => Name),
      ),
    ),
    athena.send(new ListWorkGroupsCommand()).then(({ WorkGroups }) =>
      named(
        'workgroup',
        WorkGroups?.map(({ Name }) => Name),
      ),
    ),
    athena
      .send(new ListNamedQueriesCommand())
      .then(({ NamedQueryIds }) => named('saved query', NamedQueryIds)),
    iam.send(new ListRolesCommand()).then(({ Roles }) =>
      named(
        'role',
        Roles?.map(({ RoleName }) => RoleName),
      ),
    ),
    iam.send(new ListPoliciesCommand({ Scope: 'Local' })).then(({ Policies }) =>
      named(
        'policy',
        Policies?.map(({ PolicyName }) => PolicyName),
      ),
    ),
    new Logs(root).groups().then((names) => named('log', names)),
    new CloudFormationClient(config).send(new ListStacksCommand()).then(({ StackSummaries = [] }) =>
      named(
        'stack',
        StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(
          ({ StackName }) => StackName,
        ),
      ),
    ),
    new SecretsManagerClient(config).send(new ListSecretsCommand()).then(({ SecretList }) =>
      named(
        'secret',
        SecretList?.map(({ Name }) => Name),
      ),
    ),
  ]);
  return found
    .flat()
    .filter((line) => !OF_OTHERS.test(line) && !OF_OTHERS.test(line.split(' ').at(-1) ?? ''));
}

/** Each object's key, content and time, of these folders of the lake. */
export async function objectsIn(root: Person, bucket: string, folders: readonly string[]): Promise<string[]> {
  const client = new S3Client(clientFor(root));
  const found: string[] = [];
  for (const folder of folders)
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client },
      { Bucket: bucket, Prefix: `${folder}/` },
    ))
      found.push(
        ...Contents.map(({ Key, ETag, LastModified }) => `${Key} ${ETag} ${LastModified?.toISOString()}`),
      );
  return found.sort();
}

/** Deletes a bucket with all versions of its objects, as a person may after the stack is gone. */
export async function deleteBucket(root: Person, Bucket: string): Promise<void> {
  const client = new S3Client(clientFor(root));
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(
      new ListObjectVersionsCommand({ Bucket }),
    );
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) break;
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  }
  await client.send(new DeleteBucketCommand({ Bucket }));
}
