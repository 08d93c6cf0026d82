import type { Amounts } from './amounts.ts';
import { dayNumber, dayText } from './calendar.ts';
import { type DetailLine, goodsOf, linesOf, numbered, withholding, withholdingsOf } from './detail-lines.ts';
import { hashText, mix } from './hash.ts';
import type { Numbering } from './numbering.ts';
import type { SandboxReceipt } from './receipt-list.ts';
import { isCreditNote, isDebitNote, isExport, isRemito, isResguardo, ordinaryType } from './types.ts';

/** The amounts of a detail, in cents: net amounts and VAT by rate, and the totals of the list. */
export type DetailTotals = Record<Exclude<keyof Amounts, 'longExempt' | 'longNotBillable'>, bigint>;

/** A discount (`D`) or surcharge (`R`) on the lines of one billing indicator. */
export interface Adjustment {
  kind: 'D' | 'R';
  reason: string;
  billingIndicator: number;
  amount: bigint;
}

/** The fields that a detail has beyond its summary. */
export interface SandboxDetail {
  /** Null on receipts without amounts. */
  totals: DetailTotals | null;
  /** Pesos for one unit of the currency, thousandths; null in pesos and without currency. */
  exchangeRate: bigint | null;
  lines: readonly DetailLine[];
  adjustments: readonly Adjustment[];
}

const SALT_LINES = 71;
const SALT_ADJUSTMENT = 72;
const BASIC = 3;

const RATES: Readonly<Record<string, number>> = {
  USD: 40_120,
  EUR: 46_350,
  UYI: 6_412,
  UYR: 1_720_500,
  BRL: 7_310,
  ARS: 28,
};

/** Lines, adjustments and totals of a receipt. Lines and adjustments add up to the nets, and the nets to the total. */
export function detailOf(receipt: SandboxReceipt): SandboxDetail {
  const { amounts, chance, tipo_comprobante: type } = receipt;
  const count = lineCount(chance);
  const exchangeRate = exchangeRateOf(receipt);
  if (isRemito(type))
    return { totals: null, exchangeRate, lines: numbered(goodsOf(count, chance)), adjustments: [] };

  const totals = detailTotals(type, amounts);
  if (isResguardo(type))
    return {
      totals,
      exchangeRate,
      lines: numbered(withholdingsOf(totals.withheld, count, chance)),
      adjustments: [],
    };

  const adjustment = adjustmentOf(totals.netBasic, chance);
  const adjusted = adjustment === undefined ? 0n : signedAmount(adjustment);
  const lines = [
    ...linesOf(totals.netBasic - adjusted, count, BASIC, chance),
    ...linesOf(totals.netMinimum, Math.min(count, 3), 2, mix(chance, 2)),
    ...linesOf(totals.exempt, Math.min(count, 2), 1, mix(chance, 1)),
    ...linesOf(totals.exported, count, 10, mix(chance, 10)),
    ...linesOf(totals.notBillable, 1, totals.notBillable < 0n ? 7 : 6, mix(chance, 6)),
  ];
  return {
    totals,
    exchangeRate,
    lines: numbered(totals.withheld === 0n ? lines : withheldOnFirst(lines, totals.withheld)),
    adjustments: adjustment === undefined ? [] : [adjustment],
  };
}

/** An adjustment's amount; negative for a discount. */
function signedAmount(adjustment: Adjustment): bigint {
  return adjustment.kind === 'D' ? -adjustment.amount : adjustment.amount;
}

function detailTotals(type: number, amounts: Amounts): DetailTotals {
  return {
    exempt: BigInt(amounts.exempt) + (isExport(type) ? 0n : amounts.longExempt),
    exported: BigInt(amounts.exported) + (isExport(type) ? amounts.longExempt : 0n),
    netMinimum: BigInt(amounts.netMinimum),
    netBasic: BigInt(amounts.netBasic),
    vatMinimum: BigInt(amounts.vatMinimum),
    vatBasic: BigInt(amounts.vatBasic),
    withheld: BigInt(amounts.withheld),
    notBillable: BigInt(amounts.notBillable) + amounts.longNotBillable,
  };
}

/** Mostly 1 to 4 lines of each rate; one receipt in 200 has 60 and one in 3,000 some 690, near the law's 700. */
function lineCount(chance: number): number {
  const draw = mix(chance, SALT_LINES);
  if (draw % 3000 === 7) return 690;
  return draw % 200 === 1 ? 60 : 1 + ((draw >>> 8) % 4);
}

function adjustmentOf(netBasic: bigint, chance: number): Adjustment | undefined {
  const draw = mix(chance, SALT_ADJUSTMENT);
  if (draw % 12 !== 0 || netBasic < 1000n) return undefined;
  return (draw >>> 4) % 3 === 0
    ? { kind: 'R', reason: 'Recargo por envío', billingIndicator: BASIC, amount: netBasic / 20n }
    : { kind: 'D', reason: 'Descuento por pago contado', billingIndicator: BASIC, amount: netBasic / 10n };
}

function withheldOnFirst(lines: readonly DetailLine[], withheld: bigint): DetailLine[] {
  return lines.map((line, i) => (i === 0 ? { ...line, withheld: withholding(withheld) } : line));
}

/** A rate that moves a little from day to day. */
function exchangeRateOf(receipt: SandboxReceipt): bigint | null {
  const rate = receipt.moneda === null ? undefined : RATES[receipt.moneda];
  if (rate === undefined) return null;
  return BigInt(rate + (hashText(receipt.day) % Math.max(2, Math.floor(rate / 50))));
}

/** The receipt that a note corrects. */
export interface Reference {
  type: number;
  serie: string;
  numero: number;
  reason: string;
  day: string;
}

const SALT_REFERENCE = 81;
const LATEST_BACK = 200;

/**
 * The receipt that a credit or debit note corrects: one of the issuer's last 200 of that type. One note in ten refers
 * to none, as it happens in reality.
 * @param numbering the issuer's, for issued receipts. Without one, the number is invented.
 */
export function referenceOf(
  receipt: SandboxReceipt,
  numbering: Numbering | undefined,
): Reference | undefined {
  const type = receipt.tipo_comprobante;
  const draw = mix(receipt.chance, SALT_REFERENCE);
  if (!(isCreditNote(type) || isDebitNote(type)) || draw % 10 === 0) return undefined;
  const corrected = Math.floor(ordinaryType(type) / 10) * 10 + 1;
  const number =
    numbering === undefined
      ? { serie: receipt.serie, numero: Math.max(1, receipt.numero - 1 - (draw % LATEST_BACK)) }
      : issuedBefore(receipt, corrected, draw, numbering);
  if (number === undefined) return undefined;
  const reason = isCreditNote(type) ? 'Devolución de mercadería' : 'Diferencia de precio';
  return { type: corrected, ...number, reason, day: dayText((dayNumber(receipt.day) ?? 0) - (draw % 20)) };
}

function issuedBefore(
  receipt: SandboxReceipt,
  type: number,
  draw: number,
  numbering: Numbering,
): { serie: string; numero: number } | undefined {
  const { branchIndex } = numbering.streamOf(receipt.sequence);
  const earlier = numbering.earlier(type, branchIndex, receipt.sequence);
  if (earlier === 0) return undefined;
  return numbering.nth(type, branchIndex, earlier - 1 - (draw % Math.min(earlier, LATEST_BACK)));
}
