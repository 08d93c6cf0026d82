import { amountText, type Several } from '../../coverage/texts/texts.ts';
import type { Answer } from '../../query/answer.ts';
import { isDay } from '../../time/days.ts';
import type { ReportTexts } from './english.ts';

type Forms = Pick<ReportTexts, 'forms'>;

/** `1 día`, `1.234 días`. */
export function counted(count: number, [one, many]: Several, texts: Forms): string {
  return `${amountText(String(count), texts.forms)} ${count === 1 ? one : many}`;
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string, texts: Forms): string {
  const day = timestamp.slice(0, 10);
  return isDay(day) ? `${texts.forms.shortDay(day)} ${timestamp.slice(11, 16)}`.trim() : timestamp;
}

/** The heading of a column, by its Spanish name. */
export function headingText(name: string, { headings }: Pick<ReportTexts, 'headings'>): string {
  return headings[name] ?? name;
}

/** A value's translation, by its column's Spanish name. */
export function valueText(column: string, value: string, { values }: Pick<ReportTexts, 'values'>): string {
  return values[column]?.[value] ?? value;
}

/** The answer with translated headings and values. Numbers and dates are unchanged. */
export function translated({ columns, rows }: Answer, texts: ReportTexts): Answer {
  return {
    columns: columns.map((column) => ({ ...column, name: headingText(column.name, texts) })),
    rows: rows.map((row) =>
      row.map((value, index) =>
        value === null ? null : valueText(columns[index]?.name ?? '', value, texts),
      ),
    ),
  };
}
