import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../lib/cli/command.ts';
import { backfill, backfillRequest, runsTable } from '../../lib/cli/commands/deployed.ts';
import { Printer } from '../../lib/cli/printer.ts';
import type { Deployment, RunDescription } from '../../lib/deployed/runs.ts';
import { runMain } from '../support/program/run-main.ts';

const REQUEST = { desde: '2026-01-01', hasta: '2026-01-31' };
const ARN = 'arn:aws:states:us-east-1:000000000000:execution:cfe-lake:20260201-a';
const RUN: RunDescription = {
  corrida: '20260201-a',
  status: 'SUCCEEDED',
  startedAt: new Date('2026-02-01T06:00:00Z'),
  endedAt: new Date('2026-02-01T06:01:30Z'),
  input: {
    corrida: '20260201-a',
    dia: '2026-02-01',
    desde: '2026-01-01',
    hasta: '2026-01-31',
    direcciones: ['recibidos', 'emitidos'],
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
    failures,
    damaged: [],
  };
  return {
    startBackfill: async () => ({
      corrida: RUN.corrida,
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
    },
  };
}

async function shown(of: ReturnType<typeof deployment>) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const terminal: Terminal = {
    stdout: new Printer(stdout),
    stderr: new Printer(stderr),
    signal: new AbortController().signal,
  };
  const code = await backfill(of, REQUEST, terminal);
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

it.each([
  [['--details', 'facturas'], /--details takes recibidos or emitidos, not "facturas"/],
  [['--direction', 'recibidos', '--details', 'emitidos'], /add --direction emitidos/],
])('backfill refuses %j before it asks AWS for anything', async (words, message) => {
  const days = ['--from', '2026-01-01', '--to', '2026-01-31'];
  const { code, stderr } = await runMain('backfill', ...days, ...words);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('runs are listed with their dates, duration and failure', () => {
  const [, , first, second] = runsTable([RUN, { ...RUN, status: 'FAILED', failure: '3 units failed' }]).split(
    '\n',
  );
  expect(first).toMatch(/20260201-a +SUCCEEDED +2026-02-01T03:00:00 +1\.5 +2026-01-01 … 2026-01-31 +2$/);
  expect(second).toMatch(/FAILED .* 3 units failed$/);
});

describe('what backfill asks start-run for', () => {
  const days = { from: '2026-01-01', to: '2026-01-31' };
  const terminal = { stderr: new Printer(new PassThrough()) };

  it('leaves it to the stack whether its setting firstDay allows the days', () => {
    const early = { from: '2011-01-01', to: '2011-01-31' };
    expect(backfillRequest(early, terminal)).toMatchObject({ desde: early.from, hasta: early.to });
  });

  it('says of the lake’s source only what was typed', () => {
    expect(backfillRequest(days, terminal)).toEqual(REQUEST);
    expect(backfillRequest({ ...days, 'source-moved': true }, terminal)).toEqual({
      ...REQUEST,
      fuente: 'mudada',
    });
    expect(backfillRequest({ ...days, 'adopt-lake': true }, terminal)).toEqual({
      ...REQUEST,
      fuente: 'adoptada',
    });
    expect(() => backfillRequest({ ...days, 'source-moved': true, 'adopt-lake': true }, terminal)).toThrow(
      /either/,
    );
  });
});
