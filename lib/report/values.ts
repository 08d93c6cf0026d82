import { amountText, type Several } from '../coverage/texts/texts.ts';
import type { Answer } from '../query/answer.ts';
import { isDay } from '../time/days.ts';
import type { ReportTexts } from './texts/english.ts';

/** The values of an answer: its columns and sums, and how they are written in each language. */

export function columnOf({ columns, rows }: Answer, name: string): (string | null)[] {
  const index = columns.findIndex((column) => column.name === name);
  return rows.map((row) => row[index] ?? null);
}

const CENTS = 100n;

/** Exact totals of a part by currency (null: not known), the one with the most receipts first. */
export function totalsByCurrency(answer: Answer) {
  const currencies = columnOf(answer, 'Moneda');
  const totals = columnOf(answer, 'Total');
  const counts = columnOf(answer, 'Cantidad');
  const sums = new Map<string | null, { cents: bigint; receipts: number }>();
  for (const [index, currency] of currencies.entries()) {
    const sum = sums.get(currency) ?? { cents: 0n, receipts: 0 };
    sum.cents += BigInt((totals[index] ?? '0.00').replace('.', ''));
    sum.receipts += Number(counts[index]);
    sums.set(currency, sum);
  }
  return [...sums]
    .map(([currency, { cents, receipts }]) => ({ currency, receipts, total: centsText(cents) }))
    .sort((one, other) => other.receipts - one.receipts);
}

/** Exact sums of some columns of a part, by currency; what is not known is left out. */
export function sumsByCurrency(answer: Answer, columns: readonly string[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const [row, currency] of columnOf(answer, 'Moneda').entries()) {
    const known = columns.flatMap((name) => columnOf(answer, name)[row] ?? []);
    if (currency === null || known.length === 0) continue;
    const cents = known.map((text) => BigInt(text.replace('.', '')));
    sums.set(
      currency,
      cents.reduce((sum, one) => sum + one, sums.get(currency) ?? 0n),
    );
  }
  return Object.fromEntries([...sums].map(([currency, cents]) => [currency, centsText(cents)]));
}

function centsText(cents: bigint): string {
  const [sign, size] = cents < 0n ? ['-', -cents] : ['', cents];
  return `${sign}${size / CENTS}.${String(size % CENTS).padStart(2, '0')}`;
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
