import { textTable } from '../text/text-table.ts';
import type { Report } from './read-report.ts';
import { amountText, monthText } from './words.ts';

/** Parts that are a matter of some lines. */
const SHOWN = ['ventas', 'compras', 'iva'];

/** The report for a terminal: the verdict, what to look into, and the sums. */
export function reportText({ rut, name, from, verdict, parts, damaged }: Report): string {
  const concerns = [...damaged, ...verdict.concerns.map(({ text }) => text)].map((text) => `  - ${text}`);
  const sums = parts.flatMap(({ part, answer }) => {
    if (!SHOWN.includes(part.id) || answer === undefined) return [];
    const { columns, rows } = answer;
    const body = rows.map((row) =>
      row.map((value, index) =>
        columns[index]?.type.startsWith('DECIMAL') ? amountText(value ?? '') : (value ?? ''),
      ),
    );
    const alignments = columns.map(({ isNumber }) => (isNumber ? 'right' : 'left'));
    const table = textTable(
      columns.map((column) => column.name),
      body,
      alignments,
    );
    return ['', part.title, '', rows.length === 0 ? part.nothing : table];
  });
  return [
    `${name ?? ''} RUT ${rut}, ${monthText(from)}`.trim(),
    '',
    verdict.sentence,
    ...concerns,
    ...sums,
  ].join('\n');
}
