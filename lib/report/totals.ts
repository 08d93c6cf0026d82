import type { Answer } from '../query/answer.ts';
import { columnOf } from './verdict.ts';

export interface CurrencyTotal {
  /** Null where the currency is not known. */
  currency: string | null;
  /** An exact decimal. */
  total: string;
  receipts: number;
}

const CENTS = 100n;

/** The sums of a part by currency, exact; those of the most receipts first. */
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
