import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allCommands } from '../support/program/commands.ts';
import { runMain, wordsOf } from '../support/program/run-main.ts';

/** All pages, but for what was true of older versions. */
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md', 'sandbox/*.md'], {
  exclude: ['CHANGELOG.md'],
}).map((page) => readFileSync(page, 'utf8'));

function found(pattern: RegExp): string[] {
  return [...new Set(PAGES.flatMap((page) => [...page.matchAll(pattern)].map(([, text = '']) => text)))];
}

const commands = await allCommands();
const lines = found(/npm run (?:-s )?cfe-lake -- (\w[^`\n]*)/g);

it.each(lines)('%s: is a command, with options that it has', async (line) => {
  const words = wordsOf(line);
  // What the shell does with the output, and a value that is left to the reader.
  const end = words.findIndex((word) => /^[>|&%…]/.test(word));
  const [name = '', ...typed] = end < 0 ? words : words.slice(0, end);
  const { options } = commands.find((known) => known.name === name) ?? {};
  const named = typed.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  expect(Object.keys(options ?? {})).toEqual(expect.arrayContaining(named));
  if (end < 0) expect(await runMain(name, ...typed, '--help')).toMatchObject({ code: 0, stderr: '' });
});

it('the scripts of the project that the pages name are there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = found(/npm run (?:-s )?([\w:-]+)/g);
  expect(named).toContain('cfe-lake');
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});
