export type Alignment = 'left' | 'right';

import { printableLine } from './printable.ts';

/** Rows below their headings, in columns as wide as their widest cell, each cell on one line. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): string {
  const [titles = [], ...body] = [headings, ...rows].map((cells) => cells.map(cleaned));
  const widths = titles.map((heading, column) =>
    body.reduce((widest, row) => Math.max(widest, width(row[column] ?? '')), width(heading)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0, alignments[column] ?? 'left'))
      .join('  ')
      .trimEnd();
  return [line(titles), widths.map((columns) => '─'.repeat(columns)).join('  '), ...body.map(line)].join(
    '\n',
  );
}

function pad(text: string, columns: number, alignment: Alignment): string {
  const blanks = ' '.repeat(Math.max(0, columns - width(text)));
  return alignment === 'right' ? blanks + text : text + blanks;
}

/** Most cells are numbers and codes, and there may be millions. */
const PLAIN = /^[\x20-\x7e]*$/;

function cleaned(cell: string): string {
  return PLAIN.test(cell) ? cell : printableLine(cell);
}

const segmenter = new Intl.Segmenter();

/** Characters as a person counts them, so that accents and emoji keep the columns straight enough. */
function width(text: string): number {
  return PLAIN.test(text) ? text.length : [...segmenter.segment(text)].length;
}
