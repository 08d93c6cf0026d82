import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { spanishNotes } from '../../lib/query/spanish-notes.ts';

it('docs/consultas.md has every named query under both its names, with its Spanish sentence', () => {
  const rows = readFileSync('docs/consultas.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| [`'));
  expect(rows).toEqual(
    namedQueries().map(
      ({ name, alias }) =>
        `| [\`${name}\`](../lib/query/named/${name}.sql) | \`${alias}\` | ${spanishNotes(name).summary} |`,
    ),
  );
});

it.each(namedQueries())(
  '$name has Spanish notes, a paragraph for each of its SQL file',
  ({ name, notes }) => {
    expect(spanishNotes(name).notes).toHaveLength(notes.length);
  },
);
