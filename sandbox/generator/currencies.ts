import { mix, pick } from './hash.ts';
import { FOREIGNERS, SALT_PARTY } from './parties.ts';
import { isExport, isRemito, isTicket } from './types.ts';

const SALT_CURRENCY = 52;

/** One company in four has one of these besides pesos and dollars. */
const THIRD_CURRENCIES = ['EUR', 'BRL', 'UYI', 'ARS', 'UYR'] as const;

/** Thousandths of a peso for one unit of the currency. */
const RATES: Readonly<Record<string, number>> = {
  USD: 40_120,
  EUR: 46_350,
  UYI: 6_412,
  UYR: 1_720_500,
  BRL: 7_310,
  ARS: 28,
};

/** Null on receipts without amounts; else of the company at this position: a till seldom takes other than pesos. */
export function currencyOf(type: number, chance: number, companyPosition: number): string | null {
  if (isRemito(type)) return null;
  const third = companyPosition % 4 === 0 ? pick(THIRD_CURRENCIES, companyPosition / 4) : 'USD';
  // A foreign customer is always billed in one currency.
  if (isExport(type)) return (mix(chance, SALT_PARTY) % FOREIGNERS) % 6 === 0 ? third : 'USD';
  const draw = mix(chance, SALT_CURRENCY) % 100;
  if (draw < 2) return third;
  return draw < (isTicket(type) ? 4 : 12) ? 'USD' : 'UYU';
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
