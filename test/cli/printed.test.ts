import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { Printer } from '../../lib/cli/printer.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';
import { runProgram } from '../support/program/run-program.ts';
import { sharedSandbox } from '../support/sandbox.ts';

/** Clears the screen, sets the title, reverses the text direction, and begins a new line. */
const EVIL = 'S\u001b[2J\u009d0;x\u0007.A\u202e.\u200b\nall is well';
const SHOWN = String.raw`S\u001b[2J\u009d0;x\u0007.A\u202e.\u200b\nall is well`;
/** Characters that a terminal obeys, or that mislead the reader. */
const COMMANDS = /[\p{Cc}\p{Cf}]/u;
const DAY = '2026-11-19';

const sandbox = await sharedSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2 });

/** A companies file with one company of this name, and a path for its lake. */
function companyNamed(name: string) {
  const folder = newFolder();
  const companies = sandboxCompanies(1).map((company) => ({ ...company, name }));
  const file = writeCompanies(folder, companies);
  return { folder, api: ['--api', sandbox.url, '--companies', file], lake: ['--lake', join(folder, 'lake')] };
}

/** Runs as in a terminal of 200 columns whose user has set nothing about colours. */
async function inTerminal(...words: string[]): Promise<string> {
  for (const name of ['CI', 'NO_COLOR', 'TERM']) vi.stubEnv(name, undefined);
  const { stdout, stderr } = await runStreamed(words, { isTTY: true });
  return stdout + stderr;
}

describe('what a supplier or a service wrote', () => {
  const sql = `SELECT '${EVIL}' AS name, 1 AS "n\u001b[31m"`;
  const asks = (lake: string, format: string) => ['query', sql, '--lake', lake, '--format', format];

  it('commands nothing in a table, where its cell stays one line', async () => {
    const { stdout } = await runMain(...asks(newFolder(), 'table'));
    expect(stdout.split('\n')[2]).toMatch(/^S.* +1$/);
    expect(stdout).toContain(SHOWN);
    expect(stdout.split('\n')[0]).toMatch(/n\\u001b\[31m$/);
    expect(stdout.replaceAll('\n', '')).not.toMatch(COMMANDS);
  });

  it('is exact in CSV for a program, and cleaned for a person', async () => {
    const { stdout } = await runMain(...asks(newFolder(), 'csv'));
    expect(stdout).toBe(`name,n\u001b[31m\r\n"${EVIL}",1\n`);
    const seen = await inTerminal(...asks(newFolder(), 'csv'));
    expect(seen).toContain('S\\u001b[2J');
    expect(seen.replaceAll('\n', '').replaceAll('\u001b[2K', '').replaceAll('\r', '')).not.toMatch(COMMANDS);
  });

  it('commands nothing in the reports of the other commands', async () => {
    const { api, lake } = companyNamed(EVIL);
    const day = ['--from', DAY, '--to', DAY];
    for (const words of [
      ['export', ...day, ...api, ...lake],
      ['verify', ...day, ...api, ...lake],
      ['companies', 'check', ...api],
      ['coverage', ...day, '--companies', api[3] ?? '', ...lake, '--json'],
    ]) {
      const { code, stdout, stderr } = await runMain(...words);
      expect(code, words[0]).toBe(0);
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(COMMANDS);
      expect(stdout).not.toMatch(/^all is well/m);
      if (!words.includes('--json')) expect(stdout).toContain(SHOWN.slice(0, 10));
    }
  });

  it('keeps our own colours, and no other command, in a terminal', async () => {
    const { api, lake } = companyNamed(EVIL);
    await runMain('export', '--date', DAY, ...api, ...lake);
    const words = ['coverage', '--from', DAY, '--to', DAY, '--companies', api[3] ?? '', ...lake];
    const seen = await inTerminal(...words);
    expect(seen).toContain('\u001b[32m');
    const ours = new RegExp(`${'\u001b'}\\[(\\d;)?\\d*m|\\r${'\u001b'}\\[2K|\\n`, 'g');
    expect(seen.replaceAll(ours, '')).not.toMatch(COMMANDS);
  });

  it('commands nothing in an error', async () => {
    const { stderr } = await runMain('coverage', '--html', join(newFolder(), EVIL, 'x.html'));
    expect(stderr).toContain(SHOWN);
    expect(stderr.slice(0, -1)).not.toMatch(COMMANDS);
  });
});

describe('a printer', () => {
  it('cleans what stands between colours', async () => {
    const stream = new PassThrough();
    new Printer(stream).writeColoured('\u001b[1;31m\u001b[2Jx\u001b[0m\ry');
    stream.end();
    expect(await text(stream)).toBe('\u001b[1;31m\\u001b[2Jx\u001b[0m\\ry');
  });

  it.each([
    [{ isTTY: true, columns: 10 }, {}, '\r\u001b[2KS\\u001b[2'],
    [{ isTTY: true, columns: 10 }, { CI: 'true' }, ''],
    [{ isTTY: true, columns: 10 }, { TERM: 'dumb' }, ''],
    [{}, {}, ''],
  ])(
    'replaces the last line of %j with %j by one that fits and commands nothing',
    async (terminal, env, seen) => {
      const stream = Object.assign(new PassThrough(), terminal);
      new Printer(stream, env).replaceLine('S\u001b[2J and so on');
      stream.end();
      expect(await text(stream)).toBe(seen);
    },
  );
});

it('describes an unhandled failure in a sentence', async () => {
  const fault =
    "const { write } = process.stdout; process.stdout.write = function (...all) { queueMicrotask(() => undefined['x']); return write.apply(this, all); }";
  const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fault)}"` };
  const { code, stderr } = await runProgram(['--version'], newFolder(), env);
  expect(stderr).toMatch(/^cfe-lake: Unexpected error: Cannot read prop.*--debug.*\n$/);
  expect(code).toBe(1);
});
