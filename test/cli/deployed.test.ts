import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import type { Terminal } from '../../lib/cli/command.ts';
import { backfill, tell } from '../../lib/cli/commands/deployed.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { type CheckLine, failure, ok, warning } from '../../lib/run/deployed/check-stack.ts';
import type { Deployment, RunDescription } from '../../lib/run/deployed/runs.ts';
import { runMain } from '../support/program/run-main.ts';

const REQUEST = { desde: '2026-01-01', hasta: '2026-01-31' };
const ARN = 'arn:aws:states:us-east-1:000000000000:execution:cfe-lake:20260201-a';
const RUN: RunDescription = {
  runId: '20260201-a',
  status: 'SUCCEEDED',
  startedAt: new Date('2026-02-01T06:00:00Z'),
  endedAt: new Date('2026-02-01T06:01:30Z'),
  input: {
    runId: '20260201-a',
    runDay: '2026-02-01',
    from: '2026-01-01',
    to: '2026-01-31',
    directions: ['recibidos', 'emitidos'],
    companiesAtOnce: 2,
    ruts: ['219999830019', '214844360018'],
  },
  failure: undefined,
};

/** A stack that returns only canned answers. */
function deployment(
  failures: Awaited<ReturnType<Deployment['countRun']>>['failures'],
): Pick<Deployment, 'startBackfill' | 'followRun' | 'countRun' | 'outputs'> {
  const count = {
    companies: 2,
    units: 124,
    states: { exportado: 124 - failures.length, sin_cambios: 0, vacio: 0, fallido: failures.length },
    detailsOnly: 0,
    missing: 0,
    receipts: 5000,
    findings: [],
    unknownFields: [],
    failures,
    damaged: [],
  };
  return {
    startBackfill: async () => ({
      corrida: RUN.runId,
      empresas: 2,
      unidades: 124,
      ejecucion: ARN,
      avisos: [],
      problemas: ['cfe-lake/companies: entry 3 has an empty token'],
      repetida: false,
    }),
    followRun: async (_arn, { onProgress }) => {
      onProgress?.({ done: 1, failed: 0, running: 1 });
      onProgress?.({ done: 2, failed: 0, running: 0 });
      return RUN;
    },
    countRun: async () => count,
    outputs: {
      lakeBucket: 'a-bucket',
      startRunFunction: 'f',
      stateMachineArn: 'arn:machine',
      status: 'CREATE_COMPLETE',
      region: 'us-east-1',
      account: '000000000000',
      database: 'd',
      workgroup: 'w',
      alarmTopicArn: 'arn:topic',
      morningTopicArn: 'arn:morning',
      scheduleGroup: 'g',
    },
  };
}

async function shown(found: ReturnType<typeof deployment>) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const terminal: Terminal = {
    stdout: new Printer(stdout),
    stderr: new Printer(stderr),
    signal: new AbortController().signal,
  };
  const code = await backfill(found, REQUEST, terminal);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

describe('backfill', () => {
  it('says what was started, shows its progress, and ends with its outcome', async () => {
    const { code, stdout, stderr } = await shown(deployment([]));
    expect(code).toBe(0);
    expect(stdout).toContain('Run 20260201-a: 124 units of 2 companies.');
    expect(stdout).toContain(ARN);
    expect(stdout).toContain('SUCCEEDED: exportado 124, sin_cambios 0, vacio 0, fallido 0; 5,000 receipts.');
    expect(stdout).toMatch(/\nQuery it: .* query --lake s3:\/\/a-bucket "SELECT .* DATE '2026-02-01'"\n$/);
    expect(stderr).toContain('entry 3 has an empty token');
    expect(stderr).toContain('1/2 companies · 1 under way');
    expect(stderr).toContain('2/2 companies');
  });

  it('lists the failures and exits with 1', async () => {
    const failure = {
      rut: '219999830019',
      direction: 'emitidos',
      day: '2026-01-07',
      error: 'status 500',
    } as const;
    const { code, stdout } = await shown(deployment([failure]));
    expect(code).toBe(1);
    expect(stdout).toContain('2026-01-07 emitidos of 219999830019: status 500');
  });
});

const cloudFormation = mockClient(CloudFormationClient);
afterAll(() => cloudFormation.restore());

async function printed(lines: readonly CheckLine[], isJson = false) {
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
    expect(await printed([GOOD, BAD, DOUBTFUL])).toEqual({
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

  it('is one document with --json', async () => {
    const { code, text: document } = await printed([GOOD, BAD, DOUBTFUL], true);
    expect(code).toBe(1);
    expect(JSON.parse(document)).toEqual({
      isReady: false,
      failures: 1,
      warnings: 1,
      lines: [GOOD, BAD, DOUBTFUL],
    });
  });

  it('exits with 2 without a stack, and for an invalid RUT', async () => {
    const missing = Object.assign(new Error('Stack with id cfe-lake does not exist'), {
      name: 'ValidationError',
    });
    cloudFormation.on(DescribeStacksCommand).rejects(missing);
    expect(await runMain('check')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^cfe-lake: There is no stack of that name/),
    });
    expect((await runMain('check', '--rut', 'x')).code).toBe(2);
  });
});
