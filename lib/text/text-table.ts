export type Alignment = 'left' | 'right';

/** Rows below their headings, in columns as wide as their widest cell. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): string {
  const widths = headings.map((heading, column) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[column] ?? '')), width(heading)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0, alignments[column] ?? 'left'))
      .join('  ')
      .trimEnd();
  return [line(headings), widths.map((columns) => '─'.repeat(columns)).join('  '), ...rows.map(line)].join(
    '\n',
  );
}

function pad(text: string, columns: number, alignment: Alignment): string {
  const blanks = ' '.repeat(Math.max(0, columns - width(text)));
  return alignment === 'right' ? blanks + text : text + blanks;
}

const segmenter = new Intl.Segmenter();

/** Characters as a person counts them, so that accents and emoji keep the columns straight enough. */
function width(text: string): number {
  // Most cells are numbers and codes, and there may be millions.
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...segmenter.segment(text)].length;
}
