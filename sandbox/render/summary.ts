import { isTargeted, type SandboxBehaviour } from '../behaviour.ts';
import type { SandboxReceipt } from '../generator/receipt-list.ts';
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

/**
 * Values that don't fit the contract or their column. `oddValues` puts one into every seventh row, each form in turn. A
 * row that lacks the field stays as it is.
 */

export interface OddForm {
  name: string;
  apply(row: string): string;
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

function replaced(name: string, field: string, valuePattern: string, value: string): OddForm {
  const pattern = new RegExp(`"(${field})":(?:${valuePattern})`);
  return { name, apply: (row) => row.replace(pattern, `"$1":${value}`) };
}

function added(name: string, fields: string): OddForm {
  return { name, apply: (row) => `${row.slice(0, -1)},${fields}}` };
}

const NUMBER = '-?[\\d.]+';

export const ODD_FORMS: readonly OddForm[] = [
  replaced('amount of 22 digits', 'total', NUMBER, '12345678901234567890.12'),
  replaced('amount with 3 decimals', 'total_pagar', NUMBER, '617.505'),
  replaced('amount as text', 'total', NUMBER, '"617,50"'),
  replaced('number beyond 32 bits', 'numero', NUMBER, '99999999999'),
  replaced('number as text', 'numero', NUMBER, '"A-12"'),
  replaced('type with a fraction', 'tipo_comprobante', NUMBER, '101.5'),
  added('unknown fields', '"canal":"web","datos_extra":{"lote":12345678901234567890,"notas":["ñ",null]}'),
  replaced('impossible date', 'fecha_emision', TEXT, '"2026-02-30T00:00:00"'),
  replaced('date with a zone', 'fecha_firma', TEXT, '"2026-11-19T10:00:00-03:00"'),
  replaced('fraction of 7 digits', 'fecha_firma', TEXT, '"2026-11-19T10:00:00.1234567"'),
  replaced('fraction of 9 digits', 'fecha_firma', TEXT, '"2026-11-19T10:00:00.123456789"'),
  replaced('status as text', 'estado(?:_dgi)?', '\\{[^}]*\\}', '"AE"'),
  replaced('recipient as a list', 'receptor', '\\{[^}]*\\}', '["219999830019"]'),
  replaced('series as a number', 'serie', TEXT, '7'),
];

const EVERY = 7;

/** The odd form that a receipt has if odd values are on; undefined if none. */
export function oddFormOf(receipt: Pick<SandboxReceipt, 'index'>): OddForm | undefined {
  if (receipt.index % EVERY !== 3) return undefined;
  return ODD_FORMS[Math.floor(receipt.index / EVERY) % ODD_FORMS.length];
}

const POWERS = [1n, 10n, 100n, 1_000n, 10_000n, 100_000n, 1_000_000n] as const;
const FRACTIONS = Array.from({ length: 100 }, (_, cents) =>
  cents === 0 ? '' : `.${String(cents).padStart(2, '0').replace(/0$/, '')}`,
);
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Cents as a JSON number without trailing zeros (`617.5`), exact at any length; `null` for none. */
export function amountText(cents: bigint | null): string {
  if (cents === null) return 'null';
  if (cents > SAFE || cents < -SAFE) return decimalText(cents, 2);
  const number = Number(cents);
  const absolute = number < 0 ? -number : number;
  return `${number < 0 ? '-' : ''}${Math.floor(absolute / 100)}${FRACTIONS[absolute % 100]}`;
}

/** A whole number of tenths, hundredths, … (`scale` digits) as a JSON number without trailing zeros. */
function decimalText(value: bigint, scale: number): string {
  const power = POWERS[scale] ?? 10n ** BigInt(scale);
  const absolute = value < 0n ? -value : value;
  const fraction = (absolute % power).toString().padStart(scale, '0').replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${absolute / power}${fraction === '' ? '' : `.${fraction}`}`;
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

/** A summary as it is sent, with an odd value if the receipt has one. */
export function rowOf(receipt: SandboxReceipt, behaviour: Readonly<SandboxBehaviour>): string {
  const row = summary(receipt);
  if (!behaviour.oddValues || !isTargeted(behaviour.faultTarget, receipt)) return row;
  return oddFormOf(receipt)?.apply(row) ?? row;
}
