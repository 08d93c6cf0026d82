import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Printer, tellFailure } from '../../../lib/cli/printer.ts';
import { stackCommand } from '../../../lib/cli/stack/stack-command.ts';
import { type AwsStandIn, startAwsStandIn } from '../../support/aws/stand-in.ts';
import { itLong } from '../../support/campaign.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import type { Ended } from '../../support/program/run-main.ts';
import { endOf, plainEnvironment } from '../../support/program/run-program.ts';

const SIGNED_IN = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const TOOLKIT =
  '<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>CDKToolkit</StackName>' +
  '<StackId>arn:aws:cloudformation:sa-east-1:123456789012:stack/CDKToolkit/1</StackId>' +
  '<CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>' +
  '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>';
const NO_STACK = refusal('ValidationError', 'Stack with id CDKToolkit does not exist');

function refusal(code: string, message: string): { status: number; body: string } {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status: 400, body: `<ErrorResponse>${error}</ErrorResponse>` };
}

let aws: AwsStandIn;
beforeAll(async () => {
  aws = await startAwsStandIn();
});
beforeEach(() => {
  aws.disturb = () => NO_STACK;
});
afterAll(() => aws.close());

function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return plainEnvironment({ AWS_ENDPOINT_URL: aws.url, ...env });
}

/** Runs in a separate process, because CDK writes to the process's own streams. */
function stack(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return endOf(spawn(process.execPath, [resolve('bin/stack.ts'), ...words], { env: environment(env) }));
}

/** Runs in this process. Also returns the words that CDK was called with, if it was. */
async function stackHere(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cdkEnd = 7,
): Promise<Ended & { cdk: readonly string[] | undefined }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let cdk: readonly string[] | undefined;
  const run = async (cdkWords: readonly string[]) => {
    cdk = cdkWords;
    return cdkEnd;
  };
  const terminal = { stdout: new Printer(stdout), stderr: new Printer(stderr), run };
  const before = process.env;
  process.env = environment(env);
  const code = await stackCommand(words, terminal).catch((error) =>
    tellFailure(error, terminal.stderr, false),
  );
  process.env = before;
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr), cdk };
}

describe.each(['bootstrap', 'deploy', 'diff', 'destroy'])('npm run %s', (command) => {
  it('says first of all that nobody is signed in, or that there is no region', async () => {
    const stranger = await stackHere([command], { AWS_REGION: 'sa-east-1' });
    expect(stranger).toMatchObject({ code: 2, stdout: '' });
    expect(stranger.stderr).toMatch(/\(CredentialsProviderError\)\. Sign in to AWS first: aws sso login/);
    const nowhere = await stackHere([command], SIGNED_IN);
    expect(nowhere).toMatchObject({ code: 2, stdout: '' });
    expect(nowhere.stderr).toMatch(/No AWS region is set\. Set AWS_REGION/);
  });
});

it('deploy says what to do in an account where CDK was never set up', async () => {
  expect(await stackHere(['deploy'], { ...SIGNED_IN, AWS_DEFAULT_REGION: 'sa-east-1' })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^cfe-lake: CDK is not set up yet .* in sa-east-1\. .*npm run bootstrap\./),
  });
});

describe('where CDK was set up', () => {
  const ENV = { ...SIGNED_IN, AWS_REGION: 'sa-east-1' };
  // The settings with which CDK would synthesise the template.
  const CDK = ['--app', 'exit 7'];
  const ADDRESS = ['-c', 'apiAddress=https://api.example.invalid'];
  beforeEach(() => {
    aws.disturb = () => ({ status: 200, body: TOOLKIT });
  });

  it.each(['deploy', 'diff'])('%s goes on to CDK', async (command) => {
    const { stderr, code, cdk } = await stackHere([command, ...CDK, ...ADDRESS], ENV);
    expect(stderr).toMatch(
      /^AWS account 123456789012, region sa-east-1\nFor this deployment only: apiAddress\./,
    );
    expect({ code, cdk }).toEqual({ code: 7, cdk: [command, ...CDK, ...ADDRESS] });
  });

  itLong('deploy ends with the code of CDK', async () => {
    const { stderr, code } = await stack(['deploy', ...CDK, ...ADDRESS], ENV);
    expect(stderr).toMatch(/exited with error 7/);
    expect(code).toBe(1);
  });

  it('destroy needs no settings', async () => {
    const { cdk } = await stackHere(['destroy', ...CDK], ENV);
    expect(cdk).toEqual(['destroy', '-c', expect.stringMatching(/^apiAddress=/), ...CDK]);
  });

  it('wrong settings are reported before the template is made', async () => {
    const wrong = await stackHere(['deploy', ...CDK, ...ADDRESS, '-c', 'nightlyDays=99'], ENV);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('\n  nightlyDays: must be') });
    expect(wrong.cdk).toBeUndefined();
    const none = await stackHere(['deploy', ...CDK], ENV);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('\n  apiAddress: is missing') });
  });

  it('deploy refuses a second stack beside an existing one, unless that is intended', async () => {
    const outputs = ['LakeBucket', 'StartRunFunction', 'StateMachineArn'].map(
      (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>x</OutputValue></member>`,
    );
    const body = TOOLKIT.replace(
      '</member></Stacks>',
      '</member><member><StackName>books</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime>' +
        `<StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${outputs.join('')}</Outputs></member></Stacks>`,
    );
    aws.disturb = () => ({ status: 200, body });
    const refused = await stackHere(['deploy', ...CDK, ...ADDRESS], ENV);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /cfe-lake: Nothing was deployed\. There is no stack cfe-lake here, but there is books/,
    );
    expect(refused.cdk).toBeUndefined();
    const meant = await stackHere(['deploy', '--accept', 'second-stack', ...CDK, ...ADDRESS], ENV);
    expect(meant.cdk).toEqual(['deploy', ...CDK, ...ADDRESS]);
    const wrong = await stackHere(['deploy', '--accept', 'all', ...CDK, ...ADDRESS], ENV);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: 'cfe-lake: --accept takes bucket or encryption or second-stack.\n',
    });
  });

  it('diff goes on to CDK, and deploy does not, for a user who may not look at what exists', async () => {
    aws.disturb = () => refusal('AccessDenied', 'not for you');
    const { stderr, cdk } = await stackHere(['diff', ...CDK, ...ADDRESS], ENV);
    expect(stderr).toMatch(/^AWS, region sa-east-1\n/);
    expect(cdk).toEqual(['diff', ...CDK, ...ADDRESS]);
    const deploy = await stackHere(['deploy', ...CDK, ...ADDRESS], ENV);
    expect(deploy).toMatchObject({ code: 2, stderr: expect.stringContaining('Ask for the permission') });
  });
});

itLong('bootstrap needs no settings', async () => {
  const words = ['bootstrap', '--show-template'];
  const { code, stdout } = await stack(words, { ...SIGNED_IN, AWS_REGION: 'sa-east-1' });
  expect([code, stdout]).toEqual([0, expect.stringContaining('CdkBootstrapVersion')]);
});

it('knows its commands', async () => {
  expect(await stackHere(['deplyo'], {})).toMatchObject({
    code: 2,
    stderr:
      'cfe-lake: Run one of npm run settings, npm run synth, npm run bootstrap, npm run deploy, npm run diff, npm run destroy.\n',
  });
});

describe('npm run synth', () => {
  it('needs no account: it says where the template is, and that its API is an example where there is none', async () => {
    const [folder, before] = [newFolder(), process.cwd()];
    const settings = join(folder, 'cfe-lake.config.json');
    process.chdir(folder);
    try {
      const example = await stackHere(['synth'], {}, 0);
      expect(example.cdk).toEqual(['synth', '--quiet', '-c', 'apiAddress=https://api.example.invalid']);
      expect(example.stdout).toMatch(
        /^The template is cdk\.out\/CfeLake\.template\.json;.*\n.* with the default settings\.\nBut its API is an example, .*: npm run settings asks/,
      );
      writeFileSync(settings, JSON.stringify({ apiAddress: 'https://api.example.com' }));
      const kept = await stackHere(['synth', '-c', 'nightlyDays=5', '-o', 'elsewhere'], {}, 0);
      expect(kept.cdk).toEqual(['synth', '--quiet', '-c', 'nightlyDays=5', '-o', 'elsewhere']);
      expect(kept.stdout).toMatch(
        / elsewhere\/CfeLake\.template\.json;.*\n.* deploy would send, with the settings of cfe-lake\.config\.json, -c nightlyDays\.\n$/,
      );
    } finally {
      process.chdir(before);
    }
  });

  it('says nothing of a template that CDK did not make', async () => {
    expect(await stackHere(['synth'], {}, 1)).toMatchObject({ code: 1, stdout: '' });
  });
});
