import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { refusalOf } from '../support/program/advice.ts';

/** All pages, but for what was true of older versions. */
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md', 'sandbox/*.md'], {
  exclude: ['CHANGELOG.md'],
}).map((page) => readFileSync(page, 'utf8'));

function found(pattern: RegExp): string[] {
  return [...new Set(PAGES.flatMap((page) => [...page.matchAll(pattern)].map(([, text = '']) => text)))];
}

const lines = found(/npm run (?:-s )?cfe-lake -- (\w[^`\n]*)/g);

it.each(lines)('%s: is a command that the program takes', async (line) => {
  expect(await refusalOf(line)).toBe('');
});

it('the scripts of the project that the pages name are there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = found(/npm run (?:-s )?([\w:-]+)/g);
  expect(named).toContain('cfe-lake');
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

it('SQL that the pages and the program show is Athena’s, too: it names what it groups and orders by', () => {
  const shown = [...PAGES, ...globSync('lib/cli/**/*.ts').map((file) => readFileSync(file, 'utf8'))];
  expect(shown.filter((text) => /\b(?:GROUP|ORDER) BY ALL\b/.test(text))).toEqual([]);
});
