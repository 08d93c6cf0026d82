import { CsvError, parse } from 'csv-parse/sync';
import type { Said } from '../../text/language.ts';
import { UNREADABLE } from './phrases.ts';
import { boundedRow, checkRowCount, type ListTable, type TableRow, UnreadableTableError } from './table.ts';

const SEPARATORS = [';', ',', '\t', '|'] as const;
/** The heading is within these lines. */
const FIRST_LINES = 60;
/** An unclosed quote ends here, not at the end of the file. */
const MOST_ROW_CHARACTERS = 1_000_000;
/** Blank ones too: 150,000 rows of 60 columns have nine million. */
const MOST_CELLS = 10_000_000;

/**
 * The table of a text whose cells are parted by a sign: the one with which it has the best heading. Throws UnreadableTableError.
 */
export function textTable(bytes: Uint8Array, scoreOf: (table: ListTable) => number): ListTable {
  const text = decoded(bytes);
  checkLines(text);
  // Excel's own line before the first row.
  const [directive = '', named] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  // A text that a spreadsheet should keep: ="0123" and ="1.234,56".
  const plain = text.slice(directive.length).replace(/(?<=^|[;,\t|\r\n])="/g, '"');
  const separator = named ?? separatorOf(plain, scoreOf);
  return {
    sheet: null,
    isHidden: false,
    isDelimited: true,
    rows: rowsOf(plain, separator, directive === '' ? 1 : 2),
  };
}

/** Checks the lines before any row is held. Throws UnreadableTableError. */
function checkLines(text: string): void {
  let [lines, start] = [0, 0];
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? LINE_FEED : text.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    // A break of two characters ends one line.
    const isSecond = code === LINE_FEED && text.charCodeAt(at - 1) === CARRIAGE_RETURN;
    if (!isSecond) lines += 1;
    if (at - start > MOST_ROW_CHARACTERS) throw longRow(lines);
    start = at + 1;
  }
  checkRowCount(lines);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function longRow(row: number): UnreadableTableError {
  return new UnreadableTableError(
    `its row ${row} has more than ${MOST_ROW_CHARACTERS.toLocaleString('en')} characters`,
  );
}

function rowsOf(text: string, separator: string, firstRow: number): TableRow[] {
  try {
    const rows: TableRow[] = [];
    let cellCount = 0;
    parse(text, {
      delimiter: separator,
      relax_column_count: true,
      skip_empty_lines: false,
      max_record_size: MOST_ROW_CHARACTERS,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: string[], { records }) => {
        cellCount += cells.length;
        if (cellCount > MOST_CELLS)
          throw new UnreadableTableError(`it has more than ${MOST_CELLS.toLocaleString('en')} cells`);
        const row = boundedRow(firstRow + records - 1, cells.map(unmarked));
        if (row !== undefined) rows.push(separator === ',' ? { ...row, cellCount: cells.length } : row);
        return null;
      },
    });
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, message, records } = error;
    const row = typeof records === 'number' ? records + firstRow : firstRow;
    throw new UnreadableTableError(FAULTS[code]?.(row) ?? message.replace(/\.$/, ''));
  }
}

/** The text itself of `="0123"`, where that was quoted as a whole. */
function unmarked(cell: string): string {
  return cell.startsWith('="') && cell.endsWith('"') ? cell.slice(2, -1) : cell;
}

/** What is wrong in the row that was being read. */
const FAULTS: Readonly<Record<string, (row: number) => Said>> = {
  CSV_QUOTE_NOT_CLOSED: UNREADABLE.openQuote,
  CSV_INVALID_CLOSING_QUOTE: UNREADABLE.strayQuote,
  INVALID_OPENING_QUOTE: UNREADABLE.strayQuote,
  CSV_MAX_RECORD_SIZE: (row) => longRow(row).message,
};

/** The sign that makes the best heading; decimal commas are more frequent than any separator. */
function separatorOf(text: string, scoreOf: (table: ListTable) => number): string {
  const lines = text.slice(0, MOST_ROW_CHARACTERS).split(/\r\n|\n|\r/, FIRST_LINES);
  const scored = SEPARATORS.map((separator) => {
    const rows = lines.map((line, index) => ({
      row: index + 1,
      cells:
        line.length > 20_000
          ? []
          : line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')),
    }));
    return { separator, score: scoreOf({ sheet: null, isHidden: false, isDelimited: true, rows }) };
  });
  const [best] = scored.toSorted((a, b) => b.score - a.score);
  return best?.separator ?? ';';
}

/** UTF-8 or UTF-16, with or without a byte order mark, else what spreadsheet programs in Uruguay write. */
function decoded(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  const text =
    decodedAs(bytes, encoding) ?? (encoding === 'utf-8' ? decodedAs(bytes, 'windows-1252') : undefined);
  if (text === undefined) throw new UnreadableTableError('its text is cut or damaged');
  if (text.includes('\0')) throw new UnreadableTableError(UNREADABLE.noText());
  return text;
}

function encodingOf(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Without a mark: of digits and Latin letters, every second byte is zero.
  const head = bytes.subarray(0, 200);
  const zeros = [0, 1].map((start) => head.filter((byte, index) => index % 2 === start && byte === 0).length);
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4 && even === 0) return 'utf-16le';
  return even > head.length / 4 && odd === 0 ? 'utf-16be' : 'utf-8';
}

function decodedAs(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
