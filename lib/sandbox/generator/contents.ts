import { mix, pick } from './hash.ts';
import { CUSTOMERS, FOREIGNERS, foreignerOf, type Party, PEOPLE, personOf, SUPPLIERS } from './parties.ts';
import { hasPaymentForm, isExport, isRemito, isTicket, ordinaryType } from './types.ts';

/** A receipt's fields besides numbers and amounts. `chance` is the receipt's 32-bit hash. */

const SALT_PARTY = 51;
const SALT_CURRENCY = 52;
const SALT_PAYMENT = 53;
const SALT_EXTERNAL = 54;

const CURRENCIES = [
  ...new Array<string>(42).fill('UYU'),
  ...new Array<string>(5).fill('USD'),
  'EUR',
  'UYI',
] as const;
const RARE_CURRENCIES = ['UYR', 'BRL', 'ARS', 'EUR'] as const;

/** 1 contado, 2 crédito; none on remitos and resguardos. */
export function paymentForm(type: number, chance: number): number | null {
  if (!hasPaymentForm(type)) return null;
  return mix(chance, SALT_PAYMENT) % 10 < (isTicket(type) ? 9 : 4) ? 1 : 2;
}

export function currency(type: number, chance: number): string | null {
  if (isRemito(type)) return null;
  const draw = mix(chance, SALT_CURRENCY);
  if (isExport(type)) return draw % 6 === 0 ? 'EUR' : 'USD';
  if (draw % 97 === 0) return pick(RARE_CURRENCIES, draw >>> 8);
  return pick(CURRENCIES, draw >>> 4);
}

/** A few suppliers send most of the receipts. */
export function supplierSlot(chance: number): number {
  const draw = (mix(chance, SALT_PARTY) % 1000) / 1000;
  return Math.floor(SUPPLIERS * draw * draw);
}

/** The buyer, or null: most e-Tickets name none. */
export function recipientOf(type: number, chance: number, customerOf: (slot: number) => Party): Party | null {
  const draw = mix(chance, SALT_PARTY);
  if (isExport(type)) return foreignerOf(draw % FOREIGNERS);
  if (isTicket(type)) {
    if (draw % 10 < 6) return null;
    if (draw % 10 < 9) return personOf((draw >>> 8) % PEOPLE);
  }
  // A boleta de entrada is issued by the buyer; the other side is a farmer, often a person.
  if (Math.floor(ordinaryType(type) / 10) === 15 && draw % 2 === 0) return personOf((draw >>> 8) % PEOPLE);
  const share = ((draw >>> 8) % 1000) / 1000;
  return customerOf(Math.floor(CUSTOMERS * share * share));
}

/** Whether a received receipt names its recipient: some e-Tickets don't. */
export function namesRecipient(type: number, chance: number): boolean {
  return !isTicket(type) || mix(chance, SALT_PARTY) % 20 !== 0;
}

/**
 * The identifier in the company's own system, or null. It contains the day and index, so that a list filtered by it
 * needs no search. Half of them contain characters that a URL must escape.
 */
export function externalId(day: string, index: number, chance: number): string | null {
  const draw = mix(chance, SALT_EXTERNAL) % 10;
  if (draw < 3) return null;
  return draw < 6 ? `Pedido Nº ${day}/${index} + «envío» & 50%` : `PED-${day}-${index}`;
}

/** The day and index in an external identifier; undefined for any other text. */
export function placeOfExternalId(text: string): { day: string; index: number } | undefined {
  const parts = /(\d{4}-\d{2}-\d{2})[-/](\d+)/.exec(text);
  return parts === null ? undefined : { day: parts[1] ?? '', index: Number(parts[2]) };
}
