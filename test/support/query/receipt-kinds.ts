import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { scaled } from './exact-sums.ts';
import type { Known } from './queried-lake.ts';

/** Remitos and resguardos, by the last two digits: no sale and no purchase. */
const GOODS_AND_WITHHOLDINGS = [124, 181, 182, 281, 282];
const PURCHASE_SLIPS = [151, 152, 153];
const CREDIT_NOTES = [102, 112, 122, 132, 142, 152, 202, 212];

/** Whether it is a sale or purchase that was not rejected. Written out, without the arithmetic of the queries. */
export function isTrade({ tipo_comprobante: type, estado, estado_dgi: verdict }: SandboxReceipt): boolean {
  return !GOODS_AND_WITHHOLDINGS.includes(type) && verdict !== 'BE' && estado !== 'BE';
}

/** A boleta de entrada: its issuer is the buyer. */
export function isPurchaseSlip({ tipo_comprobante: type }: SandboxReceipt): boolean {
  return PURCHASE_SLIPS.includes(type);
}

export function isCreditNote({ tipo_comprobante: type }: SandboxReceipt): boolean {
  return CREDIT_NOTES.includes(type);
}

/** The amount with its type's sign. */
export function signed(receipt: SandboxReceipt, amount: bigint | null): bigint | null {
  return amount !== null && isCreditNote(receipt) ? -amount : amount;
}

export function monthOf({ day }: SandboxReceipt): string {
  return `${day.slice(0, 7)}-01`;
}

/** The currency that the lake can know: of an issued receipt from its detail, of a received one from the list. */
export function currencyOf({ receipt, wire }: Known): string | null {
  if (receipt.direction === 'recibidos') return receipt.moneda;
  const currency = wire?.totales.moneda;
  return currency === undefined ? null : String(currency);
}

/** Names of a detail's amounts by rate, in the order of the queries' columns. */
export const VAT_FIELDS = [
  'mnt_no_gravado',
  'mnt_exportacion_y_asimilados',
  'mnt_neto_iva_tasa_minima',
  'mnt_iva_tasa_minima',
  'mnt_neto_iva_tasa_basica',
  'mnt_iva_tasa_basica',
];

/** The exchange rate in thousandths of a peso; null if the detail does not state it. */
export function rateOf(known: Known): bigint | null {
  if (currencyOf(known) === 'UYU') return 1000n;
  const rate = known.wire?.totales.tipo_cambio;
  return rate === undefined ? null : scaled(rate, 3);
}

/** Cents of pesos, with half cents rounded away from zero. */
export function inPesos(cents: bigint | null, rate: bigint | null): bigint | null {
  return cents === null || rate === null ? null : roundedThousandths(cents * rate);
}

export function roundedThousandths(value: bigint): bigint {
  const rounded = ((value < 0n ? -value : value) + 500n) / 1000n;
  return value < 0n ? -rounded : rounded;
}

/** Whether its amounts by rate are more than its total, by more than a unit of its currency. */
export function exceedsTotal({ receipt, wire }: Known): boolean {
  const stated = VAT_FIELDS.reduce((sum, field) => sum + scaled(wire?.totales[field], 2), 0n);
  return receipt.total !== null && stated > receipt.total + 100n;
}
