import { amountText as exactText } from '../coverage/texts/words.ts';
import type { Answer } from '../query/answer.ts';
import { type Day, isDay } from '../time/days.ts';
import { SPANISH_REPORT } from './texts/spanish.ts';
import type { ReportTexts, Several } from './texts/texts.ts';

type Forms = Pick<ReportTexts, 'forms'>;

/** `19/11/2026` of `2026-11-19`. */
export function dayText(day: Day, { forms }: Forms = SPANISH_REPORT): string {
  return forms.shortDay(day);
}

/** `octubre de 2026`, for any day of the month. */
export function monthText(day: Day, { forms }: Forms = SPANISH_REPORT): string {
  return forms.longMonth(day);
}

/** `-1.234,50` of `-1234.50`. No digit is lost. */
export function amountText(decimal: string, { forms }: Forms = SPANISH_REPORT): string {
  return exactText(decimal, forms);
}

/** `1 día`, `1.234 días`. */
export function counted(count: number, [one, many]: Several, texts: Forms = SPANISH_REPORT): string {
  return `${amountText(String(count), texts)} ${count === 1 ? one : many}`;
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string, texts: Forms = SPANISH_REPORT): string {
  const day = timestamp.slice(0, 10);
  return isDay(day) ? `${dayText(day, texts)} ${timestamp.slice(11, 16)}`.trim() : timestamp;
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
