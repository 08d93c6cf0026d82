import { printableLine, wordLines } from './terminal.ts';

export type Alignment = 'left' | 'right';

export interface TableFit {
  /** Width of the terminal; undefined for no limit. */
  columns?: number;
  /** Colours a cell of the body, by its text and its column's heading. */
  paintCell?: (text: string, heading: string) => string;
  /** Headings of columns to leave out, in this order, until the others fit. */
  droppable?: readonly string[];
  /** The same, once texts are cut and still do not fit. */
  droppableLast?: readonly string[];
  /** Heading of a column whose texts go on below instead of being cut. */
  wraps?: string;
}

const GAP = '  ';
const ELLIPSIS = '…';
/** Text columns are not cut below this width. */
const LEAST_TEXT = 12;

/**
 * Rows below their headings, in columns as wide as their widest cell, each cell on one line. A table that is too wide
 * first loses its `droppable` columns, then its longest texts are cut, or go on below (`wraps`). Whatever still does not
 * fit is left to the terminal.
 */
export function textTable(...table: Parameters<typeof tableLines>): string {
  return [...tableLines(...table)].join('\n');
}

function* tableLines(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  fit: TableFit = {},
): Generator<string, void, undefined> {
  const lines = [headings, ...rows].map((cells) => cells.map(cleaned));
  const widthsOfAll = headings.map((_, column) =>
    lines.reduce((widest, row) => Math.max(widest, width(row[column] ?? '')), 0),
  );
  const sideOf = (column: number) => alignments[column] ?? 'left';
  const leastWidths = widthsOfAll.map((widest, column) =>
    sideOf(column) === 'left' ? Math.min(widest, LEAST_TEXT) : widest,
  );
  const indexes = headings.map((_, column) => column);
  const { columns, droppable, droppableLast } = fit;
  const wide = columnsThatFit(indexes, headings, widthsOfAll, columns, droppable);
  const kept = columnsThatFit(wide, headings, leastWidths, columns, droppableLast);
  const widths = kept.map((column) => widthsOfAll[column] ?? 0);
  const sides = kept.map(sideOf);
  cutTexts(widths, sides, columns);
  const line = (cells: readonly string[], paintCell: TableFit['paintCell'] = (text) => text) =>
    kept
      .map((column, place) =>
        pad(cells[column] ?? '', widths[place] ?? 0, sides[place] ?? 'left', (text) =>
          paintCell(text, headings[column] ?? ''),
        ),
      )
      .join(GAP)
      .trimEnd();
  const [titles = [], ...body] = lines;
  const wrapping = headings.indexOf(fit.wraps ?? '');
  const room = widths[kept.indexOf(wrapping)];
  const linesOf = (cells: readonly string[]) =>
    room === undefined ? [cells] : withWrapped(cells, wrapping, room);
  yield line(titles);
  yield widths.map((columns) => '─'.repeat(columns)).join(GAP);
  for (const row of body) for (const cells of linesOf(row)) yield line(cells, fit.paintCell);
}

/** The lines of the table, or, where it is too wide, of its rows one below another, as psql does with `\x auto`. */
export function* tableOrRecords(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  columns = Number.POSITIVE_INFINITY,
): Generator<string, void, undefined> {
  const table = tableLines(headings, rows, alignments, { columns });
  const head = [table.next().value ?? '', table.next().value ?? ''];
  const [, rule = ''] = head;
  const isTable = rows.length === 0 || rule.length <= columns;
  yield* isTable ? head : [textRecords(headings, rows, alignments, columns)];
  if (isTable) yield* table;
}

/** The same rows one below another, each value on a line with its heading. Texts that do not fit are cut. */
export function textRecords(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  columns: number,
): string {
  const names = headings.map(cleaned);
  const widest = Math.max(0, ...names.map(width));
  const room = Math.max(LEAST_TEXT, columns - widest - GAP.length);
  const asIs = (text: string) => text;
  const valueLine = (name: string, cell: string, alignment: Alignment | undefined) => {
    const value = alignment !== 'right' && width(cell) > room ? cut(cell, room) : cell;
    return `${pad(name, widest, 'left', asIs)}${GAP}${value}`.trimEnd();
  };
  return rows
    .flatMap((cells, row) => [
      `── ${row + 1} ──`,
      ...names.map((name, column) => valueLine(name, cleaned(cells[column] ?? ''), alignments[column])),
    ])
    .join('\n');
}

/** Indexes of the columns that are left once enough of them are left out. */
function columnsThatFit(
  indexes: readonly number[],
  headings: readonly string[],
  widths: readonly number[],
  columns = Number.POSITIVE_INFINITY,
  droppable: readonly string[] = [],
): readonly number[] {
  let kept = indexes;
  for (const heading of droppable) {
    if (totalWidth(kept.map((column) => widths[column] ?? 0)) <= columns) break;
    kept = kept.filter((column) => headings[column] !== heading);
  }
  return kept;
}

/** Narrows text columns, the widest first, until all fit. */
function cutTexts(
  widths: number[],
  alignments: readonly Alignment[],
  columns = Number.POSITIVE_INFINITY,
): void {
  for (let excess = totalWidth(widths) - columns; excess > 0; excess = totalWidth(widths) - columns) {
    const texts = widths.map((columnWidth, place) => (alignments[place] === 'left' ? columnWidth : 0));
    const widest = Math.max(...texts);
    if (widest <= LEAST_TEXT) return;
    const next = Math.max(LEAST_TEXT, ...texts.filter((columnWidth) => columnWidth < widest));
    widths[texts.indexOf(widest)] = Math.max(widest - excess, Math.min(next, widest - 1));
  }
}

/** The row, and below it rows with the rest of a text that is too wide. */
function withWrapped(cells: readonly string[], wrapping: number, columns: number): string[][] {
  const [first = '', ...moreLines] = wordLines(cells[wrapping] ?? '', columns);
  const rowWith = (text: string, isFirst: boolean) =>
    cells.map((cell, column) => (column === wrapping ? text : isFirst ? cell : ''));
  return [rowWith(first, true), ...moreLines.map((text) => rowWith(text, false))];
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, columnWidth) => sum + columnWidth, GAP.length * Math.max(0, widths.length - 1));
}

function pad(text: string, columns: number, alignment: Alignment, paint: (shown: string) => string): string {
  const shown = width(text) > columns ? cut(text, columns) : text;
  const blanks = ' '.repeat(Math.max(0, columns - width(shown)));
  return alignment === 'right' ? blanks + paint(shown) : paint(shown) + blanks;
}

/** The text's beginning, unless that is the beginning of a number: it would be read as another. */
function cut(text: string, columns: number): string {
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const kept = characters.slice(0, columns - 1).join('');
  const isInNumber = /[\d.,]$/.test(kept) && /^[.,]?\d/.test(characters.slice(columns - 1).join(''));
  return `${(isInNumber ? kept.replace(/[-−]?[\d.,]+$/, '') : kept).trimEnd()}${ELLIPSIS}`;
}

/** A fast path: most cells are numbers, codes and names in Spanish, all printable, and there may be millions. */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\xff]*$/;

function cleaned(cell: string): string {
  return PLAIN.test(cell) ? cell : printableLine(cell);
}

const segmenter = new Intl.Segmenter();

/** Number of user-perceived characters, so that accents and emoji hardly disturb the columns. */
function width(text: string): number {
  return PLAIN.test(text) ? text.length : [...segmenter.segment(text)].length;
}

/** The first `most` rows; if there are more, one more that counts the others. */
export function shortened<T>(rows: readonly T[], most: number, countNote: (count: number) => T): T[] {
  const count = rows.length - most;
  return count > 0 ? [...rows.slice(0, most), countNote(count)] : [...rows];
}

/** A title with a blank line above and lines below; nothing if there are no lines. */
export function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}
