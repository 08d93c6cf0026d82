import { mix, pick } from './hash.ts';
import { FOREIGNERS, SALT_PARTY } from './parties.ts';
import { isExport, isRemito } from './types.ts';

const SALT_CURRENCY = 52;

const CURRENCIES = [
  ...new Array<string>(42).fill('UYU'),
  ...new Array<string>(5).fill('USD'),
  'EUR',
  'UYI',
] as const;
const RARE_CURRENCIES = ['UYR', 'BRL', 'ARS', 'EUR'] as const;

/** Thousandths of a peso for one unit of the currency. */
const RATES: Readonly<Record<string, number>> = {
  USD: 40_120,
  EUR: 46_350,
  UYI: 6_412,
  UYR: 1_720_500,
  BRL: 7_310,
  ARS: 28,
};

/** Null on receipts without amounts. */
export function currencyOf(type: number, chance: number): string | null {
  if (isRemito(type)) return null;
  // A foreign customer is always billed in one currency.
  if (isExport(type)) return (mix(chance, SALT_PARTY) % FOREIGNERS) % 6 === 0 ? 'EUR' : 'USD';
  const draw = mix(chance, SALT_CURRENCY);
  if (draw % 97 === 0) return pick(RARE_CURRENCIES, draw >>> 8);
  return pick(CURRENCIES, draw >>> 4);
}

/** Thousandths of a peso; undefined for pesos and for no currency. */
export function rateOf(currency: string | null): number | undefined {
  return currency === null ? undefined : RATES[currency];
}

/** An amount in cents of a peso, in cents of the currency: at least one. */
export function inCurrency(cents: number, currency: string | null): number {
  const rate = rateOf(currency);
  return rate === undefined ? cents : Math.max(1, Math.round((cents * 1000) / rate));
}
