import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { allCommands } from '../support/program/commands.ts';
import { runMain } from '../support/program/run-main.ts';

const HEADER = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9';
const JWT = `${HEADER}.eyJydXQiOiIyMTk5OTk4MzAwMTkiLCJleHAiOjE3fQ.qZ8xW3vK7mP2bN5tR9yLQZ8xW3vK7mP2`;
/** A token that is no JSON Web Token. */
const OPAQUE = 'qZ8xW3vK7mP2bN5tR9yLhJ4dF6gS1aQe';

/** Options that take a text of any form: a new name, or a value of the sandbox or its receipts. */
const TAKES_ANY_TEXT = new Set([
  'lake',
  'stack',
  'out',
  'report',
  'html',
  'xlsx',
  'unauthorized-rut',
  'seed',
]);

const commands = await allCommands();

let folder: string;
const before = process.cwd();
beforeAll(() => {
  folder = sharedFolder();
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
});

/** Any seven characters of the token that follow each other. */
function partsOf(token: string): string[] {
  return Array.from({ length: token.length - 6 }, (_, start) => token.slice(start, start + 7));
}

async function assertRefused(token: string, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runMain(...words);
  const repeated = partsOf(token).filter((part) => `${stdout}${stderr}`.includes(part));
  expect({ words, code, stdout, repeated }).toEqual({ words, code: 2, stdout: '', repeated: [] });
}

/** The command with the token in the place of a word, an option's name, and the value of each option it is wrong for. */
function* misplaced(token: string, isWrongFor: (option: string) => boolean): Generator<string[]> {
  yield* [[token], ['help', token], [token, '--help'], [`--${token}`]];
  for (const { name, choices: firstWords = [], options } of commands) {
    yield* [
      [name, token],
      [name, `--${token}`],
      [name, `--${token}=1`],
      [name, `--${token}`, '--help'],
    ];
    yield* firstWords.map((choice) => [name, choice, token]);
    for (const [option, { kind, choices }] of Object.entries(options)) {
      if (kind === 'flag') yield [name, ...firstWords.slice(0, 1), `--${option}=${token}`];
      else if (kind === 'number' || choices !== undefined || isWrongFor(option)) {
        yield [name, ...firstWords.slice(0, 1), `--${option}`, token];
        yield [name, ...firstWords.slice(0, 1), `--${option}=${token}`];
      }
    }
  }
}

describe('no typed word that may be a token is repeated', () => {
  it.each([
    ['a token', JWT],
    ['a header with Bearer', `Authorization: Bearer ${JWT}`],
    ['the beginning of a token', HEADER],
    ['an address', `https://user:${JWT}@api.example.com/`],
    ['SQL', `SELECT '${JWT}'`],
  ])('by any command, in any place: %s', async (_, token) => {
    let count = 0;
    for (const words of misplaced(token, () => true)) {
      await assertRefused(JWT, words);
      count += 1;
    }
    expect(count).toBeGreaterThan(400);
  });

  it('nor is another option suggested for one that would take it', async () => {
    for (const words of [['--token', OPAQUE], [`--token=${OPAQUE}`], ['--Tokens', OPAQUE]]) {
      const { code, stderr } = await runMain('export', ...words);
      expect(stderr).toMatch(/^cfe-lake: There is a token among the words\. Tokens belong only in the file/);
      expect(code).toBe(2);
    }
  });

  it('by any command that can see that it is no value: any other token', async () => {
    for (const words of misplaced(OPAQUE, (option) => !TAKES_ANY_TEXT.has(option))) {
      if (!words.includes('--help')) await assertRefused(OPAQUE, words);
    }
  });

  it('nor any in an address, a file or a lake that is not there', async () => {
    for (const words of [
      ['export', '--companies', `./no/${OPAQUE}`],
      ['query', 'SELECT 1', '--lake', `./no/${OPAQUE}`],
      ['query', 'SELECT 1', '--lake', `s3://user:${OPAQUE}@bucket`],
      ...[`https://user:${OPAQUE}@api.example.com`, `https://api.example.com/?t=${OPAQUE}`].flatMap(
        (secret) => [
          ['export', '--api', secret],
          ['companies', 'check', '--companies', secret],
          ['coverage', '--lake', secret],
          ['export', '--lake', secret],
          ['runs', '--stack', secret],
          ['backfill', '--from', '2026-01-01', '--to', '2026-01-02', '--stack', secret],
        ],
      ),
      ['missing', '--lake', JSON.stringify({ companies: [{ rut: '219999830019', token: OPAQUE }] })],
      ['runs', '--stack', `user:${OPAQUE}`],
    ]) {
      await assertRefused(OPAQUE, words);
    }
  });
});

it.each([
  [['export', '--date', '2026-11-19T00:00:00Z'], 'not "2026-11-19T00:00:00Z"'],
  [['query', '--named', 'credit-notes-without-referense'], 'no --named "credit-notes-without-referense"'],
  [['export', 'recibidos y emitidos de noviembre de 2026'], 'the word "recibidos y emitidos de noviembr…"'],
  [
    ['export', '--companies', 'nope/clientes.json'],
    "--companies nope/clientes.json: it can't be read: there is no such file",
  ],
] satisfies [string[], string][])('what is no token is repeated: %j', async (words, message) => {
  expect(await runMain(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
