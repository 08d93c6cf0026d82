import { inCurrency, rateOf } from './currencies.ts';
import { mix } from './hash.ts';
import { isExport, isRemito, isResguardo, isTicket, mayBeNegative, mayBePayment } from './types.ts';

/**
 * The amounts of a receipt, in cents. Parts are drawn first and totals computed from them, so that a detail adds up to
 * the cent.
 */
export interface Amounts {
  /** Net amounts by rate: 0 %, export, 10 %, 22 %. */
  exempt: bigint;
  exported: bigint;
  netMinimum: bigint;
  netBasic: bigint;
  vatMinimum: bigint;
  vatBasic: bigint;
  /** What is not part of the sale: payments, earlier balances. It may be negative. */
  notBillable: bigint;
  withheld: bigint;
}

const NOTHING: Amounts = {
  exempt: 0n,
  exported: 0n,
  netMinimum: 0n,
  netBasic: 0n,
  vatMinimum: 0n,
  vatBasic: 0n,
  notBillable: 0n,
  withheld: 0n,
};

const SALT_SIZE = 41;
const SALT_KIND = 42;
const SALT_LONG = 43;
/** Where there are amounts of 17 digits, one receipt in this many has one. */
const LONG_EVERY = 4999;
/** The rare export remitos have one more often, so that negative totals of 17 digits occur at all. */
const LONG_REMITO_EVERY = 12;

/** Sizes in cents, from 60 to a hundred thousand pesos, each some 3 % above the previous one. */
const SIZES = Float64Array.from({ length: 256 }, (_, i) => Math.round(6000 * 1.0295 ** i));
/** Where a till's sizes end, and those of other receipts, and of other currencies, begin. */
const [TILL_END, OTHERS_FROM, FOREIGN_FROM] = [150, 60, 110] as const;

/** Amounts in this currency, worth what such a receipt is worth in pesos. */
export function amountsOf(
  type: number,
  hash: number,
  currency: string | null,
  hasLongAmounts: boolean,
): Amounts {
  if (isRemito(type)) return NOTHING;
  const kind = mix(hash, SALT_KIND);
  const size = inCurrency(
    sizeOf(mix(hash, SALT_SIZE), isTicket(type), rateOf(currency) !== undefined),
    currency,
  );
  // At a rate of 5 %.
  if (isResguardo(type)) return { ...NOTHING, withheld: BigInt(Math.ceil(size / 20)) };
  const isLong = hasLongAmounts && kind % (mayBeNegative(type) ? LONG_REMITO_EVERY : LONG_EVERY) === 0;
  if (isPayment(type, hash)) {
    const isRefund = (kind >>> 10) % 8 === 0;
    return { ...NOTHING, notBillable: isLong ? longAmount(hash, isRefund) : signed(size, isRefund) };
  }
  const sale = isExport(type) ? exportOf(type, size, kind) : saleOf(type, size, kind);
  return isLong ? lengthened(sale, type, hash) : sale;
}

/** Whether it bills nothing: a payment, or the refund of one. */
export function isPayment(type: number, hash: number): boolean {
  return mayBePayment(type) && (mix(hash, SALT_KIND) >>> 4) % 33 === 0;
}

const SALT_CREDITED = 46;

/**
 * What a credit note takes back of a sale: one in three all of it, the others some eighths, but no less than a peso or
 * so. It has nothing that was not billed.
 */
export function creditOf(sale: Amounts, hash: number): Amounts {
  const draw = mix(hash, SALT_CREDITED);
  const billed = sale.exempt + sale.exported + sale.netMinimum + sale.netBasic;
  const eighths = draw % 3 === 0 || billed < 100n ? 8n : BigInt(1 + ((draw >>> 8) % 7));
  const part = (amount: bigint) => (amount * eighths) / 8n;
  const [netMinimum, netBasic] = [part(sale.netMinimum), part(sale.netBasic)];
  return {
    ...NOTHING,
    exempt: part(sale.exempt),
    exported: part(sale.exported),
    netMinimum,
    netBasic,
    vatMinimum: (netMinimum * 10n + 50n) / 100n,
    vatBasic: (netBasic * 22n + 50n) / 100n,
  };
}

/** Totals as a list sends them; null on receipts without amounts. */
export function totalsOf(
  type: number,
  amounts: Amounts,
): { total: bigint | null; total_pagar: bigint | null } {
  if (isRemito(type) || isResguardo(type)) return { total: null, total_pagar: null };
  const { exempt, exported, netMinimum, netBasic, vatMinimum, vatBasic, notBillable, withheld } = amounts;
  const total = exempt + exported + netMinimum + netBasic + vatMinimum + vatBasic;
  return { total, total_pagar: total + notBillable + withheld };
}

function sizeOf(chance: number, isSmall: boolean, isForeign: boolean): number {
  const from = isForeign ? FOREIGN_FROM : isSmall ? 0 : OTHERS_FROM;
  const end = isSmall && !isForeign ? TILL_END : SIZES.length;
  const size = (SIZES[from + (chance % (end - from))] ?? 6000) + ((chance >>> 8) % 100);
  const cents = (chance >>> 16) % 4;
  // Most prices are whole or end in 50 cents: in JSON they then have no digit or one after the point.
  if (cents < 2) return size - (size % 100);
  return cents === 2 ? size - (size % 100) + 50 : size;
}

function saleOf(type: number, size: number, kind: number): Amounts {
  const rates = (kind >>> 12) % 10;
  const netMinimum = rates >= 6 && rates <= 8 ? (rates === 8 ? size : Math.floor(size / 3)) : 0;
  const exempt = rates === 9 ? size : rates === 7 ? Math.floor(size / 5) : 0;
  const netBasic = size - netMinimum - exempt;
  const special = (kind >>> 18) % 64;
  const isWithheld = special >= 2 && special <= 4 && !isTicket(type);
  return {
    ...NOTHING,
    exempt: BigInt(exempt),
    netMinimum: BigInt(netMinimum),
    netBasic: BigInt(netBasic),
    vatMinimum: BigInt(Math.round(netMinimum / 10)),
    vatBasic: BigInt(Math.round((netBasic * 22) / 100)),
    notBillable: BigInt(special === 0 ? -2 * size : special === 1 ? Math.floor(size / 7) : 0),
    withheld: BigInt(isWithheld ? Math.round((netBasic * 5) / 100) : 0),
  };
}

function exportOf(type: number, size: number, kind: number): Amounts {
  return { ...NOTHING, exported: signed(size, mayBeNegative(type) && (kind >>> 12) % 4 === 0) };
}

/** Makes the total long, or only the amount payable, which may be negative. */
function lengthened(sale: Amounts, type: number, hash: number): Amounts {
  if (!mayBeNegative(type) && mix(hash, SALT_LONG) % 4 === 0)
    return { ...sale, notBillable: sale.notBillable + longAmount(hash, true) };
  const part = isExport(type) ? 'exported' : 'exempt';
  return { ...sale, [part]: sale[part] + longAmount(hash, sale.exported < 0n) };
}

/** 17 digits, 15 of them before the point: from 10^16 to 9 × 10^16 cents, far beyond 2^53. */
function longAmount(hash: number, isNegative: boolean): bigint {
  return signed(10n ** 16n + BigInt(mix(hash, 44)) * 18_626_451n + BigInt(mix(hash, 45) % 1000), isNegative);
}

function signed(size: number | bigint, isNegative: boolean): bigint {
  return isNegative ? -BigInt(size) : BigInt(size);
}
