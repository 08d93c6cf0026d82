import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { runMain } from '../support/program/run-main.ts';

const OTHER_RUT = '214844360018';

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00' });
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

function run(...words: string[]) {
  return runMain('probe', '--api', sandbox.url, '--date', '2026-11-19', ...words);
}

describe('probe', () => {
  it('prints every question with its finding, and writes the same as JSON', async () => {
    const file = join(folder, 'found.json');
    sandbox.resetStats();
    const { code, stdout } = await run('--out', file, '--rut', OTHER_RUT);
    expect(code).toBe(0);
    expect(stdout).toMatch(/The list of recibidos, 2026-11-19\n/);
    expect(stdout).toMatch(/Which page size is honoured\? +as asked, up to 100\n {4}100 asked: status 200/);
    expect(stdout).toMatch(/without the header X-Emisor answered\? +status 400\n {4}status 400, \{message\}/);
    const { requests } = sandbox.stats();
    expect(stdout).toContain(`Requests sent: ${requests} (of at most 60): `);
    expect(stdout).toContain(`Written to ${file}.`);

    const text = await readFile(file, 'utf8');
    const report = JSON.parse(text);
    expect(report).toMatchObject({
      api: `${sandbox.url}/`,
      rut: OTHER_RUT,
      days: { recibidos: '2026-11-19', emitidos: '2026-11-19' },
      requests: { sent: requests, limit: 60 },
    });
    for (const { question, finding } of report.findings) {
      expect(stdout).toContain(question);
      expect(stdout).toContain(finding);
    }
    for (const { token } of sandbox.companies) expect(stdout + text).not.toContain(token);
  });

  it.each([
    [
      ['--out', '/nowhere/at/all.json'],
      2,
      /\/nowhere\/at\/all\.json can't be written: there is no such file or folder \(ENOENT\)/,
    ],
    [['--rut', '211003420017'], 2, /no company with the RUT 211003420017/],
    [['--date', '2026-11-18'], 2, /--date is given twice, with different values/],
  ] satisfies [string[], number, RegExp][])(
    '%j gets one line and an exit code',
    async (words, exitCode, message) => {
      const { code, stderr } = await run(...words);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(code).toBe(exitCode);
    },
  );

  it('says that nothing answers', async () => {
    const { code, stderr } = await runMain('probe', '--api', 'http://127.0.0.1:1', '--date', '2026-11-19');
    expect(stderr).toMatch(/no answer \(ECONNREFUSED\). Check the API's address/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });
});
