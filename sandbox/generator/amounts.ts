import { mix } from './hash.ts';
import { isExport, isRemito, isResguardo, isTicket, mayBeNegative, mayBePayment } from './types.ts';

/**
 * The amounts of a receipt, in cents. Parts are drawn first and totals computed from them, so that a detail adds up to
 * the cent. Ordinary amounts fit a double. Those of 17 digits, in worlds that have any, are in `longExempt` and
 * `longNotBillable`.
 */
export interface Amounts {
  /** Net amounts by rate: 0 %, export, 10 %, 22 %. */
  exempt: number;
  exported: number;
  netMinimum: number;
  netBasic: number;
  vatMinimum: number;
  vatBasic: number;
  /** Not part of the sale: payments, earlier balances. May be negative. */
  notBillable: number;
  withheld: number;
  /** Exempt, or exported on an export receipt. */
  longExempt: bigint;
  longNotBillable: bigint;
}

/** Totals as a list sends them; null on receipts without amounts. */
export interface Totals {
  total: bigint | null;
  totalPagar: bigint | null;
}

const NOTHING: Amounts = {
  exempt: 0,
  exported: 0,
  netMinimum: 0,
  netBasic: 0,
  vatMinimum: 0,
  vatBasic: 0,
  notBillable: 0,
  withheld: 0,
  longExempt: 0n,
  longNotBillable: 0n,
};

const SALT_SIZE = 41;
const SALT_KIND = 42;
const SALT_LONG = 43;
/** Where there are amounts of 17 digits, one receipt in this many has one. */
const LONG_EVERY = 4999;
/** The rare export remitos have one more often, so that negative totals of 17 digits occur at all. */
const LONG_REMITO_EVERY = 12;

/** Sizes in cents, from 5 to a hundred thousand pesos, each some 4 % above the previous one. */
const SIZES = Float64Array.from({ length: 256 }, (_, i) => Math.round(500 * 1.0396 ** i));

export function amountsOf(type: number, hash: number, hasLongAmounts: boolean): Amounts {
  if (isRemito(type)) return NOTHING;
  const kind = mix(hash, SALT_KIND);
  const size = sizeOf(mix(hash, SALT_SIZE), isTicket(type));
  if (isResguardo(type)) return { ...NOTHING, withheld: size };
  const isLong = hasLongAmounts && kind % (mayBeNegative(type) ? LONG_REMITO_EVERY : LONG_EVERY) === 0;
  if (mayBePayment(type) && (kind >>> 4) % 33 === 0) {
    const isRefund = (kind >>> 10) % 8 === 0;
    return isLong
      ? { ...NOTHING, longNotBillable: longAmount(hash, isRefund) }
      : { ...NOTHING, notBillable: isRefund ? -size : size };
  }
  const sale = isExport(type) ? exportOf(type, size, kind) : saleOf(type, size, kind);
  return isLong ? lengthened(sale, type, hash) : sale;
}

export function totalsOf(type: number, amounts: Amounts): Totals {
  if (isRemito(type) || isResguardo(type)) return { total: null, totalPagar: null };
  const { exempt, exported, netMinimum, netBasic, vatMinimum, vatBasic, notBillable, withheld } = amounts;
  const total = exempt + exported + netMinimum + netBasic + vatMinimum + vatBasic;
  const payable = total + notBillable + withheld;
  if (amounts.longExempt === 0n && amounts.longNotBillable === 0n)
    return { total: BigInt(total), totalPagar: BigInt(payable) };
  return {
    total: BigInt(total) + amounts.longExempt,
    totalPagar: BigInt(payable) + amounts.longExempt + amounts.longNotBillable,
  };
}

function sizeOf(chance: number, isSmall: boolean): number {
  const size = (SIZES[isSmall ? chance % 180 : 30 + (chance % 226)] ?? 500) + ((chance >>> 8) % 100);
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
  const vatMinimum = Math.round(netMinimum / 10);
  const vatBasic = Math.round((netBasic * 22) / 100);
  const special = (kind >>> 18) % 64;
  const notBillable = special === 0 ? -2 * size : special === 1 ? Math.floor(size / 7) : 0;
  const withheld = special >= 2 && special <= 4 && !isTicket(type) ? Math.round((netBasic * 5) / 100) : 0;
  return { ...NOTHING, exempt, netMinimum, netBasic, vatMinimum, vatBasic, notBillable, withheld };
}

function exportOf(type: number, size: number, kind: number): Amounts {
  const isNegative = mayBeNegative(type) && (kind >>> 12) % 4 === 0;
  return { ...NOTHING, exported: isNegative ? -size : size };
}

/** Makes the total long, or only the amount payable, which may be negative. */
function lengthened(sale: Amounts, type: number, hash: number): Amounts {
  const chance = mix(hash, SALT_LONG);
  if (mayBeNegative(type)) return { ...sale, longExempt: longAmount(hash, sale.exported < 0) };
  return chance % 4 === 0
    ? { ...sale, longNotBillable: longAmount(hash, true) }
    : { ...sale, longExempt: longAmount(hash, false) };
}

/** 17 digits, 15 of them before the point: from 10^16 to 9 × 10^16 cents, far beyond 2^53. */
function longAmount(hash: number, isNegative: boolean): bigint {
  const amount = 10n ** 16n + BigInt(mix(hash, 44)) * 18_626_451n + BigInt(mix(hash, 45) % 1000);
  return isNegative ? -amount : amount;
}
