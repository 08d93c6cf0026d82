import type { SandboxReceipt } from '../generator/receipt.ts';

/**
 * Values that don't fit the contract or the column they belong in: what `oddValues` puts into every seventh
 * row, one form after the other. A row that lacks the field stays as it is.
 */

export interface OddForm {
  name: string;
  /** Changes a rendered row. */
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

/** The odd form that a receipt has when odd values are on; undefined: none. */
export function oddFormOf(receipt: Pick<SandboxReceipt, 'index'>): OddForm | undefined {
  if (receipt.index % EVERY !== 3) return undefined;
  return ODD_FORMS[Math.floor(receipt.index / EVERY) % ODD_FORMS.length];
}
