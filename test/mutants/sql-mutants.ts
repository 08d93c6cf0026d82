import { namedQueries } from '../../lib/query/named-queries.ts';

/** The queries whose answers leave the house. */
export const DECLARED = [
  'formulario-2181',
  'libro-iva-compras',
  'libro-iva-ventas',
  'posicion-iva',
  'resguardos',
] as const;

const SEED = 20_261_128;

/** What is found, and what takes its place. */
const CHANGES: readonly (readonly [found: RegExp, other: string])[] = [
  [/(^|\s)\+ /g, ' - '],
  [/(^|\s)- /g, ' + '],
  [/(?<=\w|\)) \* /g, ' / '],
  [/ = /g, ' <> '],
  [/ <> /g, ' = '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/\bAND\b/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/\bLEFT JOIN\b/g, 'JOIN'],
  [/(?<!LEFT )\bJOIN\b/g, 'LEFT JOIN'],
  [/\bNOT (?!NULL|EXISTS)/g, ''],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bsum\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bmin\(/g, 'max('],
  [/(?<=[ (,])-1\b/g, '1'],
];

/** Some changes of a query, with the parts that it includes: none in a comment or within a text. */
export function mutantsOf(name: string, count: number): { title: string; sql: string }[] {
  const lines =
    namedQueries()
      .find((query) => query.name === name)
      ?.sql.split('\n') ?? [];
  const mutants = lines.flatMap((line, index) => {
    if (line.trimStart().startsWith('--')) return [];
    return CHANGES.flatMap(([found, other]) =>
      [...line.matchAll(found)].flatMap(({ 0: text, index: place }) => {
        if (line.slice(0, place).split("'").length % 2 === 0) return [];
        const changed = line.slice(0, place) + other + line.slice(place + text.length);
        const title = `${name}:${index + 1}: ${line.trim()}  →  ${changed.trim()}`;
        return [{ title, sql: lines.with(index, changed).join('\n') }];
      }),
    );
  });
  return mutants.toSorted((a, b) => orderOf(a.title) - orderOf(b.title)).slice(0, count);
}

/** A number of the mutant's own, which says nothing of it. */
export function orderOf(text: string): number {
  let state = SEED;
  for (const character of text)
    state = (Math.imul(state, 1_664_525) + character.charCodeAt(0) + 1_013_904_223) >>> 0;
  return state;
}
