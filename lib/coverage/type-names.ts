/** The tax authority's names of CFE types (Spanish); contingency types are these plus 100. */
const NAMES: ReadonlyMap<number, string> = new Map([
  ...family(101, 'e-Ticket'),
  ...family(111, 'e-Factura'),
  ...family(121, 'e-Factura Exportación'),
  [124, 'e-Remito de Exportación'],
  ...family(131, 'e-Ticket Venta por Cuenta Ajena'),
  ...family(141, 'e-Factura Venta por Cuenta Ajena'),
  ...family(151, 'e-Boleta de entrada'),
  [181, 'e-Remito'],
  [182, 'e-Resguardo'],
]);

/** A type, its credit note (nota de crédito) and its debit note. */
function family(code: number, name: string): [number, string][] {
  return [
    [code, name],
    [code + 1, `NC de ${name}`],
    [code + 2, `ND de ${name}`],
  ];
}

/** Undefined for a code that the table doesn't have. */
export function typeName(code: number): string | undefined {
  const name = NAMES.get(code);
  if (name !== undefined) return name;
  const ordinary = NAMES.get(code - 100);
  return ordinary === undefined ? undefined : `${ordinary}, contingencia`;
}
