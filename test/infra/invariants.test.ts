import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type GivenPolicy, permissionsIn, policiesIn } from './policies.ts';
import { asText, KEY, propertiesOf, SECRETS_KEY, STACKS, synthesise } from './synthesis.ts';

/**
 * What holds in every stack, whatever its settings. Which action of which folder is whose, docs/security.md says, and
 * security-page.test.ts compares it.
 */
const TEMPLATES = Object.entries({ ...STACKS, login: { login: true } }).map(
  ([name, settings]) => [name, synthesise(settings)] as const,
);
type Template = (typeof TEMPLATES)[number][1];

const allOf = (template: Template) => [
  ...policiesIn(template),
  ...policiesIn(template, 'AWS::IAM::ManagedPolicy'),
];

/** The whole place of all that an action may do, in the short form of policies.ts. `…` is the stack's name. */
const PLACES: readonly (readonly [action: RegExp, place: RegExp])[] = [
  [/^s3:(Get|Put|Delete)Object$/, /^(<LakeBucket>|arn:<AWS::Partition>:s3:::the-lake)\/[.\w-]+(\/\w+)?\/\*$/],
  [/^s3:(AbortMultipartUpload|ListMultipartUploadParts)$/, /^(<LakeBucket>|.*:::the-lake)\/[.\w-]+\/\*$/],
  [
    /^s3:(ListBucket|GetBucketLocation|GetBucketPolicy)$/,
    /^(<LakeBucket>|arn:<AWS::Partition>:s3:::the-lake)$/,
  ],
  [
    /^secretsmanager:(GetSecretValue|PutSecretValue)$/,
    /^(<ExporterTokens>|secretsmanager:secret:(…\/companies|otro\/empresas)(-\?{6}|\/\*)|secretsmanager:secret:(…|otro)\/login-\?{6})$/,
  ],
  [/^secretsmanager:UpdateSecretVersionStage$/, /^secretsmanager:secret:(…|otro)\/login-\?{6}$/],
  [/^states:StartExecution$/, /^<ExporterRunStateMachine>$/],
  [/^states:ListExecutions$/, /^<ExporterRunStateMachine>$/],
  [/^states:/, /ExporterRunStateMachine|^states:(execution:…:\*|mapRun:…\/\*)$/],
  [
    /^lambda:InvokeFunction$/,
    /^<Exporter(StartRun|ExportCompany|Publish|FinishRun|RenewTokens)Function>(:\*)?$/,
  ],
  [/^sqs:/, /^<SchedulesDeadLetters>$/],
  [/^sns:/, /^<Alarms(Morning)?Topic>$/],
  [/^scheduler:GetSchedule$/, /^scheduler:schedule\/…\/\*$/],
  [
    /^events:PutEvents$/,
    /^events:event-bus\/default if \{.*"events:source":"cfe-lake".*"events:detail-type":"Run published".*\}$/,
  ],
  [/^cloudformation:DescribeStacks$/, /^cloudformation:stack\/…\/\*$/],
  [
    /^cloudwatch:GetDashboard$/,
    /^arn:<AWS::Partition>:cloudwatch::<AWS::AccountId>:dashboard\/…-<AWS::Region>$/,
  ],
  [/^cloudwatch:SetAlarmState$/, /^cloudwatch:alarm:…-\*$/],
  [/^athena:(GetDataCatalog|\w+Databases?|\w+TableMetadata)$/, /^athena:datacatalog\/AwsDataCatalog$/],
  [/^athena:/, /^athena:workgroup\/…$/],
  [
    /^glue:(Batch)?Get/,
    /^glue:(catalog|database\/(cfe_lake|otro_lago|default)|table\/(cfe_lake|otro_lago)\/\*)$/,
  ],
  [/^kms:(Decrypt|GenerateDataKey)$/, /^(<LakeKey>|arn:aws:kms:sa-east-1:123456789012:key\/[\w-]+)$/],
  [
    /^logs:(StartQuery|CreateLogStream|PutLogEvents)$/,
    /^<Exporter(StartRun|ExportCompany|Publish|FinishRun|RenewTokens)Logs>$/,
  ],
  [/^ec2:CreateNetworkInterface$/, /^ec2:(network-interface\/\*|(subnet|security-group)\/\w+-[0-9a-f]+)$/],
  [/^ec2:/, /^ec2:\*\/\*$|^\*$/],
];

/** The keys of these stacks, by what they encrypt. */
const KEYS: Readonly<Record<string, Partial<Record<'lake' | 'secrets' | 'queue', string>>>> = {
  own: { lake: '<LakeKey>', secrets: SECRETS_KEY },
  platform: { lake: KEY, queue: KEY },
  adopted: { lake: SECRETS_KEY, queue: KEY },
};

/** What it takes to do this with what a key encrypts. */
const NEEDED_KEYS = [
  ['lake', 's3:GetObject', ['kms:Decrypt']],
  ['lake', 's3:PutObject', ['kms:Decrypt', 'kms:GenerateDataKey']],
  ['secrets', 'secretsmanager:GetSecretValue', ['kms:Decrypt']],
  ['secrets', 'secretsmanager:PutSecretValue', ['kms:Decrypt', 'kms:GenerateDataKey']],
  ['queue', 'sqs:ReceiveMessage', ['kms:Decrypt']],
  ['queue', 'sqs:SendMessage', ['kms:Decrypt', 'kms:GenerateDataKey']],
] as const;

/** AWS narrows none of these; none returns a token, a receipt or a value of a secret. */
const OF_EVERYTHING = [
  'athena:ListDataCatalogs',
  'athena:ListWorkGroups',
  'cloudwatch:DescribeAlarms',
  'cloudwatch:GetMetricData',
  'cloudwatch:ListDashboards',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeLogGroups',
  'logs:DescribeQueryDefinitions',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:GetQueryResults',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
  'secretsmanager:BatchGetSecretValue',
  'secretsmanager:ListSecrets',
];

const grantsOf = (policies: readonly GivenPolicy[], name: string) =>
  permissionsIn(policies).map((permission) => {
    const [action = '', ...place] = permission.split(' ');
    return { action, place: place.join(' ').replaceAll(name, '…').replaceAll(`"…"`, '"cfe-lake"') };
  });

/** Whose policies have this permission, by the beginnings of their roles' or their own logical ids. */
function holdersOf(template: Template, permission: (name: string) => boolean): string[] {
  const holders = allOf(template)
    .filter((policy) => permissionsIn([policy]).some(permission))
    .flatMap(({ id, roles }) => (roles.length === 0 ? [id] : roles));
  return [...new Set(holders)].map((id) => id.replace(/(Role(DefaultPolicy)?)?[0-9A-F]{8}$/, '')).sort();
}

describe.each(TEMPLATES)('the policies of %s', (stack, template) => {
  it('name what each action is of, and nothing of another stack', () => {
    const name = stack === 'other' ? 'otro-lago' : 'cfe-lake';
    for (const { action, place } of grantsOf(allOf(template), name)) {
      const [, expected] = PLACES.find(([pattern]) => pattern.test(action)) ?? [];
      if (OF_EVERYTHING.includes(action)) expect(`${action} ${place}`).toBe(`${action} *`);
      else expect(place, action).toMatch(expected ?? /^no place is known$/);
      expect(action).not.toContain('*');
    }
  });

  it('let no role have more than they say', () => {
    for (const [id, role] of Object.entries(propertiesOf(template, 'AWS::IAM::Role'))) {
      // CDK's own function, which empties a bucket that is to be destroyed.
      if (id.startsWith('CustomS3AutoDelete')) continue;
      expect(role).not.toHaveProperty('ManagedPolicyArns');
      expect(role).not.toHaveProperty('Policies');
    }
  });

  it('let nobody read a token but who needs it, nor delete what no run makes again', () => {
    const hasLogin = Object.keys(propertiesOf(template, 'AWS::SecretsManager::Secret')).length > 0;
    const [startRun, worker, renewer] = ['ExporterStartRun', 'ExporterExportCompany', 'ExporterRenewTokens'];
    const readers = (secret: RegExp) =>
      holdersOf(template, (name) => name.startsWith('secretsmanager:GetSecretValue') && secret.test(name));
    expect(readers(/companies|empresas/)).toEqual([worker, startRun]);
    expect(readers(/\/login/)).toEqual(hasLogin ? [renewer] : []);
    expect(readers(/ExporterTokens/)).toEqual(hasLogin ? [worker, renewer, startRun] : []);
    const writers = holdersOf(template, (name) => name.startsWith('secretsmanager:PutSecretValue'));
    expect(writers).toEqual(['CallersOperator', ...(hasLogin ? [renewer] : [])]);
    const deletes = permissionsIn(allOf(template)).filter((name) => name.startsWith('s3:DeleteObject'));
    expect(deletes.length).toBeGreaterThan(2);
    for (const permission of deletes) expect(permission).toMatch(/\/\.(staging|open-runs|lagging)\/\*$/);
  });

  it('let whoever reads or writes what a key encrypts use that key, and nobody else', () => {
    const keys = KEYS[stack] ?? {};
    for (const policy of allOf(template)) {
      const permissions = permissionsIn([policy]);
      const needed = NEEDED_KEYS.flatMap(([what, action, uses]) => {
        const key = keys[what];
        const isNeeded = permissions.some((permission) => permission.startsWith(action));
        return key !== undefined && isNeeded ? uses.map((use) => `${use} ${key}`) : [];
      });
      const given = permissions.filter((permission) => permission.startsWith('kms:'));
      expect([...new Set(given)], policy.id).toEqual([...new Set(needed)].sort());
    }
  });
});

/** Identity Center takes policies by exact name, and a role keeps one whose description changes: neither ever does. */
const PEOPLE = {
  operator: 'Starts and follows runs, reads what became of them, and keeps the exchange rates',
  analyst: 'Queries the tables in Athena, or from a machine of their own',
};

const Managed = v.object({ ManagedPolicyName: v.unknown(), Description: v.string() });

it.each([
  ['default', 'cfe-lake'],
  ['other', 'otro-lago'],
] as const)('the policies for people have these names and descriptions: %s', (stack, name) => {
  const found = Object.values(propertiesOf(synthesise(STACKS[stack]), 'AWS::IAM::ManagedPolicy')).map(
    (properties) => v.parse(Managed, properties),
  );
  expect(found.map(({ ManagedPolicyName: name, Description }) => [asText(name), Description])).toEqual(
    Object.entries(PEOPLE).map(([who, description]) => [`${name}-${who}-<AWS::Region>`, description]),
  );
});
