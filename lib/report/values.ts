import { amountText, type Several } from '../coverage/texts.ts';
import { type Answer, sumOf } from '../query/answer.ts';
import { isDay } from '../time/days.ts';
import type { ReportTexts } from './texts/english.ts';

/** The values of an answer: its columns and sums, and how they are written in each language. */

export function columnOf({ columns, rows }: Answer, name: string): (string | null)[] {
  const index = columns.findIndex((column) => column.name === name);
  return rows.map((row) => row[index] ?? null);
}

/** The sum of a column of counts; 0 without an answer. */
export function countIn(answer: Answer | undefined, name: string): number {
  return answer === undefined
    ? 0
    : columnOf(answer, name).reduce((sum, count) => sum + Number(count ?? 0), 0);
}

/**
 * Exact totals of these columns by currency (null: not known), the one with the most receipts first. Null where no amount
 * is known.
 */
export function totalsByCurrency(answer: Answer, columns: readonly string[] = ['Total']) {
  const counts = columnOf(answer, 'Cantidad');
  const amounts = columns.map((name) => columnOf(answer, name));
  const rowsOf = Map.groupBy(columnOf(answer, 'Moneda').entries(), ([, currency]) => currency);
  return [...rowsOf]
    .map(([currency, rows]) => ({
      currency,
      receipts: rows.reduce((sum, [row]) => sum + Number(counts[row]), 0),
      total: sumOf(rows.flatMap(([row]) => amounts.map((column) => column[row]))),
    }))
    .sort((one, other) => other.receipts - one.receipts);
}

/** The answer without the totals of rows whose currency is not known: they may be sums of several currencies. */
export function withoutMixedTotals(answer: Answer): Answer {
  const currencies = answer.columns.some(({ name }) => name === 'Moneda')
    ? columnOf(answer, 'Moneda')
    : undefined;
  const total = answer.columns.findIndex(({ name }) => name === 'Total');
  const rows = answer.rows.map((row, index) =>
    currencies?.[index] === null ? row.map((value, column) => (column === total ? null : value)) : row,
  );
  return { ...answer, rows };
}

export function receiptsWithoutCurrency(answer: Answer): number {
  const counts = columnOf(answer, 'Cantidad');
  return columnOf(answer, 'Moneda').reduce(
    (sum, currency, row) => (currency === null ? sum + Number(counts[row]) : sum),
    0,
  );
}

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

/** A value's translation, by its column's Spanish name. A note may have several parts. */
export function valueText(column: string, value: string, { values }: Pick<ReportTexts, 'values'>): string {
  const known = values[column];
  if (known === undefined) return value;
  return (
    known[value] ??
    value
      .split(', ')
      .map((part) => known[part] ?? part)
      .join(', ')
  );
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
