import { RECEIPT } from '../coverage/words.ts';
import { plainTable } from '../query/answer.ts';
import type { AnswerSheet } from '../query/workbook.ts';
import { counted, countText, longMonth } from '../text/spanish.ts';
import { printableLine, wordLines } from '../text/terminal.ts';
import { daysAnswer, type Report } from './read-report.ts';
import { asWritten, inWords, receiptsWithoutCurrency } from './values.ts';
import { currencyHint, verdictOf } from './verdict.ts';

/** A company's month as plain text, for a terminal, and as a workbook. */

/** Parts short enough for a terminal. */
const SHOWN = ['ventas', 'compras', 'iva', 'posicion'];
/** Parts of which the first rows are shown, if there are any. */
const FIRST_SHOWN = ['numeracion', 'duplicados'];
const FIRST_ROWS = 5;

/** Stands before the command that does it. */
export const BRING = 'Para traer todo lo que falta del mes, días y detalles';

/** The verdict, what to look into, and the sums. */
export function reportText(report: Report, width: number | undefined = Number.POSITIVE_INFINITY): string {
  const { sentence, concerns } = verdictOf(report);
  const lines = [...report.damaged, ...concerns.map(({ text }) => text)].map(
    (text) => `  - ${wordLines(text, width - 4).join('\n    ')}`,
  );
  const bring = report.bring === undefined ? [] : ['', `${BRING}:`, `  ${report.bring}`];
  const sums = report.parts.flatMap(({ part: { id, title, emptyText }, answer }) => {
    if (answer === undefined) return [];
    const isLong = FIRST_SHOWN.includes(id) && answer.rows.length > 0;
    if (!SHOWN.includes(id) && !isLong) return [];
    const { columns, rows } = asWritten(answer);
    const shown = isLong ? rows.slice(0, FIRST_ROWS) : rows;
    const advice = id === 'ventas' || id === 'compras' ? currencyHint(report, id) : undefined;
    return [
      '',
      title,
      '',
      rows.length === 0 ? emptyText : plainTable({ columns, rows: shown }, width),
      ...(rows.length > shown.length
        ? ['', shownRows(shown.length, rows.length, 'la planilla (--xlsx)')]
        : []),
      ...(advice === undefined
        ? []
        : ['', `${counted(receiptsWithoutCurrency(answer), RECEIPT)}: moneda desconocida. ${advice}`]),
    ];
  });
  return [headOf(report), '', ...wordLines(sentence, width), ...lines, ...bring, ...sums].join('\n');
}

export function shownRows(shown: number, rowCount: number, workbook = 'la planilla'): string {
  return `Se muestran ${shown} de ${countText(rowCount)} filas; ${workbook} las tiene todas.`;
}

/** A sheet a part, one of the days, and the verdict in the notes. */
export function reportSheets(report: Report): { sheets: readonly AnswerSheet[]; notes: readonly string[] } {
  const asked = report.parts.flatMap(({ part, answer }) =>
    answer === undefined ? [] : [{ title: part.title, answer, about: `${part.title}: ${part.about}` }],
  );
  const heading = headOf(report);
  const sheets = [...asked, { title: 'Días', answer: daysAnswer(report.days) }].map(({ title, answer }) => ({
    name: title,
    above: [title, heading],
    answer: inWords(answer),
  }));
  const { sentence, concerns } = verdictOf(report);
  const notes = [heading, sentence, ...concerns.map(({ text }) => `- ${text}`), ''];
  return { sheets, notes: [...notes, ...asked.map(({ about }) => about)] };
}

/** Whose report it is, and of when. */
function headOf({ rut, name, from }: Report): string {
  return printableLine(`${name ?? ''} RUT ${rut}, ${longMonth(from)}`.trim());
}
