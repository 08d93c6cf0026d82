import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type Answer, startHttpServer } from '../support/api/http-server.ts';
import { itLong } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { endOf, plainEnvironment } from '../support/program/run-program.ts';

const SETTINGS = { apiAddress: 'https://api.example.invalid' };
const DEPLOYED =
  '<member><StackName>cfe-lake</StackName><StackStatus>CREATE_COMPLETE</StackStatus>' +
  '<StackId>arn:aws:cloudformation:sa-east-1:123456789012:stack/cfe-lake/1</StackId>' +
  '<CreationTime>2026-11-01T00:00:00Z</CreationTime></member>';
const BUCKET =
  '<member><LogicalResourceId>Lake</LogicalResourceId><ResourceType>AWS::S3::Bucket</ResourceType>' +
  '<ResourceStatus>CREATE_COMPLETE</ResourceStatus>' +
  '<LastUpdatedTimestamp>2026-11-01T00:00:00Z</LastUpdatedTimestamp></member>';

/** CloudFormation, with a lake of default settings. */
function answer({ body }: { body: string }): Answer {
  const list = (action: string, name: string, members: string) =>
    `<${action}Response><${action}Result><${name}>${members}</${name}></${action}Result></${action}Response>`;
  return {
    body: body.includes('Action=DescribeStacks')
      ? list('DescribeStacks', 'Stacks', DEPLOYED)
      : list('ListStackResources', 'StackResourceSummaries', BUCKET),
  };
}

/** Starts the app as CDK does, with this context. Without an endpoint, CDK found no credentials. */
function startApp(context: object, endpoint?: URL): ChildProcess {
  const env = plainEnvironment({
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_OUTDIR: newFolder(),
    ...(endpoint && {
      CDK_DEFAULT_ACCOUNT: '123456789012',
      CDK_DEFAULT_REGION: 'sa-east-1',
      AWS_ENDPOINT_URL: endpoint.href,
      AWS_REGION: 'sa-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    }),
  });
  return spawn(process.execPath, [resolve('bin/app.ts')], { cwd: newFolder(), env });
}

/** What it says of the comparison after the settings for this time. The rest, which takes seconds, is cut short. */
async function comparisonOf(app: ChildProcess): Promise<string | undefined> {
  if (app.stderr === null) return undefined;
  for await (const line of createInterface(app.stderr)) {
    if (line.startsWith('For this time only')) continue;
    app.kill();
    return line;
  }
  return undefined;
}

const RISKY = { ...SETTINGS, useKms: 'true' };

it('refuses a risky change by one sentence and exit code 1, and goes on if it is accepted', async () => {
  const { address } = await startHttpServer(answer);
  const { code, stdout, stderr } = await endOf(startApp(RISKY, address));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/Nothing was deployed\. .*"useKms": true.*npx cdk deploy -c accept=encryption\n$/);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(await comparisonOf(startApp({ ...RISKY, accept: 'encryption' }, address))).toBe(
    'Compared with what is deployed in AWS account 123456789012, region sa-east-1.',
  );
});

it('asks nobody without credentials, nor if nothing is deployed (destroy, bootstrap), and says so', async () => {
  const { address, requests } = await startHttpServer(answer);
  expect(await comparisonOf(startApp(RISKY))).toBe(
    'Not compared with what is deployed: there are no credentials of AWS.',
  );
  expect(await comparisonOf(startApp({ ...RISKY, 'aws:cdk:bundling-stacks': [] }, address))).toBe(
    'Not compared with what is deployed: this command deploys nothing.',
  );
  expect(requests).toEqual([]);
});

it.each([
  [{ ...SETTINGS, accept: 'all' }, 'takes bucket, encryption, second-stack, unseen'],
  [{ ...SETTINGS, nightlyDays: '0' }, 'nightlyDays: must be'],
])('refuses %j by a sentence, not a stack trace', async (context, sentence) => {
  const { code, stderr } = await endOf(startApp(context));
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n {4}at /);
});

itLong(
  'synthesises without an account and without settings, and says that its API is an example',
  async () => {
    const { code, stderr } = await endOf(startApp({}));
    expect(code).toBe(0);
    expect(stderr).toContain('Its API is an example: cfe-lake.config.json names yours');
  },
);
