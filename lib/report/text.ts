import { textTable } from '../text/text-table.ts';
import type { Report } from './read-report.ts';
import type { ReportTexts } from './texts/texts.ts';
import { verdictOf } from './verdict.ts';
import { amountText, monthText, translated } from './words.ts';

/** Parts short enough for a terminal. */
const SHOWN = ['ventas', 'compras', 'iva'];

/** The report for a terminal: the verdict, what to look into, and the sums. */
export function reportText(report: Report, texts: ReportTexts): string {
  const { rut, name, from, parts, damaged } = report;
  const { sentence, concerns } = verdictOf(report, texts);
  const lines = [...damaged, ...concerns.map(({ text }) => text)].map((text) => `  - ${text}`);
  const sums = parts.flatMap(({ part, answer }) => {
    if (!SHOWN.includes(part.id) || answer === undefined) return [];
    const { columns, rows } = translated(answer, texts);
    const body = rows.map((row) =>
      row.map((value, index) =>
        columns[index]?.type.startsWith('DECIMAL') ? amountText(value ?? '', texts) : (value ?? ''),
      ),
    );
    const alignments = columns.map(({ isNumber }) => (isNumber ? 'right' : 'left'));
    const table = textTable(
      columns.map((column) => column.name),
      body,
      alignments,
    );
    const { title, nothing } = texts.parts[part.id];
    return ['', title, '', rows.length === 0 ? nothing : table];
  });
  const head = `${name ?? ''} RUT ${rut}, ${monthText(from, texts)}`.trim();
  return [head, '', sentence, ...lines, ...sums].join('\n');
}
