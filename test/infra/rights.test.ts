import { expect, it } from 'vitest';
import { permissionsIn, policiesIn } from './policies.ts';
import { STACKS, synthesise } from './synthesis.ts';

const FUNCTIONS = ['ExportCompany', 'FinishRun', 'Publish', 'RenewTokens', 'StartRun'] as const;
const lambdas = (...names: (typeof FUNCTIONS)[number][]) =>
  names.flatMap((name) => [`<Exporter${name}Function>`, `<Exporter${name}Function>:*`]);
const folders = (...names: string[]) => names.map((name) => `<LakeBucket>/${name}/*`);
const COMPANIES = ['companies-??????', 'companies/*'].map((name) => `secretsmanager:secret:cfe-lake/${name}`);
const LOGIN = 'secretsmanager:secret:cfe-lake/login-??????';
const GLUE = ['glue:catalog', 'glue:database/cfe_lake', 'glue:table/cfe_lake/*'];
const INTERFACES = [
  'ec2:network-interface/*',
  'ec2:security-group/sg-0123456789abcdef0',
  'ec2:subnet/subnet-0123456789abcdef0',
  'ec2:subnet/subnet-0123456789abcdef1',
];
const UPLOAD = 's3:AbortMultipartUpload s3:ListMultipartUploadParts';

/** All places of what the table of docs/security.md does not name, or of which it does not say where. */
const RIGHTS: readonly (readonly [who: string, actions: string, places: readonly string[]])[] = [
  ...FUNCTIONS.map(
    (name) =>
      [`Exporter${name}`, 'logs:CreateLogStream logs:PutLogEvents', [`<Exporter${name}Logs>`]] as const,
  ),
  ...['ExporterExportCompany', 'ExporterFinishRun', 'ExporterPublish', 'ExporterStartRun'].map(
    (who) => [who, 's3:ListBucket', ['<LakeBucket>']] as const,
  ),
  ...['CallersOperator', 'CallersAnalyst'].map(
    (who) => [who, 's3:ListBucket s3:GetBucketLocation', ['<LakeBucket>']] as const,
  ),
  ['ExporterExportCompany', 's3:AbortMultipartUpload', folders('.open-runs', 'cambios', 'unidades')],
  ['ExporterFinishRun', 's3:AbortMultipartUpload', folders('.open-runs', 'cambios', 'exportaciones')],
  [
    'ExporterPublish',
    's3:AbortMultipartUpload',
    folders('cambios', 'emitidos', 'emitidos_detalle', 'exportaciones', 'recibidos', 'recibidos_detalle'),
  ],
  ['ExporterRunStateMachine', UPLOAD, folders('corridas')],
  ['CallersAnalyst', UPLOAD, folders('consultas')],
  ['ExporterRunStateMachine', 'lambda:InvokeFunction', lambdas('ExportCompany', 'FinishRun', 'Publish')],
  ['Schedules', 'lambda:InvokeFunction', lambdas('Publish', 'RenewTokens', 'StartRun')],
  ['CallersOperator', 'lambda:InvokeFunction', ['<ExporterStartRunFunction>']],
  ['ExporterStartRun', 'secretsmanager:GetSecretValue', ['<ExporterTokens>', ...COMPANIES]],
  ['ExporterExportCompany', 'secretsmanager:GetSecretValue', ['<ExporterTokens>', ...COMPANIES]],
  [
    'ExporterRenewTokens',
    'secretsmanager:GetSecretValue secretsmanager:PutSecretValue',
    ['<ExporterTokens>', LOGIN],
  ],
  ['CallersOperator', 'secretsmanager:PutSecretValue', [...COMPANIES, LOGIN]],
  ['CallersOperator', 'logs:StartQuery', FUNCTIONS.map((name) => `<Exporter${name}Logs>`)],
  ['CallersOperator', 'sns:ListSubscriptionsByTopic', ['<AlarmsMorningTopic>', '<AlarmsTopic>']],
  ['CallersAnalyst', 'glue:GetTable glue:GetPartitions', GLUE],
  ['CallersAnalyst', 'glue:GetDatabase', [...GLUE, 'glue:database/default']],
  ...['ExporterExportCompany', 'ExporterRenewTokens', 'ExporterStartRun'].flatMap(
    (who) =>
      [
        [who, 'ec2:CreateNetworkInterface', INTERFACES],
        [who, 'ec2:DeleteNetworkInterface ec2:AssignPrivateIpAddresses', ['ec2:*/*']],
        [who, 'ec2:UnassignPrivateIpAddresses', ['ec2:*/*']],
        [who, 'ec2:DescribeNetworkInterfaces ec2:DescribeSubnets', ['*']],
      ] as const,
  ),
];

it.each(RIGHTS)('%s may do this where it needs it, and nowhere else: %s', (who, actions, places) => {
  const template = synthesise(actions.startsWith('ec2:') ? STACKS.platform : { login: true });
  const policies = [...policiesIn(template), ...policiesIn(template, 'AWS::IAM::ManagedPolicy')];
  const permissions = permissionsIn(
    policies.filter(({ id, roles }) => [id, ...roles].some((name) => name.startsWith(who))),
  );
  for (const action of actions.split(' ')) {
    const found = permissions.filter((permission) => permission.startsWith(`${action} `));
    expect(found).toEqual([...places].sort().map((place) => `${action} ${place}`));
  }
});
