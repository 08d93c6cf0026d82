import { describe, expect, it } from 'vitest';
import { RECEIPT_TABLES } from '../../lib/lake/tables.ts';
import { permissionsIn, policiesIn, shorten } from './policies.ts';
import { propertiesOf, SECRETS_KEY, STACKS, synthesise } from './synthesis.ts';

const template = synthesise();

const policies = policiesIn(template);

/** The permissions of the role whose logical id begins like this. */
function permissionsOf(role: string, of = policies): string[] {
  return permissionsIn(of.filter(({ roles }) => roles.some((id) => id.startsWith(role))));
}

const LOGS_AND_TRACES = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'xray:PutTelemetryRecords *',
  'xray:PutTraceSegments *',
];
const COMPANY_SECRETS = [
  'secretsmanager:BatchGetSecretValue *',
  'secretsmanager:GetSecretValue secretsmanager:secret:cfe-lake/companies-??????',
  'secretsmanager:GetSecretValue secretsmanager:secret:cfe-lake/companies/*',
];

const LOGIN_TOKENS = 'secretsmanager:GetSecretValue <ExporterTokens>';

/** Drops the resource where it is the function's own log group, to which every function may write. */
function withoutOwnLog(permissions: readonly string[], logs: string): string[] {
  return permissions.map((permission) => permission.replace(` <${logs}>`, ''));
}

/** Tables whose units may be witnesses. */
const LISTS = ['recibidos', 'emitidos'];
const TABLES = RECEIPT_TABLES.map(({ name }) => name);

describe('start-run', () => {
  it('finds and reads the secrets of the companies, marks the lake, reads its lists, starts this state machine and asks whether runs have ended, and hands over what failed', () => {
    const permissions = permissionsOf('ExporterStartRunRole').map((permission) =>
      permission.replace(/\{"Fn::Select".*ExporterRunStateMachine.*\}/, '<its name>'),
    );
    expect(withoutOwnLog(permissions, 'ExporterStartRunLogs').sort()).toEqual(
      [
        ...LOGS_AND_TRACES,
        ...COMPANY_SECRETS,
        LOGIN_TOKENS,
        'secretsmanager:ListSecrets *',
        's3:GetObject <LakeBucket>/.source/*',
        's3:PutObject <LakeBucket>/.source/*',
        's3:GetObject <LakeBucket>/.runs/*',
        's3:PutObject <LakeBucket>/.runs/*',
        ...TABLES.map((folder) => `s3:GetObject <LakeBucket>/${folder}/*`),
        ...LISTS.map((folder) => `s3:GetObject <LakeBucket>/unidades/${folder}/*`),
        's3:ListBucket <LakeBucket>',
        'states:StartExecution <ExporterRunStateMachine>',
        'states:DescribeExecution states:execution:<its name>:*',
        'sqs:GetQueueAttributes <SchedulesDeadLetters>',
        'sqs:GetQueueUrl <SchedulesDeadLetters>',
        'sqs:SendMessage <SchedulesDeadLetters>',
      ].sort(),
    );
  });
});

describe('export-company', () => {
  it('reads the secrets, reads and writes units and what is staged, and deletes only there', () => {
    const objects = ['unidades/*', 'cambios/*', '.staging/*', '.open-runs/*'];
    const onObjects = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'].flatMap((action) =>
      objects.map((object) => `${action} <LakeBucket>/${object}`),
    );
    expect(withoutOwnLog(permissionsOf('ExporterExportCompanyRole'), 'ExporterExportCompanyLogs')).toEqual(
      [
        ...LOGS_AND_TRACES,
        ...COMPANY_SECRETS,
        LOGIN_TOKENS,
        ...onObjects,
        ...['.source', ...TABLES].map((folder) => `s3:GetObject <LakeBucket>/${folder}/*`),
        ...['Get', 'Put'].map((action) => `s3:${action}Object <LakeBucket>/.lagging/*`),
        's3:DeleteObject <LakeBucket>/.staging/*',
        's3:DeleteObject <LakeBucket>/.open-runs/*',
        's3:ListBucket <LakeBucket>',
      ].sort(),
    );
  });
});

describe('renew-tokens', () => {
  it("alone reads the login, moves its current version, writes the login's tokens, and sees neither the lake nor the companies", () => {
    const login = 'secretsmanager:secret:cfe-lake/login-??????';
    expect(withoutOwnLog(permissionsOf('ExporterRenewTokensRole'), 'ExporterRenewTokensLogs')).toEqual(
      [
        ...LOGS_AND_TRACES,
        `secretsmanager:GetSecretValue ${login}`,
        `secretsmanager:PutSecretValue ${login}`,
        `secretsmanager:UpdateSecretVersionStage ${login}`,
        LOGIN_TOKENS,
        'secretsmanager:PutSecretValue <ExporterTokens>',
      ].sort(),
    );
    const readers = policies.filter(({ statements }) =>
      JSON.stringify(statements).includes('cfe-lake/login'),
    );
    expect(readers.flatMap(({ roles }) => roles)).toEqual([
      expect.stringContaining('ExporterRenewTokensRole'),
    ]);
  });
});

describe('publish', () => {
  it('reads units, writes the tables of receipts, closes runs that have ended, and sees no secret', () => {
    const receipts = TABLES.map((name) => `${name}/*`);
    const tables = [...receipts, 'exportaciones/*', 'cambios/*'];
    const onTables = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'].flatMap((action) =>
      tables.map((table) => `${action} <LakeBucket>/${table}`),
    );
    const permissions = withoutOwnLog(permissionsOf('ExporterPublishRole'), 'ExporterPublishLogs');
    const ofRuns = permissions.filter((permission) => permission.startsWith('states:'));
    expect(ofRuns).toEqual([
      expect.stringMatching(/^states:DescribeExecution states:execution:.*ExporterRunStateMachine.*:\*$/),
    ]);
    expect(permissions.filter((permission) => !ofRuns.includes(permission))).toEqual(
      [
        ...LOGS_AND_TRACES,
        ...onTables,
        ...['unidades', '.open-runs', '.lagging'].map((folder) => `s3:GetObject <LakeBucket>/${folder}/*`),
        's3:PutObject <LakeBucket>/.lagging/*',
        ...['.lagging', '.open-runs'].map((folder) => `s3:DeleteObject <LakeBucket>/${folder}/*`),
        's3:ListBucket <LakeBucket>',
      ].sort(),
    );
  });
});

describe('finish-run', () => {
  it('reads units, adds parts of runs and replaces their objects, deletes only the parts, writes the coverage, sends events to the default bus, and sees no secret', () => {
    expect(withoutOwnLog(permissionsOf('ExporterFinishRunRole'), 'ExporterFinishRunLogs')).toEqual(
      [
        ...LOGS_AND_TRACES,
        ...['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'].flatMap((action) => [
          `${action} <LakeBucket>/exportaciones/*`,
          `${action} <LakeBucket>/cambios/*`,
          `${action} <LakeBucket>/.open-runs/*`,
        ]),
        's3:GetObject <LakeBucket>/unidades/recibidos/*',
        's3:GetObject <LakeBucket>/unidades/emitidos/*',
        's3:DeleteObject <LakeBucket>/.open-runs/*',
        's3:PutObject <LakeBucket>/cobertura/*',
        's3:ListBucket <LakeBucket>',
        'events:PutEvents events:event-bus/default if {"ForAllValues:StringEquals":{"events:source":"cfe-lake"},"Null":{"events:source":"false"},"StringEquals":{"events:detail-type":"Run published"}}',
      ].sort(),
    );
  });
});

describe('the state machine', () => {
  const permissions = permissionsOf('ExporterRunStateMachineRole');

  it('calls its three functions, and writes run records only where they belong', () => {
    const onFunctions = permissions.filter((permission) => permission.startsWith('lambda:'));
    expect(onFunctions).toEqual([
      'lambda:InvokeFunction <ExporterExportCompanyFunction>',
      'lambda:InvokeFunction <ExporterExportCompanyFunction>:*',
      'lambda:InvokeFunction <ExporterFinishRunFunction>',
      'lambda:InvokeFunction <ExporterFinishRunFunction>:*',
      'lambda:InvokeFunction <ExporterPublishFunction>',
      'lambda:InvokeFunction <ExporterPublishFunction>:*',
    ]);
    const onObjects = permissions.filter((permission) => permission.startsWith('s3:'));
    expect(onObjects.length).toBeGreaterThan(0);
    for (const permission of onObjects) expect(permission).toMatch(/ <LakeBucket>\/corridas\/\*$/);
  });

  it('starts and stops no executions but its own', () => {
    const onExecutions = permissions.filter((permission) => permission.startsWith('states:'));
    expect(onExecutions.map((permission) => permission.split(' ')[0])).toEqual([
      'states:DescribeExecution',
      'states:RedriveExecution',
      'states:StartExecution',
      'states:StopExecution',
    ]);
    for (const permission of onExecutions) expect(permission).toContain('ExporterRunStateMachine');
  });
});

describe('the schedules', () => {
  it('call start-run, publish and renew-tokens, and keep what could not be delivered', () => {
    expect(permissionsOf('SchedulesRole')).toEqual([
      'lambda:InvokeFunction <ExporterPublishFunction>',
      'lambda:InvokeFunction <ExporterPublishFunction>:*',
      'lambda:InvokeFunction <ExporterRenewTokensFunction>',
      'lambda:InvokeFunction <ExporterRenewTokensFunction>:*',
      'lambda:InvokeFunction <ExporterStartRunFunction>',
      'lambda:InvokeFunction <ExporterStartRunFunction>:*',
      'sqs:SendMessage <SchedulesDeadLetters>',
    ]);
  });
});

describe('in a VPC', () => {
  const platform = policiesIn(synthesise(STACKS.platform));
  /** What belongs to the network, and not to the key or the cap of requests. */
  const networkOf = (role: string) =>
    permissionsOf(role, platform).filter((permission) => permission.startsWith('ec2:'));

  it.each(['ExporterStartRunRole', 'ExporterExportCompanyRole'])(
    '%s lets Lambda connect the function to these subnets and security groups, and no others',
    (role) => {
      expect(networkOf(role)).toEqual([
        'ec2:AssignPrivateIpAddresses ec2:*/*',
        'ec2:CreateNetworkInterface ec2:network-interface/*',
        'ec2:CreateNetworkInterface ec2:security-group/sg-0123456789abcdef0',
        'ec2:CreateNetworkInterface ec2:subnet/subnet-0123456789abcdef0',
        'ec2:CreateNetworkInterface ec2:subnet/subnet-0123456789abcdef1',
        'ec2:DeleteNetworkInterface ec2:*/*',
        'ec2:DescribeNetworkInterfaces *',
        'ec2:DescribeSubnets *',
        'ec2:UnassignPrivateIpAddresses ec2:*/*',
      ]);
    },
  );

  it.each(['ExporterPublishRole', 'ExporterFinishRunRole', 'ExporterRunStateMachineRole'])(
    '%s may do what it may without',
    (role) => {
      const others = permissionsOf(role, platform).filter((permission) => !permission.startsWith('kms:'));
      expect(others).toEqual(permissionsOf(role));
    },
  );
});

describe('everything', () => {
  it('names actions in full', () => {
    const actions = policies.flatMap(({ statements }) => statements.flatMap(({ Action: action }) => action));
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('uses no managed policy', () => {
    for (const role of Object.values(propertiesOf(template, 'AWS::IAM::Role'))) {
      expect(role).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  it('reads no secrets but those of the name that is set', () => {
    const ofOther = permissionsOf('ExporterExportCompanyRole', policiesIn(synthesise(STACKS.other)));
    const secrets = ofOther.filter(
      (permission) => permission.startsWith('secretsmanager:GetSecretValue') && permission !== LOGIN_TOKENS,
    );
    expect(secrets).toHaveLength(2);
    for (const permission of secrets) expect(permission).toContain('otro/empresas');
  });

  it('may use the keys of the lake and of the secrets, if there are any', () => {
    const statements = policiesIn(synthesise(STACKS.own)).map(({ roles, statements: all }) => {
      const onKeys = all.filter(({ Action: action }) => action.join().includes('kms:'));
      return { role: roles[0] ?? '', resources: onKeys.flatMap(({ Resource: keys }) => keys) };
    });
    const keysOf = (role: string) =>
      statements
        .filter((one) => one.role.startsWith(role))
        .flatMap(({ resources }) => resources.map(shorten));
    expect(keysOf('ExporterStartRunRole').sort()).toEqual(['<LakeKey>', SECRETS_KEY]);
    expect(keysOf('ExporterExportCompanyRole').sort()).toEqual(['<LakeKey>', SECRETS_KEY]);
    expect(keysOf('ExporterFinishRunRole')).toEqual(['<LakeKey>']);
    expect(keysOf('ExporterRunStateMachineRole')).toEqual(['<LakeKey>']);
  });
});
