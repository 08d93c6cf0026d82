import { textTable } from '../text/text-table.ts';
import type { Answer } from './ask.ts';

export const FORMATS = ['table', 'csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** The answer as text: for people, for spreadsheets (RFC 4180) or for machines (an array of objects). */
export function formatAnswer(answer: Answer, format: Format): string {
  if (format === 'csv') return csv(answer);
  return format === 'json' ? json(answer) : table(answer);
}

function table({ columns, rows }: Answer): string {
  const body = rows.map((row) => row.map((value) => value ?? ''));
  const alignments = columns.map(({ isNumber }) => (isNumber ? 'right' : 'left'));
  const names = columns.map(({ name }) => name);
  return `${textTable(names, body, alignments)}\n(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;
}

function csv({ columns, rows }: Answer): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map((value) => value ?? ''))];
  return lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Numbers go out digit by digit as they are: JSON has no limit to them, though some readers do. */
function json({ columns, rows }: Answer): string {
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
