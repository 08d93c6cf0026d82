import type { SandboxReceipt } from '../generator/receipts.ts';
import { isResguardo } from '../generator/types.ts';

/**
 * Summaries as JSON text, built by templates: 17-digit amounts and 64-bit ids are exact, and a page takes microseconds.
 * Where it is unknown how the service sends a missing value, even rows have null and odd rows leave out the field.
 */

/** An element of the received list (the contract, §2.2). */
function receivedSummary(receipt: SandboxReceipt): string {
  const { emisor } = receipt;
  return `{"id":${receipt.id},"tipo_comprobante":${receipt.tipo_comprobante},"serie":"${receipt.serie}","numero":${receipt.numero}${
    receipt.forma_pago === null ? '' : `,"forma_pago":${receipt.forma_pago}`
  },"moneda":${receipt.moneda === null ? 'null' : `"${receipt.moneda}"`},"fecha_emision":"${receipt.fecha_emision}","fecha_firma":"${receipt.fecha_firma}","emisor":{"ruc":"${emisor.document}","razon_social":${emisor.nameJson}}${
    receipt.receptor === null
      ? missing(receipt, 'receptor')
      : `,"receptor":{"nro_doc":"${receipt.receptor.document}","denominacion":${receipt.receptor.nameJson}}`
  },"totales":${totals(receipt)}${status(receipt, 'estado', receipt.estado)}}`;
}

/** An element of the issued list (the contract, §2.3); it has no currency and no payment form. */
function issuedSummary(receipt: SandboxReceipt): string {
  return `{"id":${receipt.id},"tipo_comprobante":${receipt.tipo_comprobante},"serie":"${receipt.serie}","numero":${receipt.numero},"fecha_emision":"${receipt.fecha_emision}","fecha_firma":"${receipt.fecha_firma}"${
    receipt.receptor === null
      ? missing(receipt, 'receptor')
      : `,"receptor":{"ruc":"${receipt.receptor.document}","razon_social":${receipt.receptor.nameJson}}`
  },"totales":${totals(receipt)}${status(receipt, 'estado_receptor', receipt.estado_receptor)}${status(receipt, 'estado_dgi', receipt.estado_dgi)}}`;
}

export function summary(receipt: SandboxReceipt): string {
  return receipt.direction === 'recibidos' ? receivedSummary(receipt) : issuedSummary(receipt);
}

/** A page (the contract, §2.1) of rows already rendered. */
export function envelope(rows: readonly string[], pageNumber: number): string {
  return `{"items":[${rows.join(',')}],"page_number":${pageNumber},"page_size":${rows.length}}`;
}

function totals(receipt: SandboxReceipt): string {
  if (receipt.total === null && isResguardo(receipt.tipo_comprobante)) return 'null';
  return `{"total":${amountText(receipt.total)},"total_pagar":${amountText(receipt.total_pagar)}}`;
}

function status(receipt: SandboxReceipt, field: string, code: string | null): string {
  if (code !== null) return `,"${field}":{"codigo":"${code}"}`;
  return receipt.index % 2 === 0 ? `,"${field}":{"codigo":null}` : '';
}

function missing(receipt: SandboxReceipt, field: string): string {
  return receipt.index % 2 === 0 ? `,"${field}":null` : '';
}

/** Cents as a JSON number without trailing zeros (`617.5`), exact at any length; `null` for none. */
export function amountText(cents: bigint | null): string {
  return cents === null ? 'null' : decimalText(cents, 2);
}

/** A whole number of tenths, hundredths, … (`scale` digits) as a JSON number without trailing zeros. */
function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction === '' ? '' : `.${fraction}`}`;
}

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text. Standard, but not among TypeScript's types yet. */
    rawJSON(text: string): unknown;
  }
}

/** The same for JSON.stringify. */
export function decimal(value: bigint, scale: number): unknown {
  return JSON.rawJSON(decimalText(value, scale));
}
