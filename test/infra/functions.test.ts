import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise();
const other = synthesise(STACKS.other);
const FUNCTIONS = [
  'cfe-lake-start-run',
  'cfe-lake-export-company',
  'cfe-lake-publish',
  'cfe-lake-finish-run',
];

const Environment = v.object({ Variables: v.record(v.string(), v.unknown()) });
const environments = Object.values(propertiesOf(template, 'AWS::Lambda::Function')).map((properties) => ({
  name: asText(properties.FunctionName),
  variables: v.parse(Environment, properties.Environment).Variables,
}));

describe('the functions', () => {
  it('are four, on Node 24 and arm64, and a fifth with a login', () => {
    expect(environments.map(({ name }) => name).sort()).toEqual([...FUNCTIONS].sort());
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
    });
    const withLogin = propertiesOf(synthesise({ login: true }), 'AWS::Lambda::Function');
    expect(Object.keys(withLogin)).toHaveLength(5);
    expect(JSON.stringify(template.toJSON())).not.toMatch(/SecretsManager::Secret|renew-tokens|RenewTokens/);
  });

  it('log into groups with a retention', () => {
    const groups = Object.values(propertiesOf(template, 'AWS::Logs::LogGroup'));
    expect(groups.map((group) => [asText(group.LogGroupName), group.RetentionInDays]).sort()).toEqual(
      [
        ...FUNCTIONS.map((name) => [`/aws/lambda/${name}`, 90]),
        ['/aws/vendedlogs/states/cfe-lake', 90],
      ].sort(),
    );
    template.allResourcesProperties('AWS::Lambda::Function', {
      LoggingConfig: { LogGroup: Match.anyValue() },
    });
    other.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  it('know names, never a secret', () => {
    const known = Object.fromEntries(
      environments.map(({ name, variables }) => [
        name,
        Object.fromEntries(
          Object.entries(variables).map(([key, value]) => [key, asText(value).replace(/[0-9A-F]{8}>/, '>')]),
        ),
      ]),
    );
    const powertools = (name: string) => ({
      POWERTOOLS_SERVICE_NAME: name,
      POWERTOOLS_METRICS_NAMESPACE: 'cfe-lake',
    });
    expect(known).toEqual({
      'cfe-lake-start-run': {
        ...powertools('start-run'),
        API_ADDRESS: 'https://api.example.invalid',
        COMPANIES_SECRET: 'cfe-lake/companies',
        LAKE_BUCKET: '<LakeBucket>',
        STATE_MACHINE_ARN: '<ExporterRunStateMachine>',
        FIRST_DAY: '2012-01-01',
        COMPANIES_AT_ONCE: '6',
        BACKFILL_COMPANIES_AT_ONCE: '2',
      },
      'cfe-lake-export-company': {
        ...powertools('export-company'),
        API_ADDRESS: 'https://api.example.invalid',
        COMPANIES_SECRET: 'cfe-lake/companies',
        LAKE_BUCKET: '<LakeBucket>',
        COMPANIES_AT_ONCE: '6',
        BACKFILL_COMPANIES_AT_ONCE: '2',
        REQUESTS_PER_COMPANY: '8',
        MAX_ROWS_PER_LIST: '250000',
        MAX_DETAILS_PER_UNIT: '10000',
      },
      'cfe-lake-publish': {
        ...powertools('publish'),
        LAKE_BUCKET: '<LakeBucket>',
        NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=1600',
      },
      'cfe-lake-finish-run': {
        ...powertools('finish-run'),
        LAKE_BUCKET: '<LakeBucket>',
        NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=1600',
      },
    });
  });

  it('know where the login and its tokens are', () => {
    for (const [settings, login] of [
      [STACKS.own, 'cfe-lake/login'],
      [{ login: true, stackName: 'prueba' }, 'prueba/login'],
      [STACKS.other, 'otro/login'],
    ] as const) {
      const functions = Object.values(propertiesOf(synthesise(settings), 'AWS::Lambda::Function'));
      const tokens = functions.filter((definition) =>
        JSON.stringify(definition).includes('"TOKENS_SECRET":{"Ref"'),
      );
      expect(tokens.map(({ FunctionName }) => asText(FunctionName).split('-').slice(-2).join('-'))).toEqual(
        expect.arrayContaining(['start-run', 'export-company', 'renew-tokens']),
      );
      const knowing = functions.filter((definition) =>
        JSON.stringify(definition).includes(`"LOGIN_SECRET":"${login}"`),
      );
      expect(knowing).toHaveLength(1);
    }
  });

  const place = { API_ADDRESS: 'https://other.example.invalid', COMPANIES_SECRET: 'otro/empresas' };
  it.each([
    ['own', 'cfe-lake-export-company', { DETAILS: 'recibidos,emitidos', MAX_DETAILS_PER_UNIT: '500' }, {}],
    ['other', 'otro-lago-start-run', { ...place, FIRST_DAY: '2015-06-01' }, {}],
    [
      'other',
      'otro-lago-export-company',
      { ...place, REQUESTS_PER_COMPANY: '4', MAX_ROWS_PER_LIST: '1000000' },
      { MemorySize: 2048, Timeout: 900 },
    ],
  ] as const)('are told what the stack %s asks for: %s', (stack, FunctionName, Variables, sizes) => {
    const asked = { FunctionName, Environment: { Variables }, ...sizes };
    synthesise(STACKS[stack]).hasResourceProperties('AWS::Lambda::Function', asked);
  });
});

it('the alarms go to the addresses given, or to nobody', () => {
  template.resourceCountIs('AWS::SNS::Subscription', 0);
  const subscribed = (settings: object) =>
    Object.values(propertiesOf(synthesise({ ...settings }), 'AWS::SNS::Subscription')).map(
      ({ TopicArn, Endpoint }) => `${asText(TopicArn).replace(/[0-9A-F]{8}>/, '>')} ${Endpoint}`,
    );
  expect(subscribed(STACKS.own).sort()).toEqual([
    '<AlarmsMorningTopic> ops@example.com',
    '<AlarmsTopic> ops@example.com',
    '<AlarmsTopic> pager@example.com',
  ]);
  expect(subscribed({ urgentEmail: 'pager@example.com' })).toEqual(['<AlarmsTopic> pager@example.com']);
});

describe('the outputs', () => {
  it('are what the command line and people look for', () => {
    const outputs = template.findOutputs('*');
    expect(Object.keys(outputs).sort()).toEqual([
      'AlarmTopicArn',
      'AnalystPolicy',
      'Database',
      'LakeBucket',
      'MorningTopicArn',
      'OperatorPolicy',
      'ScheduleGroup',
      'StartRunFunction',
      'StateMachineArn',
      'Workgroup',
    ]);
  });

  it('say so if the settings want no nightly run', () => {
    synthesise(STACKS.off).hasOutput('NightlyRuns', { Value: 'off' });
    expect(other.findOutputs('NightlyRuns')).toEqual({});
  });
});

it('a second stack names everything after itself', () => {
  const named = JSON.stringify(other.toJSON());
  expect(named).toContain('otro-lago-start-run');
  expect(named).toContain('otro_lago');
  // The source of its events is the program's.
  expect(named.replaceAll(/"events:source":"cfe-lake"/g, '')).not.toMatch(/cfe[-_]lake/);
});
