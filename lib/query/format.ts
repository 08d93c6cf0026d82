import { textTable } from '../text/text-table.ts';
import type { Answer } from './answer.ts';

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
