import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { type Ended, runMain } from '../support/program/run-main.ts';
import {
  endOf,
  PROGRAM_FILE,
  plainEnvironment,
  runProgram,
  startProgram,
} from '../support/program/run-program.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const DAY = '2026-11-19';

const folder = sharedFolder();
const sandbox = await sharedSandbox({
  now: '2026-11-20T03:00:00',
  receiptsPerDay: 20,
  behaviour: { lateArrivals: false },
});

function exportWords(lake: string, ...words: string[]): string[] {
  return ['export', '--api', sandbox.url, '--lake', lake, ...words];
}

async function count(lake: string): Promise<string> {
  const sql = 'SELECT count(*) AS n, count(DISTINCT id) AS d FROM recibidos';
  return (await runMain('query', sql, '--lake', join(folder, lake), '--format', 'csv')).stdout;
}

describe('the program as a process', () => {
  it('says its version, which is the package’s', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await runProgram(['--version'], folder)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('prints one line and exits with 2 for wrong words, without a terminal and without colour', async () => {
    const { code, stdout, stderr } = await runProgram(['exprot'], folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^cfe-lake: unknown command 'exprot' .*\n$/);
    expect(stderr).not.toContain('\u001b');
  });

  it('stops silently when its reader goes away, and exits with success', async () => {
    const child = startProgram(['query', 'SELECT * FROM range(60000)', '--lake', tmpdir()], folder);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await endOf(child);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('exports though nobody reads its progress', async () => {
    const child = startProgram(exportWords('unwatched', '--date', DAY), folder);
    child.stderr?.destroy();
    expect((await endOf(child)).code).toBe(0);
    expect(await count('unwatched')).toBe('n,d\r\n80,80\n');
  });

  it('says when its output can’t be written', async () => {
    const file = join(folder, 'shown');
    await writeFile(file, '');
    const readOnly = openSync(file, 'r');
    const child = spawn(process.execPath, [PROGRAM_FILE, '--version'], {
      stdio: ['ignore', readOnly, 'pipe'],
      env: plainEnvironment(),
    });
    const { code, stderr } = await endOf(child);
    closeSync(readOnly);
    expect(stderr).toBe('cfe-lake: the output could not be written (EBADF).\n');
    expect(code).toBe(1);
  });

  it('says so and fails when there is nothing left to wait for before its work is done', async () => {
    const file = join(folder, 'companies.json');
    const companies = [{ rut: '219999830019', token: 'a-token-of-nobody' }];
    await writeFile(file, JSON.stringify({ api: 'http://127.0.0.1:9', companies }), { mode: 0o600 });
    // Requests that are never sent, and timers that keep no process alive.
    const broken = `
      import { Agent } from 'node:http';
      Agent.prototype.addRequest = () => undefined;
      const before = setTimeout;
      globalThis.setTimeout = (...rest) => before(...rest).unref();`;
    const words = ['export', '--companies', file, '--lake', 'unsettled', '--date', DAY];
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(broken)}` };
    const { code, stderr } = await runProgram(words, folder, env);
    expect(stderr).toMatch(/^cfe-lake: the program ended before its work did\. .* Run the command again/m);
    expect(code).toBe(1);
  });

  it('stops at the first audit that can’t be written, with its results and the reason as its last line', async () => {
    // The shell's file size limit stands in for a full disk: any user can set it.
    const program = [
      process.execPath,
      PROGRAM_FILE,
      ...exportWords('limited', '--from', '2026-11-17', '--to', DAY),
    ];
    const child = spawn('bash', ['-c', 'ulimit -f 1; exec "$@"', 'bash', ...program], {
      cwd: folder,
      env: plainEnvironment({ NODE_DISABLE_COMPILE_CACHE: '1' }),
    });
    const { code, stdout, stderr } = await endOf(child);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^cfe-lake: The audit of run \S+ could not be written: .*writing \S+ failed.* \(EFBIG\)\. Raise the limit .*half-written\. What was stored is in the lake\. .*$/,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^Run \S+, in limited\.$/m) });
  });
});

/** Runs a command in this process, as if it had this environment. */
async function runMainWith(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Ended> {
  const before = process.env;
  process.env = plainEnvironment(env);
  try {
    return await runMain(...words);
  } finally {
    process.env = before;
  }
}

it.each([
  [
    { AWS_REGION: 'us-east-1' },
    ['export', '--lake', 's3://a-bucket-of-nobody'],
    /\(CredentialsProviderError\)\. Sign in/,
  ],
  [
    {},
    ['runs'],
    /No AWS region is set\. Set AWS_REGION to the stack's region, or AWS_PROFILE to a profile that has one\./,
  ],
] satisfies [NodeJS.ProcessEnv, string[], RegExp][])(
  'a lake in a bucket, where AWS is not set up, is refused with what to do: %j %j',
  async (env, words, message) => {
    const { code, stdout, stderr } = await runMainWith(env, ...words);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
);
