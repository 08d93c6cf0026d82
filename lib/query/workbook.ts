import {
  type Cell,
  type CellStyle,
  type CellValue,
  colToLetter,
  type WriteSheet,
  writeXlsx,
} from 'hucre/xlsx';
import { WrongInputError } from '../system/errors.ts';
import { counted } from '../text/spanish.ts';
import { DAY_MS } from '../time/days.ts';
import { type Answer, type AnswerColumn, isBoolean, isNumber } from './answer.ts';

export interface AnswerSheet {
  /** A name of at most 31 characters, none of them `[]:*?/\`. */
  name: string;
  answer: Answer;
  /** Lines above the heading: what it is, whose, and of when. */
  above?: readonly string[];
  /** Rows of totals below the answer. Its filter leaves them alone. */
  totals?: Answer['rows'];
  /** Whether columns are as narrow as paper needs: long texts take several lines. */
  isToPrint?: boolean;
}

export interface Workbook {
  bytes: Uint8Array;
  /** How many values cells could not hold unchanged. They are coloured, and the last sheet says so. */
  remarks: Remarks;
}

/** The answer does not fit in a workbook. */
export class WorkbookTooLargeError extends WrongInputError {
  override name = 'WorkbookTooLargeError';
  constructor(what: string) {
    super(`A workbook has no room for ${what}.`, { advice: 'Ask for less, or for --format csv or parquet.' });
  }
}

// Excel's own limits.
const MOST_ROWS = 1_048_575;
const MOST_COLUMNS = 16_384;
export const MOST_CHARACTERS = 32_767;
export const MOST_DIGITS = 15;
/** The XML of a sheet is one string, and a string in Node holds at most 512 MiB. */
const MOST_CELLS = 10_000_000;

const TEXT = '@';
const MONTH = '[$-380A]mmmm yyyy';
const ORANGE: CellStyle['fill'] = { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'FFC000' } };
/** Bold, in the font and size of the other cells: without them, programs choose their own. */
const BOLD: CellStyle['font'] = { name: 'Calibri', size: 11, bold: true };
const RED_BOLD: CellStyle['font'] = { ...BOLD, color: { rgb: 'C00000' } };
const HEADING: CellStyle = {
  numFmt: TEXT,
  font: BOLD,
  border: { bottom: { style: 'thin' } },
  alignment: { wrapText: true, vertical: 'bottom' },
};
/** Texts after a column of numbers, which are aligned right: without room between, both would read as one. */
const INDENT = { horizontal: 'left', indent: 1 } as const;
const NUMBER_HEADING: CellStyle = { ...HEADING, alignment: { ...HEADING.alignment, horizontal: 'right' } };
/** Fits an upright A4, also in programs whose letters are wider. */
const NOTE_WIDTH = 76;
const NOTE_COLUMNS = [
  { width: NOTE_WIDTH, style: { numFmt: TEXT, alignment: { wrapText: true, vertical: 'top' } } },
] as const;

/** Texts that the library would write as error values. */
const LIKE_AN_ERROR = /^#[A-Z/0_]+[!?A]?$/;
/** The escape of one character in a workbook's texts. */
const LIKE_AN_ESCAPE = /_x[\dA-Fa-f]{4}_/g;
/** Characters that XML does not allow. The library escapes the other control characters. */
const NO_XML = /[\ufffe\uffff]/g;

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

const EPOCH_MS = Date.UTC(1899, 11, 30);
/** Excel's number for 1900-03-01. Earlier ones are off by one: Excel counts a 29 February 1900, which never was. */
const FIRST_SERIAL = 61;

/**
 * A workbook of answers. Texts and ids are text, whatever they begin with; amounts are numbers with their decimals,
 * dates are dates. Sheets have a frozen heading and a filter. A number with more digits than a cell can hold is text,
 * and coloured. `notes` go on a last sheet, a line each; `warning`, why its figures are not to be relied upon, above all
 * of it, in red. Throws WorkbookTooLargeError.
 */
export async function workbookOf(
  asked: readonly AnswerSheet[],
  notes: readonly string[],
  warning?: string,
): Promise<Workbook> {
  const remarks = { longNumbers: 0, longTexts: 0 };
  const warned = warning === undefined ? [] : [warning];
  const sheets = asked.map((sheet) => ({ ...sheet, above: [...warned, ...(sheet.above ?? [])] }));
  const written = sheets.map((sheet) => sheetOf(sheet, warned.length, remarks));
  const aboveNotes = warned.length > 0 ? [...warned, ''] : [];
  const lines = [...aboveNotes, ...notes, ...(notes.length > 0 ? [''] : []), ...remarkLines(remarks)];
  if (lines.length > 0) {
    const cells = new Map<string, Partial<Cell>>();
    const rows = lines.map((line, row) => [textCell(line, [row, 0], cells, remarks)]);
    // Not every program makes a row as high as its text.
    const rowDefs = new Map(lines.map((line, row) => [row, { height: heightOf(linesIn(line, NOTE_WIDTH)) }]));
    const pageSetup = { ...ON_PAPER, orientation: 'portrait' } as const;
    written.push({ name: 'Notas', columns: [...NOTE_COLUMNS], rows, cells, rowDefs, pageSetup });
  }
  const namedRanges = sheets.flatMap((sheet) => [headingOnEachPage(sheet), ...withoutIds(sheet)]);
  return { bytes: await writeXlsx({ sheets: written, namedRanges }), remarks };
}

/** Numbers with more digits than a cell holds, which are texts, and texts that were cut. */
export interface Remarks {
  longNumbers: number;
  longTexts: number;
}

function remarkLines({ longNumbers, longTexts }: Remarks): string[] {
  const numbers = counted(longNumbers, ['número', 'números']);
  const texts = counted(longTexts, ['texto cortado', 'textos cortados']);
  return [
    ...(longNumbers > 0
      ? [
          `En naranja: ${numbers} de más de ${MOST_DIGITS} cifras, como texto. Excel los redondearía, y sus sumas no cuentan los textos.`,
        ]
      : []),
    ...(longTexts > 0
      ? [
          `En naranja: ${texts} a los ${MOST_CHARACTERS} caracteres, que es lo que cabe en una celda. CSV, JSON y Parquet los tienen enteros.`,
        ]
      : []),
  ];
}

/** Prints all columns on the width of one A4 page, or of as many as letters of 7 points need. */
const ON_PAPER = {
  paperSize: 'a4',
  orientation: 'landscape',
  fitToPage: true,
  fitToWidth: 1,
  fitToHeight: 0,
  // In inches.
  margins: { top: 0.4, bottom: 0.4, left: 0.3, right: 0.3, header: 0.2, footer: 0.2 },
} as const;

/** The characters, each 5.25 points wide, that 798 points between the margins hold at 7 of their 11 points. */
const PAGE_WIDTH = 238;
/** So narrow, a book's columns are printed at 8 points or more. */
const PRINTED_WIDTH = 34;

/** The most that a row may have is 409. */
function heightOf(lineCount: number): number {
  return Math.min(15 * lineCount, 409);
}

/** `redLines`: how many of its first lines are red. */
function sheetOf(
  { name, answer: { columns, rows }, above = [], totals = [], isToPrint = false }: AnswerSheet,
  redLines: number,
  remarks: Remarks,
): WriteSheet {
  if (rows.length + above.length + totals.length > MOST_ROWS) {
    throw new WorkbookTooLargeError(`${rows.length} rows (${MOST_ROWS} at most)`);
  }
  if (columns.length > MOST_COLUMNS) throw new WorkbookTooLargeError(`${columns.length} columns`);
  if (rows.length * columns.length > MOST_CELLS) {
    throw new WorkbookTooLargeError(`${rows.length} rows of ${columns.length} columns`);
  }
  const cells = new Map<string, Partial<Cell>>();
  const title = above.map((line, row) => {
    cells.set(`${row},0`, { style: { numFmt: TEXT, font: row < redLines ? RED_BOLD : BOLD } });
    return [escaped(line)];
  });
  const kinds = columns.map(kindOf);
  const indents = kinds.map(({ numFmt }, index) => numFmt === TEXT && isOnTheRight(columns[index - 1]));
  const aligned = indents.map((isIndented) => ({ ...(isIndented && INDENT), wrapText: isToPrint }));
  const headings = columns.map((column, index) => {
    const alignment = { ...HEADING.alignment, ...(indents[index] && INDENT) };
    cells.set(`${above.length},${index}`, {
      style: isOnTheRight(column) ? NUMBER_HEADING : { ...HEADING, alignment },
    });
    return escaped(column.name);
  });
  const widths = columns.map((column) => longestWord(column.name) + 4);
  const body = [...rows, ...totals].map((row, index) =>
    kinds.map((kind, column) => {
      const text = row[column] ?? null;
      if (text === null) return null;
      widths[column] = Math.max(widths[column] ?? 0, text.length + kind.padding(text));
      const place = [above.length + index + 1, column] as const;
      const value = kind.cell(text, place, cells, remarks);
      if (index >= rows.length && !cells.has(place.join())) {
        const numFmt = typeof value === 'string' ? TEXT : kind.numFmt;
        cells.set(place.join(), {
          style: { numFmt, font: BOLD, ...(numFmt === TEXT && { alignment: aligned[column] }) },
        });
      }
      return value;
    }),
  );
  const drawn = kinds.map(({ numFmt }, index) => ({
    width: Math.min(widths[index] ?? 0, isToPrint ? PRINTED_WIDTH : 60) + (indents[index] ? 1 : 0),
    ...(numFmt === TEXT ? { style: { numFmt, alignment: aligned[index] } } : { numFmt }),
  }));
  const width = drawn.reduce(
    (sum, column, index) => sum + (columns[index]?.name === 'id' ? 0 : column.width),
    1,
  );
  // Not every program makes a row as high as its texts.
  const texts = (isToPrint ? [...rows, ...totals] : []).map((row) =>
    row.map((text, column) => (kinds[column]?.numFmt === TEXT ? text : null)),
  );
  const heights = [columns.map((column) => column.name), ...texts].map(
    (row, index) => [above.length + index, { height: heightOf(mostLines(row, drawn)) }] as const,
  );
  return {
    name,
    columns: drawn,
    rows: [...title, headings, ...body],
    rowDefs: new Map(heights),
    cells,
    freezePane: { rows: above.length + 1 },
    pageSetup: { ...ON_PAPER, fitToWidth: Math.ceil(width / PAGE_WIDTH) },
    autoFilter: {
      range: `A${above.length + 1}:${colToLetter(Math.max(columns.length, 1) - 1)}${above.length + 1 + rows.length}`,
    },
  };
}

/** Whether programs align the column's values right: numbers and dates. */
function isOnTheRight(column: AnswerColumn | undefined): boolean {
  return column !== undefined && (isNumber(column) || /^(DATE|TIMESTAMP)/.test(column.type));
}

/** A heading may take several lines. */
function longestWord(heading: string): number {
  return Math.max(...heading.split(' ').map(({ length }) => length));
}

/** How many lines the highest of these texts takes in columns of these widths. */
function mostLines(texts: readonly (string | null)[], drawn: readonly { width: number }[]): number {
  return Math.max(1, ...texts.map((text, index) => linesIn(text ?? '', (drawn[index]?.width ?? 0) - 2)));
}

/** How many lines a text takes, broken between words. */
function linesIn(text: string, width: number): number {
  let [count, used] = [1, 0];
  for (const { length } of text.split(' ')) {
    if (used > 0 && used + 1 + length > width) [count, used] = [count + 1, length];
    else used += (used > 0 ? 1 : 0) + length;
  }
  return count;
}

/** Prints the sheet's heading on each page. The library has an option for it, but does not quote the sheet's name. */
function headingOnEachPage({ name, above = [] }: AnswerSheet) {
  return {
    name: '_xlnm.Print_Titles',
    range: `${quotedName(name)}!$1:$${above.length + 1}`,
    scope: name,
  };
}

function quotedName(sheet: string): string {
  return `'${sheet.replaceAll("'", "''")}'`;
}

/** Leaves a last column of ids off the paper, as the page of a report does: they are for programs. */
function withoutIds({ name, answer: { columns, rows }, above = [], totals = [] }: AnswerSheet) {
  if (columns.length < 2 || columns.at(-1)?.name !== 'id') return [];
  const last = `$${colToLetter(columns.length - 2)}$${above.length + 1 + rows.length + totals.length}`;
  return [{ name: '_xlnm.Print_Area', range: `${quotedName(name)}!$A$1:${last}`, scope: name }];
}

type Place = readonly [row: number, column: number];
type CellWriter = (
  text: string,
  place: Place,
  cells: Map<string, Partial<Cell>>,
  remarks: Remarks,
) => CellValue;

interface Kind {
  numFmt: string;
  cell: CellWriter;
  /** Characters that the format adds, and one of room. */
  padding: (text: string) => number;
}

const ROOM = () => 1;

function kindOf(column: AnswerColumn): Kind {
  const { name, type } = column;
  if (isBoolean(column)) return { numFmt: 'General', cell: (text) => text === 'true', padding: () => 3 };
  if (type === 'DATE' && name.toLowerCase() === 'mes')
    return { numFmt: MONTH, cell: dateCell, padding: () => 6 };
  if (type === 'DATE') return { numFmt: 'dd/mm/yyyy', cell: dateCell, padding: () => 2 };
  if (type.startsWith('TIMESTAMP'))
    return { numFmt: 'dd/mm/yyyy hh:mm:ss', cell: dateCell, padding: () => 2 };
  if (!isNumber(column) || /^id(_|$)|_id$/.test(name)) return { numFmt: TEXT, cell: textCell, padding: ROOM };
  if (type === 'DOUBLE' || type === 'FLOAT') return { numFmt: 'General', cell: floatCell, padding: ROOM };
  const [, decimals = '0'] = /^DECIMAL\(\d+,(\d+)\)$/.exec(type) ?? [];
  if (decimals === '0') return { numFmt: '0', cell: decimalCell, padding: ROOM };
  const separators = (text: string) => Math.floor((text.length - Number(decimals) - 2) / 3);
  return {
    numFmt: `#,##0.${'0'.repeat(Number(decimals))}`,
    cell: decimalCell,
    padding: (text) => separators(text) + 1,
  };
}

function textCell(...[text, place, cells, remarks]: Parameters<CellWriter>): CellValue {
  if (text.length > MOST_CHARACTERS) {
    remarks.longTexts += 1;
    cells.set(place.join(), { style: { numFmt: TEXT, fill: ORANGE } });
    return escaped(text.slice(0, MOST_CHARACTERS));
  }
  if (LIKE_AN_ERROR.test(text)) cells.set(place.join(), { richText: [{ text }] });
  return escaped(text);
}

function escaped(text: string): string {
  return text
    .replace(LIKE_AN_ESCAPE, '_x005F$&')
    .replace(NO_XML, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);
}

/** Exact: Excel's numbers are doubles too. */
function floatCell(...[text, place, cells, remarks]: Parameters<CellWriter>): CellValue {
  const number = Number(text);
  return Number.isFinite(number) ? number : textCell(text, place, cells, remarks);
}

function decimalCell(...[text, place, cells, remarks]: Parameters<CellWriter>): CellValue {
  if (!PLAIN_NUMBER.test(text)) return textCell(text, place, cells, remarks);
  if (significantDigits(text) <= MOST_DIGITS) return Number(text);
  remarks.longNumbers += 1;
  cells.set(place.join(), { style: { numFmt: TEXT, fill: ORANGE, alignment: { horizontal: 'right' } } });
  return text;
}

/** Leading and trailing zeros do not count. */
function significantDigits(text: string): number {
  return text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length;
}

/** Excel's dates are numbers of days. Dates before FIRST_SERIAL stay text. */
function dateCell(...[text, place, cells, remarks]: Parameters<CellWriter>): CellValue {
  const [, day, hours = 0, minutes = 0, seconds = 0] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d):(\d\d):(\d\d(?:\.\d+)?))?$/.exec(text) ?? [];
  if (day === undefined) return textCell(text, place, cells, remarks);
  // Not Date.UTC, which takes the year 1 for 1901.
  const days = (Date.parse(day) - EPOCH_MS) / DAY_MS;
  if (days < FIRST_SERIAL) return textCell(text, place, cells, remarks);
  // Whole seconds: for what is shown, Excel would round the last fraction of a day up to the next day.
  return days + (Number(hours) * 3600 + Number(minutes) * 60 + Math.floor(Number(seconds))) / 86_400;
}
