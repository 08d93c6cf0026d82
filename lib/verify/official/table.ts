import { CfeLakeError, WrongInputError } from '../../system/errors.ts';
import type { Said } from '../../text/language.ts';
import { UNREADABLE } from './phrases.ts';
import { shown } from './reading.ts';

/** A cell: a text, or a workbook's number in its exact decimal form, which has no separator of thousands. */
export type TableCell = string | { readonly number: string };

/** Rows of a file with anything in them, before anything is made of them. Cells after a row's last are absent. */
export interface ListTable {
  /** Its sheet; null of a text. */
  sheet: string | null;
  isHidden: boolean;
  /** Whether signs part its cells, so that a row with more cells than the heading is torn. */
  isDelimited: boolean;
  /** `row`: counted from 1, as a spreadsheet shows it. */
  rows: readonly TableRow[];
}

export interface TableRow {
  row: number;
  cells: readonly TableCell[];
  /** How many cells it has with those that are blank at its end, where a decimal comma may have parted two. */
  cellCount?: number;
}

/** A spreadsheet holds no longer text in a cell; no pattern sees one. */
export const MOST_CELL_CHARACTERS = 32_767;
/** The bound of all cells: as many shared texts as a cell can name are few bytes in a file. */
const MOST_CHARACTERS = 100_000_000;
export const MOST_COLUMNS = 500;
/** What is held of a list takes a kilobyte a row. */
const MOST_ROWS = 150_000;

/** Why a file is no list, as the end of a sentence. */
export class UnreadableTableError extends CfeLakeError {
  override name = 'UnreadableTableError';
}

/** Its own signs parted its cells: no other way to save it mends that. */
export class TornTableError extends UnreadableTableError {
  override name = 'TornTableError';
}

export class UnreadableListError extends WrongInputError {
  override name = 'UnreadableListError';
  constructor(file: string, reason: Said, isRateList: boolean, advice: Said = UNREADABLE.downloadAgain()) {
    super(UNREADABLE.noList(file, isRateList, reason), { advice });
  }
}

/** The row without blank cells at its end; undefined if it is blank. Throws UnreadableTableError beyond the bounds. */
export function boundedRow(row: number, cells: readonly TableCell[]): TableRow | undefined {
  const last = cells.findLastIndex((cell) => !isBlank(cell));
  if (last === -1) return undefined;
  if (last >= MOST_COLUMNS) throw wideRow(row);
  const long = cells.findIndex((cell) => textOf(cell).length > MOST_CELL_CHARACTERS);
  if (long !== -1) throw longCell(row);
  return { row, cells: cells.slice(0, last + 1) };
}

export function wideRow(row: number): UnreadableTableError {
  return new UnreadableTableError(`its row ${row} has more than ${MOST_COLUMNS} cells`);
}

export function longCell(row?: number): UnreadableTableError {
  const place = row === undefined ? 'it' : `its row ${row}`;
  return new UnreadableTableError(
    `${place} has a cell of more than ${MOST_CELL_CHARACTERS.toLocaleString('en')} characters`,
  );
}

/** Throws UnreadableTableError beyond the bound. */
export function checkRowCount(count: number): void {
  if (count > MOST_ROWS)
    throw new UnreadableTableError(`it has more than ${MOST_ROWS.toLocaleString('en')} rows`);
}

/** Counts the characters of a workbook's cells, each cell once. It throws UnreadableTableError beyond the bound. */
export function characterCount(): (cell: TableCell) => void {
  let characters = 0;
  return (cell) => {
    characters += textOf(cell).length;
    if (characters > MOST_CHARACTERS)
      throw new UnreadableTableError(
        `its cells have more than ${MOST_CHARACTERS.toLocaleString('en')} characters`,
      );
  };
}

const MOST_SHEETS = 1000;

/** Throws UnreadableTableError beyond the bound. */
export function checkSheetCount(count: number): void {
  if (count > MOST_SHEETS)
    throw new UnreadableTableError(`it has more than ${MOST_SHEETS.toLocaleString('en')} sheets`);
}

export function textOf(cell: TableCell | undefined): string {
  return cell === undefined ? '' : typeof cell === 'string' ? cell : cell.number;
}

/** As a person is shown it. */
export function shownText(cell: TableCell | undefined): string {
  return shown(textOf(cell).trim());
}

export function isBlank(cell: TableCell | undefined): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

/** What tells a heading, a title or a note is in its first characters. One of Unicode's may stand for eighteen. */
const MOST_SAYING = 500;

/**
 * The words at the start of a cell in lower case, without accents and signs: `N° de CFE` is `n de cfe`, `rutEmisor`
 * `rut emisor`.
 */
export function wordsOf(cell: TableCell | undefined): string {
  return textOf(cell)
    .slice(0, MOST_SAYING)
    .normalize('NFKD')
    .slice(0, MOST_SAYING)
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g, ' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
