import type { Answer } from './answer.ts';

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
