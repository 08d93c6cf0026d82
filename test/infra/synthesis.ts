import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { afterAll } from 'vitest';
import { CfeLakeStack } from '../../lib/stack/cfe-lake.ts';
import { readSettings } from '../../lib/stack/read-settings.ts';
import { CDK_JSON } from './cdk-json.ts';

/** A template does not show what is in a bundle. */
const STUB = fileURLToPath(new URL('bundle-stub', import.meta.url));
export const BUNDLES = {
  'start-run': STUB,
  'export-company': STUB,
  publish: STUB,
  'finish-run': STUB,
  'renew-tokens': STUB,
};

type Given = Readonly<Record<string, unknown>>;

export const KEY = 'arn:aws:kms:sa-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef';
export const SECRETS_KEY = 'arn:aws:kms:sa-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';

/** Settings of a VPC. */
const NETWORK = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  securityGroupIds: ['sg-0123456789abcdef0'],
};

/** The stacks that the tests look at. They share their templates, since each takes a third of a second to make. */
export const STACKS = {
  default: {},
  /** With all that is made on demand, and removed with the stack. */
  own: {
    useKms: true,
    removalPolicy: 'destroy',
    alarmEmail: 'ops@example.com',
    secretKeyArn: SECRETS_KEY,
    details: 'emitidos,recibidos',
    maxDetailsPerUnit: '500',
    login: true,
    urgentEmail: 'pager@example.com',
    tokenAlarmDays: 30,
  },
  /** In an account where a platform team rules. */
  platform: {
    ...NETWORK,
    login: true,
    encryptionKeyArn: KEY,
    accessLogsBucket: 'the-logs',
    permissionsBoundary: 'platform/boundary',
    tags: 'team=finance,env=prod',
    deepReadDays: 400,
    apiRequestsPerSecond: 20,
    alarmEmail: 'ops@example.com',
    removalPolicy: 'destroy',
  },
  /** With a bucket that is there already. */
  adopted: { bucketName: 'the-lake', bucketKeyArn: SECRETS_KEY, encryptionKeyArn: KEY, tokenAlarmDays: 0 },
  off: { nightly: 'off', weekly: 'off' },
  /** A second one in the account, with other times and sizes. */
  other: {
    stackName: 'otro-lago',
    apiAddress: 'https://other.example.invalid',
    secretName: 'otro/empresas',
    login: 'otro/login',
    nightly: '00:15',
    nightlyDays: 7,
    weekly: 'MON',
    weeklyDays: 30,
    deepReadDays: 100,
    firstDay: '2015-06-01',
    logRetentionDays: 30,
    workerMemoryMb: 2048,
    companiesAtOnce: '5',
    backfillCompaniesAtOnce: 1,
    requestsPerCompany: 4,
    maxRowsPerList: 1_000_000,
    runTimeoutHours: 10,
    scanCutoffGiB: 5,
    noncurrentVersionDays: 60,
    apiRequestsPerSecond: 3,
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/bound',
  },
} as const satisfies Record<string, Given>;

const outputFolders: string[] = [];
afterAll(() => {
  for (const folder of outputFolders) rmSync(folder, { recursive: true, force: true });
});

/** An app without CDK's own check of its templates, which takes seconds; nag.test.ts runs that check. */
export function newApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, builtinCloudFormationValidation: false, ...props });
}

/** The stack with the flags of cdk.json and these settings; only the address is given by default. */
export function makeStack(settings: Given = {}, props: AppProps = {}): CfeLakeStack {
  const given = { apiAddress: 'https://api.example.invalid', ...settings };
  const app = newApp({ context: { ...CDK_JSON.context, ...given }, ...props });
  outputFolders.push(app.outdir);
  return new CfeLakeStack(app, 'CfeLake', {
    settings: readSettings(app.node.getAllContext()),
    bundles: BUNDLES,
  });
}

const templates = new Map<string, Template>();

/** The template with these settings, made once per process. Tests must not change it. */
export function synthesise(settings: Given = {}): Template {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? Template.fromStack(makeStack(settings));
  templates.set(key, template);
  return template;
}

const Resource = v.looseObject({ Properties: v.optional(v.record(v.string(), v.unknown()), {}) });

/** The properties of all resources of a type, by logical id. */
export function propertiesOf(template: Template, type: string): Record<string, Record<string, unknown>> {
  const resources = v.parse(v.record(v.string(), Resource), template.findResources(type));
  return Object.fromEntries(Object.entries(resources).map(([id, { Properties }]) => [id, Properties]));
}

const Joined = v.object({ 'Fn::Join': v.tuple([v.literal(''), v.array(v.unknown())]) });

/** A value of the template as text, with `<LogicalId>` and `<LogicalId.Attribute>` where it refers to a resource. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (v.is(Joined, value)) return value['Fn::Join'][1].map(asText).join('');
  if (v.is(v.object({ Ref: v.string() }), value)) return `<${value.Ref}>`;
  if (v.is(v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) }), value)) {
    return `<${value['Fn::GetAtt'].join('.')}>`;
  }
  return JSON.stringify(value);
}
