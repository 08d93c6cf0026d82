import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Validations } from 'aws-cdk-lib';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { withRows } from './page-tables.ts';
import { type GivenPolicy, policiesIn } from './policies.ts';
import { makeStack, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const PAGE = fileURLToPath(new URL('../../docs/security.md', import.meta.url));

const template = synthesise({ login: true });
const policies = [...policiesIn(template), ...policiesIn(template, 'AWS::IAM::ManagedPolicy')];

/** What the page calls them, and how the logical ids of their roles or policies begin. */
const WHO: readonly (readonly [name: string, id: string])[] = [
  ['`start-run`', 'ExporterStartRunRole'],
  ['`export-company`', 'ExporterExportCompanyRole'],
  ['`renew-tokens`', 'ExporterRenewTokensRole'],
  ['`publish`', 'ExporterPublishRole'],
  ['`finish-run`', 'ExporterFinishRunRole'],
  ['the state machine', 'ExporterRunStateMachineRole'],
  ['the schedules', 'SchedulesRole'],
  ['`OperatorPolicy`', 'CallersOperator'],
  ['`AnalystPolicy`', 'CallersAnalyst'],
];

/** What the page says of all of them at once: own logs, listing, and what belongs to an upload in parts. */
const OF_ALL: ReadonlySet<string> = new Set([
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  's3:ListBucket',
  's3:GetBucketLocation',
  's3:AbortMultipartUpload',
  's3:ListMultipartUploadParts',
]);
const COLUMNS = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'];

function belongsTo({ id, roles }: GivenPolicy, beginning: string): boolean {
  return [id, ...roles].some((name) => name.startsWith(beginning));
}

/** Folders read, written and deleted in, then all other actions by service. */
function rowOf([name, beginning]: (typeof WHO)[number]): string {
  const granted = policies
    .filter((policy) => belongsTo(policy, beginning))
    .flatMap(({ statements }) => statements)
    .flatMap(({ Action: actions, Resource: resources }) =>
      actions.flatMap((action) => resources.map((resource) => ({ action, resource }))),
    );
  const folders = COLUMNS.map((column) =>
    granted
      .filter(({ action }) => action === column)
      .map(({ resource }) => `\`${/^<LakeBucket\w+\.Arn>\/(.+)\/\*$/.exec(resource)?.[1]}\``),
  );
  const others = granted
    .map(({ action }) => action)
    .filter((action) => !OF_ALL.has(action) && !COLUMNS.includes(action));
  const services = Map.groupBy([...new Set(others)].sort(), (action) => action.split(':', 1)[0]);
  const besides = [...services].map(
    ([service, actions]) => `${service}: ${actions.map((action) => action.split(':')[1]).join(', ')}`,
  );
  const cells = [...folders.map((cell) => [...new Set(cell)].sort().join(' ')), besides.join('; ')];
  return `| ${name} | ${cells.map((cell) => cell || '–').join(' | ')} |`;
}

/** Each finding of cdk-nag that is acknowledged, without the resource, and why. */
function acknowledgedRows(): string[] {
  const rows = new Set<string>();
  const { of } = Validations;
  vi.spyOn(Validations, 'of').mockImplementation((construct) => {
    const found = of.call(Validations, construct);
    vi.spyOn(found, 'acknowledge').mockImplementation((...rules) => {
      for (const { id, reason } of rules) rows.add(`| \`${id.split('[')[0]}\` | ${reason} |`);
    });
    return found;
  });
  for (const settings of [STACKS.own, STACKS.platform]) makeStack(settings);
  return [...rows].sort();
}

const Rule = v.object({
  Prefix: v.optional(v.string()),
  ExpirationInDays: v.optional(v.number()),
  NoncurrentVersionExpiration: v.optional(v.object({ NoncurrentDays: v.number() })),
});
const Bucket = v.object({ LifecycleConfiguration: v.object({ Rules: v.array(Rule) }) });

/** How long the bucket keeps a folder's objects, and what they replaced. */
function lifecycleRows(): string[] {
  return Object.values(propertiesOf(template, 'AWS::S3::Bucket'))
    .flatMap((bucket) => v.parse(Bucket, bucket).LifecycleConfiguration.Rules)
    .flatMap(({ Prefix: prefix, ExpirationInDays: days, NoncurrentVersionExpiration: replaced }) => {
      const folder = prefix === undefined ? 'all others' : `\`${prefix.replace(/\/$/, '')}\``;
      return replaced === undefined
        ? []
        : [`| ${folder} | ${days ?? 'for ever'} | ${replaced.NoncurrentDays} |`];
    })
    .sort();
}

describe('docs/security.md', () => {
  it('says who may do what, what of cdk-nag is acknowledged and why, and how long objects stay, as the code does', async () => {
    let page = readFileSync(PAGE, 'utf8');
    page = withRows(page, 'Who', WHO.map(rowOf));
    page = withRows(page, 'Rule', acknowledgedRows());
    page = withRows(page, 'Folder', lifecycleRows());
    await expect(page).toMatchFileSnapshot(PAGE);
  });

  it('leaves nobody out who may do anything', () => {
    for (const policy of policies) {
      expect(WHO.filter(([, beginning]) => belongsTo(policy, beginning))).toHaveLength(1);
    }
  });
});
