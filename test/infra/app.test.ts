import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { type Answer, startHttpServer } from '../support/api/http-server.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import type { Ended } from '../support/program/run-main.ts';
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

/** Runs the app as CDK does, with this context. Without an endpoint, CDK found no credentials. */
function synthesise(context: object, endpoint?: URL): Promise<Ended> {
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
  return endOf(spawn(process.execPath, [resolve('bin/app.ts')], { cwd: newFolder(), env }));
}

it('refuses a risky change by one sentence and exit code 1, and goes on if it is accepted', async () => {
  const { address } = await startHttpServer(answer);
  const risky = { ...SETTINGS, useKms: 'true' };
  const refused = await synthesise(risky, address);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /Nothing was deployed\. .*"useKms": true.*npx cdk deploy -c accept=encryption\n$/,
  );
  expect(refused.stderr).not.toMatch(/\n {4}at /);

  const accepted = await synthesise({ ...risky, accept: 'encryption' }, address);
  expect(accepted).toMatchObject({ code: 0 });
  expect(accepted.stderr).toContain(
    'Compared with what is deployed in AWS account 123456789012, region sa-east-1.',
  );
});

it('says that nothing is compared without credentials, or if nothing is deployed: destroy, bootstrap, list', async () => {
  const { address, requests } = await startHttpServer(answer);
  const risky = { ...SETTINGS, useKms: 'true' };
  expect(await synthesise(risky)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Not compared with what is deployed: there are no credentials of AWS.'),
  });
  expect(await synthesise({ ...risky, 'aws:cdk:bundling-stacks': [] }, address)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Not compared with what is deployed: this command deploys nothing.'),
  });
  expect(requests).toEqual([]);
});

it.each([
  [{ ...SETTINGS, accept: 'all' }, 'takes bucket, encryption, second-stack, unseen'],
  [{ ...SETTINGS, nightlyDays: '0', nope: '1' }, 'nightlyDays: must be'],
])('refuses %j by a sentence, not a stack trace', async (context, sentence) => {
  const { code, stderr } = await synthesise(context);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n {4}at /);
});
