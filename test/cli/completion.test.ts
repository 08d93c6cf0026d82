import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommands } from '../../lib/cli/commands.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { runMain } from '../support/program/run-main.ts';

let folder: string;
const scripts = { bash: '', zsh: '', fish: '' };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cfe lake '));
  mkdirSync(join(folder, 'lago de 2026'));
  writeFileSync(join(folder, 'empresas de hoy.json'), '');
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const { code, stdout } = await runMain('completion', shell);
    expect(code).toBe(0);
    scripts[shell] = stdout;
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Bash's completions of the last word, from the function that the script registers. */
function completedByBash(words: readonly string[]): string[] {
  const script = `${scripts.bash}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
$(complete -p cfe-lake | sed 's/.*-F \\([^ ]*\\).*/\\1/')
(( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', 'cfe-lake', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return output === '' ? [] : output.trimEnd().split('\n');
}

describe('bash completes', () => {
  it('the commands', async () => {
    const names = (await allCommands()).map(({ name }) => name);
    expect(completedByBash([''])).toEqual([...names, 'help', '--help', '--version']);
    expect(completedByBash(['ve'])).toEqual(['verify']);
  });

  it('every option of every command', async () => {
    for (const { name, options } of await allCommands()) {
      const known = Object.keys(options).map((option) => `--${option}`);
      expect(completedByBash([name, '--'])).toEqual([...known, '--help', '--debug']);
    }
  });

  it.each([
    [
      ['export', '--direction', ''],
      ['recibidos', 'emitidos'],
    ],
    [['export', '--json', '--direction', 'e'], ['emitidos']],
    // Bash splits --direction=e into three words.
    [['export', '--direction', '=', 'e'], ['emitidos']],
    [
      ['export', '--direction', '='],
      ['recibidos', 'emitidos'],
    ],
    [['export', '--writer', 'p'], ['parquetjs-lite']],
    [
      ['query', '--format', ''],
      ['table', 'csv', 'json', 'xlsx', 'parquet'],
    ],
    [
      ['sandbox', '--order', 'id'],
      ['id', 'id-desc'],
    ],
    [['companies', 'c'], ['check']],
    [['list', 'e'], ['emitidos']],
    [['show', 'r'], ['recibidos']],
    [
      ['list', 'emitidos', '--excluir-estado'],
      ['--excluir-estado', '--excluir-estado-receptor', '--excluir-estado-dgi'],
    ],
    [['completion', 'b'], ['bash']],
    [['help', 'mis'], ['missing']],
    [['export', '--companies', 'emp'], ['empresas de hoy.json']],
    [['export', '--lake', ''], ['lago de 2026']],
    // A free value has no completions.
    [['export', '--date', ''], []],
  ])('%j to %j', (words, expected) => {
    expect(completedByBash(words)).toEqual(expected);
  });

  it('the names of the questions that come with the program', () => {
    const names = namedQueries().flatMap(({ name, alias }) => [name, alias]);
    expect(completedByBash(['query', '--named', ''])).toEqual(['list', ...names]);
  });
});

describe('the script', () => {
  it('makes cfe-lake a command of the shell where there is none', () => {
    const output = execFileSync('bash', ['--norc', '-c', `${scripts.bash}\ncfe-lake --version`], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(output).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(['zsh', 'fish'] as const)('for %s names every command, option and value', async (shell) => {
    const script = scripts[shell];
    for (const { name, options } of await allCommands()) {
      expect(script).toContain(name);
      for (const [option, { choices }] of Object.entries(options)) {
        expect(script).toMatch(new RegExp(`(--|-l )${option}\\b`));
        if (choices !== undefined) expect(script).toContain(choices().join(' '));
      }
    }
  });

  // These run where the shell is installed. The scripts' contents are tested above, on every machine.
  const isInstalled = (shell: string) =>
    ['/usr/bin', '/bin', '/opt/homebrew/bin'].some((bin) => existsSync(join(bin, shell)));

  it('is understood by zsh, and fish completes with it', () => {
    if (isInstalled('zsh')) execFileSync('zsh', ['-f', '-n', '-c', scripts.zsh]);
    if (isInstalled('fish')) {
      const ask = (words: string) =>
        execFileSync('fish', ['--no-config', '-c', `${scripts.fish}\ncomplete -C '${words}'`], {
          encoding: 'utf8',
        })
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[0]);
      expect(ask('cfe-lake ve')).toEqual(['verify']);
      expect(ask('cfe-lake export --direction e')).toEqual(['emitidos']);
      expect(ask('cfe-lake query --named sales')).toEqual(['sales-by-month']);
    }
  });
});
