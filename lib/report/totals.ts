import type { Answer } from '../query/answer.ts';
import { columnOf } from './verdict.ts';

export interface CurrencyTotal {
  /** Null if the currency is not known. */
  currency: string | null;
  /** An exact decimal. */
  total: string;
  receipts: number;
}

const CENTS = 100n;

/** Exact totals of a part by currency, the one with the most receipts first. */
export function totalsByCurrency(answer: Answer): CurrencyTotal[] {
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
