import type { SandboxReceipt } from '../generator/receipt.ts';
import { isResguardo } from '../generator/types.ts';
import { amountText } from './decimal.ts';

/**
 * Summaries as JSON text, built by templates: 17-digit amounts and 64-bit ids go out exactly, and a page
 * costs microseconds. What a receipt lacks is sent as null by even rows and left out by odd ones where
 * nobody knows which the service does.
 */

/** An element of the received list (the contract, §2.2). */
export function receivedSummary(receipt: SandboxReceipt): string {
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
export function issuedSummary(receipt: SandboxReceipt): string {
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
export function envelope(rows: readonly string[], pageNumber: number, pageSize: number): string {
  return `{"items":[${rows.join(',')}],"page_number":${pageNumber},"page_size":${pageSize}}`;
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
