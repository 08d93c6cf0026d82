import { amountText } from '../coverage/texts.ts';
import { plainTable } from '../query/answer.ts';
import type { AnswerSheet } from '../query/workbook.ts';
import { wordLines } from '../text/terminal.ts';
import { daysAnswer, type Report } from './read-report.ts';
import type { ReportTexts } from './texts/english.ts';
import { counted, receiptsWithoutCurrency, translated, withoutMixedTotals } from './values.ts';
import { currencyHint, verdictOf } from './verdict.ts';

/** A company's month as plain text, for a terminal, and as a workbook. */

/** Parts short enough for a terminal. */
const SHOWN = ['ventas', 'compras', 'iva', 'posicion'];
/** Parts of which the first rows are shown, if there are any. */
const FIRST_SHOWN = ['numeracion', 'duplicados'];
const FIRST_ROWS = 5;

/** The verdict, what to look into, and the sums. */
export function reportText(
  report: Report,
  texts: ReportTexts,
  width: number | undefined = Number.POSITIVE_INFINITY,
): string {
  const { sentence, concerns } = verdictOf(report, texts);
  const lines = [
    ...report.damaged,
    ...concerns.map(({ text, command }) => (command === undefined ? text : `${text}: ${command}`)),
  ].map((text) => `  - ${wordLines(text, width - 4).join('\n    ')}`);
  const sums = report.parts.flatMap(({ part, answer }) => {
    if (answer === undefined) return [];
    const isLong = FIRST_SHOWN.includes(part.id) && answer.rows.length > 0;
    if (!SHOWN.includes(part.id) && !isLong) return [];
    const summed = part.id === 'ventas' || part.id === 'compras' ? part.id : undefined;
    const { columns, rows } = translated(summed ? withoutMixedTotals(answer) : answer, texts);
    const shown = (isLong ? rows.slice(0, FIRST_ROWS) : rows).map((row) =>
      row.map((value, index) =>
        value !== null && columns[index]?.type.startsWith('DECIMAL') ? amountText(value, texts.forms) : value,
      ),
    );
    const { title, nothing } = texts.parts[part.id];
    const unknown = counted(receiptsWithoutCurrency(answer), texts.receipt, texts);
    const advice = summed && currencyHint(report, summed, texts);
    const left =
      rows.length > shown.length
        ? ['', texts.shownRows(shown.length, amountText(String(rows.length), texts.forms))]
        : [];
    const hint = advice === undefined ? left : ['', `${unknown}: ${texts.unknownCurrency}. ${advice}`];
    const table = rows.length === 0 ? nothing : plainTable({ columns, rows: shown }, width);
    return ['', title, '', table, ...hint];
  });
  return [headOf(report, texts), '', ...wordLines(sentence, width), ...lines, ...sums].join('\n');
}

/** A sheet a part, one of the days, and the verdict in the notes. */
export function reportSheets(
  report: Report,
  texts: ReportTexts,
): { sheets: readonly AnswerSheet[]; notes: readonly string[] } {
  const asked = report.parts.flatMap(({ part, answer }) =>
    answer === undefined ? [] : [{ ...texts.parts[part.id], answer }],
  );
  const whose = headOf(report, texts);
  const days = { title: texts.days, answer: daysAnswer(report.days, texts) };
  const sheets = [...asked, days].map(({ title, answer }) => ({
    name: title,
    above: [title, whose],
    answer: translated(answer, texts),
  }));
  const { sentence, concerns } = verdictOf(report, texts);
  const about = asked.map((part) => `${part.title}: ${part.about}`);
  return { sheets, notes: [whose, sentence, ...concerns.map(({ text }) => `- ${text}`), '', ...about] };
}

/** Whose report it is, and of when. */
function headOf({ rut, name, from }: Report, texts: ReportTexts): string {
  return `${name ?? ''} RUT ${rut}, ${texts.forms.longMonth(from)}`.trim();
}
