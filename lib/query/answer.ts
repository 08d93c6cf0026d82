import { textTable } from '../text/text-table.ts';

export interface AnswerColumn {
  name: string;
  /** DuckDB's name of it: `DECIMAL(17,2)`, `DATE`. */
  type: string;
  isNumber: boolean;
  isBoolean: boolean;
}

/** An answer, every value as the text that DuckDB gives it; numbers exact. */
export interface Answer {
  columns: readonly AnswerColumn[];
  rows: readonly (readonly (string | null)[])[];
}

/** A column of texts, of an answer that no question to DuckDB gave. */
export function textColumn(name: string): AnswerColumn {
  return { name, type: 'VARCHAR', isNumber: false, isBoolean: false };
}

/** The answer for people; of more than `mostRows` the first so many, and how many there are. */
export function tableText(
  { columns, rows }: Answer,
  mostRows = Number.POSITIVE_INFINITY,
  terminalColumns?: number,
): string {
  const body = rows.slice(0, mostRows).map((row) => row.map((value) => value ?? ''));
  const alignments = columns.map(({ isNumber }) => (isNumber ? 'right' : 'left'));
  const names = columns.map(({ name }) => name);
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  const end = rows.length > mostRows ? `the first ${mostRows} of ${count}; --all shows them` : count;
  return `${textTable(names, body, alignments, { columns: terminalColumns })}\n(${end})`;
}

/**
 * The answer for machines, an array of objects. Numbers go out digit by digit as they are: JSON has no limit to them,
 * though some readers do.
 */
export function jsonText({ columns, rows }: Answer): string {
  const objects = rows.map((row) => {
    const members = columns.map(
      ({ name, isNumber, isBoolean }, index) =>
        `${JSON.stringify(name)}:${jsonValue(row[index] ?? null, isNumber || isBoolean)}`,
    );
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',\n')}]`;
}

function jsonValue(text: string | null, isBare: boolean): string {
  if (text === null || (isBare && /^-?(inf|nan)/i.test(text))) return 'null';
  return isBare ? text : JSON.stringify(text);
}

/** `exact` is RFC 4180, every value as it is; `es-UY` is for a spreadsheet that opens the file by itself there. */
export type CsvDialect = 'exact' | 'es-UY';

export interface Csv {
  text: string;
  /** Texts that got an apostrophe, since a spreadsheet would run them as formulas. */
  guardedCount: number;
}

/** Tells a spreadsheet that the file is UTF-8. */
const BYTE_ORDER_MARK = '\u{feff}';
const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[-+]?\d+([.,]\d+)?$/;

export function csvOf({ columns, rows }: Answer, dialect: CsvDialect): Csv {
  const isLocal = dialect === 'es-UY';
  let guardedCount = 0;
  const guarded = (text: string): string => {
    if (!FORMULA.test(text) || PLAIN_NUMBER.test(text)) return text;
    guardedCount += 1;
    return `'${text}`;
  };
  const separator = isLocal ? ';' : ',';
  const shown = (text: string, isNumber: boolean): string => {
    if (!isLocal) return text;
    return isNumber ? text.replace('.', ',') : guarded(text);
  };
  const line = (cells: readonly string[]) => cells.map((text) => quotedCell(text, separator)).join(separator);
  const lines = [
    line(columns.map(({ name }) => shown(name, false))),
    ...rows.map((row) => line(columns.map(({ isNumber }, index) => shown(row[index] ?? '', isNumber)))),
  ];
  return { text: `${isLocal ? BYTE_ORDER_MARK : ''}${lines.join('\r\n')}`, guardedCount };
}

function quotedCell(text: string, separator: string): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
