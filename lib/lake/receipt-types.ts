export interface ReceiptType {
  code: number;
  /** Its name in Spanish, as on the receipt. */
  name: string;
  /** The sign of its total in a sum of sales or purchases: -1 for credit notes. */
  sign: 1 | -1;
  /** Its kind in the books. A boleta de entrada is issued by the buyer. */
  kind: 'venta' | 'exportacion' | 'boleta de entrada' | 'remito' | 'resguardo';
}

/** Families of a receipt, its credit note and its debit note: 101, 102, 103. */
const FAMILIES = [
  { code: 101, name: 'e-Ticket', kind: 'venta' },
  { code: 111, name: 'e-Factura', kind: 'venta' },
  { code: 121, name: 'e-Factura de exportación', kind: 'exportacion' },
  { code: 131, name: 'e-Ticket venta por cuenta ajena', kind: 'venta' },
  { code: 141, name: 'e-Factura venta por cuenta ajena', kind: 'venta' },
  { code: 151, name: 'e-Boleta de entrada', kind: 'boleta de entrada' },
] as const;

const ORDINARY: readonly ReceiptType[] = [
  ...FAMILIES.flatMap(({ code, name, kind }): ReceiptType[] => [
    { code, name, sign: 1, kind },
    { code: code + 1, name: `Nota de crédito de ${name}`, sign: -1, kind },
    { code: code + 2, name: `Nota de débito de ${name}`, sign: 1, kind },
  ]),
  { code: 124, name: 'e-Remito de exportación', sign: 1, kind: 'remito' },
  { code: 181, name: 'e-Remito', sign: 1, kind: 'remito' },
  { code: 182, name: 'e-Resguardo', sign: 1, kind: 'resguardo' },
];

/** All types by code. Contingency types are the ordinary ones plus 100. */
export const RECEIPT_TYPES: readonly ReceiptType[] = [
  ...ORDINARY,
  ...ORDINARY.map(({ code, name, ...fields }) => ({
    code: code + 100,
    name: `${name}, contingencia`,
    ...fields,
  })),
].toSorted((a, b) => a.code - b.code);

/** The types as a view, in DuckDB and in Glue, to join with the lake's tables. */
export const RECEIPT_TYPES_VIEW = {
  name: 'tipos_comprobante',
  meaning:
    "Receipt types by the tax authority's table, one row each; a view, to be joined on tipo_comprobante",
  columns: [
    {
      name: 'tipo_comprobante',
      type: 'integer',
      meaning: 'CFE type; those of contingency are the ordinary ones plus 100',
    },
    { name: 'nombre', type: 'varchar', meaning: 'Its name' },
    {
      name: 'signo',
      type: 'integer',
      meaning: '-1 on credit notes, of which totals are not negative; else 1',
    },
    {
      name: 'clase',
      type: 'varchar',
      meaning:
        'venta, exportacion, boleta de entrada (issued by the buyer), remito or resguardo (neither sale nor purchase)',
    },
  ],
  sql: [
    'SELECT tipo_comprobante, CAST(nombre AS VARCHAR) AS nombre, signo, CAST(clase AS VARCHAR) AS clase',
    'FROM (',
    '  VALUES',
    RECEIPT_TYPES.map(({ code, name, sign, kind }) => `    (${code}, '${name}', ${sign}, '${kind}')`).join(
      ',\n',
    ),
    ') AS tipos (tipo_comprobante, nombre, signo, clase)',
  ].join('\n'),
} as const;
