import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import { tell } from '../../lib/cli/commands/deployed.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { type CheckLine, failure, ok, warning } from '../../lib/deployed/check-lines.ts';
import { runMain } from '../support/program/run-main.ts';

const cloudFormation = mockClient(CloudFormationClient);
afterAll(() => cloudFormation.restore());

async function told(lines: readonly CheckLine[], isJson = false) {
  const stdout = new PassThrough();
  const terminal = {
    stdout: new Printer(stdout),
    stderr: new Printer(new PassThrough()),
    signal: new AbortController().signal,
  };
  async function* asTheyCome() {
    yield* lines;
  }
  const code = await tell(asTheyCome(), terminal, isJson);
  stdout.end();
  return { code, text: await text(stdout) };
}

const GOOD = ok('stack', 'cfe-lake in account 1, region r');
const DOUBTFUL = warning('alarms', 'nobody has confirmed', 'Open the e-mail.');
const BAD = failure('secret', 'entry 3:\u001b[31m the token is empty', 'Mend it.');

describe('check', () => {
  it('prints a line for each thing, with what to do below it, and sums up', async () => {
    expect(await told([GOOD, BAD, DOUBTFUL])).toEqual({
      code: 1,
      text: [
        'ok       stack      cfe-lake in account 1, region r',
        'FAILURE  secret     entry 3:\\u001b[31m the token is empty',
        '                    → Mend it.',
        'warning  alarms     nobody has confirmed',
        '                    → Open the e-mail.',
        '',
        '1 failure to correct before the night, 1 warning.',
        '',
      ].join('\n'),
    });
  });

  it('exits with 0 when there are only warnings', async () => {
    expect(await told([GOOD, DOUBTFUL])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/\nReady for the night, with 1 warning\.\n$/),
    });
    expect((await told([GOOD])).text).toMatch(/\nReady for the night\.\n$/);
  });

  it('is one document with --json', async () => {
    const { code, text: document } = await told([GOOD, BAD, DOUBTFUL], true);
    expect(code).toBe(1);
    expect(JSON.parse(document)).toEqual({
      isReady: false,
      failures: 1,
      warnings: 1,
      lines: [GOOD, BAD, DOUBTFUL],
    });
  });

  it('exits with 2 without a stack, and for an invalid RUT, which it does not repeat', async () => {
    const missing = Object.assign(new Error('Stack with id cfe-lake does not exist'), {
      name: 'ValidationError',
    });
    cloudFormation.on(DescribeStacksCommand).rejects(missing);
    expect(await runMain('check')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^cfe-lake: There is no stack of that name/),
    });
    const { code, stderr } = await runMain('check', '--rut', 'tok-1');
    expect(code).toBe(2);
    expect(stderr).not.toContain('tok-1');
  });
});
