import { availableParallelism } from 'node:os';

const BEGIN = '<!-- The table is written by `npm run bench`. -->';
const END = '<!-- End of the table. -->';

/**
 * The document with these rows in its table, ordered by benchmark. They replace the earlier rows of the same
 * benchmarks. Each row names its date.
 */
export function withTable(
  document: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  order: readonly string[],
): string {
  const [before, rest] = split(document, BEGIN);
  const [table, after] = split(rest, END);
  const measuredOn = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores`;
  const fresh = rows.map((row) => [...row, measuredOn]);
  const names = new Set(fresh.map(([name]) => name));
  const kept = tableRows(table).filter(([name]) => !names.has(name));
  const all = [...kept, ...fresh].sort(([a = ''], [b = '']) => order.indexOf(a) - order.indexOf(b));
  const lines = [[...headings, 'when'], [...headings, ''].map(() => '---'), ...all];
  return `${before}${BEGIN}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${END}${after}`;
}

function tableRows(table: string): string[][] {
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/benchmarks.md lacks the line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
