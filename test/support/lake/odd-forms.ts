interface OddForm {
  apply(row: string): string;
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

function replaced(field: string, valuePattern: string, value: string): OddForm {
  const pattern = new RegExp(`"(${field})":(?:${valuePattern})`);
  return { apply: (row) => row.replace(pattern, `"$1":${value}`) };
}

function added(fields: string): OddForm {
  return { apply: (row) => `${row.slice(0, -1)},${fields}}` };
}

const NUMBER = '-?[\\d.]+';

/**
 * Values that don't fit the contract or their column, put into a row of the sandbox. A row that lacks the field stays as
 * it is.
 */
export const ODD_FORMS: readonly OddForm[] = [
  // Amount of 22 digits.
  replaced('total', NUMBER, '12345678901234567890.12'),
  // Amount with 3 decimals.
  replaced('total_pagar', NUMBER, '617.505'),
  // Amount as text.
  replaced('total', NUMBER, '"617,50"'),
  // Number beyond 32 bits.
  replaced('numero', NUMBER, '99999999999'),
  // Number as text.
  replaced('numero', NUMBER, '"A-12"'),
  // Type with a fraction.
  replaced('tipo_comprobante', NUMBER, '101.5'),
  // Unknown fields.
  added('"canal":"web","datos_extra":{"lote":12345678901234567890,"notas":["ñ",null]}'),
  // Impossible date.
  replaced('fecha_emision', TEXT, '"2026-02-30T00:00:00"'),
  // Date with a zone.
  replaced('fecha_firma', TEXT, '"2026-11-19T10:00:00-03:00"'),
  // Fraction of 7 digits.
  replaced('fecha_firma', TEXT, '"2026-11-19T10:00:00.1234567"'),
  // Fraction of 9 digits.
  replaced('fecha_firma', TEXT, '"2026-11-19T10:00:00.123456789"'),
  // Status as text.
  replaced('estado(?:_dgi)?', '\\{[^}]*\\}', '"AE"'),
  // Recipient as a list.
  replaced('receptor', '\\{[^}]*\\}', '["219999830019"]'),
  // Series as a number.
  replaced('serie', TEXT, '7'),
];
