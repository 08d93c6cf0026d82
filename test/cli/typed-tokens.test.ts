import { describe, expect, it } from 'vitest';
import { allCommands } from '../support/program/commands.ts';
import { runMain } from '../support/program/run-main.ts';

const HEADER = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9';
const JWT = `${HEADER}.eyJydXQiOiIyMTk5OTk4MzAwMTkiLCJleHAiOjE3fQ.qZ8xW3vK7mP2bN5tR9yLQZ8xW3vK7mP2`;
/** A token that is no JSON Web Token. */
const OPAQUE = 'qZ8xW3vK7mP2bN5tR9yLhJ4dF6gS1aQe';

const commands = await allCommands();

async function assertRefused(token: string, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runMain(...words);
  expect(stderr).toMatch(/^cfe-lake: There is a token among the words\. Tokens belong only in the file/);
  const repeated = Array.from({ length: token.length - 6 }, (_, at) => token.slice(at, at + 7)).filter(
    (part) => stderr.includes(part),
  );
  expect({ words, code, stdout, repeated }).toEqual({ words, code: 2, stdout: '', repeated: [] });
}

describe('a typed token is refused, and nothing of it is repeated', () => {
  it.each([
    ['a token', JWT],
    ['a header with Bearer', `Authorization: Bearer ${JWT}`],
    ['the beginning of a token', HEADER],
    ['an address', `https://user:${JWT}@api.example.com/`],
    ['SQL', `SELECT '${JWT}'`],
  ])('by any command, in the place of a word, of an option and of each value: %s', async (_, token) => {
    await assertRefused(JWT, [token]);
    await assertRefused(JWT, ['help', token]);
    for (const { name, options } of commands) {
      for (const words of [[token], [`--${token}`], [`--${token}=1`], ['--help', token]])
        await assertRefused(JWT, [name, ...words]);
      for (const option of Object.keys(options)) await assertRefused(JWT, [name, `--${option}=${token}`]);
    }
  });

  it('whatever it looks like, after --token', async () => {
    for (const words of [
      ['--token', OPAQUE],
      [`--token=${OPAQUE}`],
      ['--Tokens', OPAQUE],
      ['-token', OPAQUE],
    ])
      await assertRefused(OPAQUE, ['export', ...words]);
  });
});

it('no part of an address that may be a password is repeated', async () => {
  for (const secret of [`https://user:${OPAQUE}@api.example.com`, `https://api.example.com/?t=${OPAQUE}`]) {
    for (const words of [
      ['export', '--api', secret],
      ['coverage', '--lake', secret],
      ['runs', '--stack', secret],
    ]) {
      const { code, stderr } = await runMain(...words);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.not.stringContaining(OPAQUE) });
    }
  }
});
