/** How a value is stored; each kind maps to one Parquet, one Glue and one DuckDB type. */
export type ColumnType =
  | 'int32'
  | 'int64'
  /** Exact amount: up to 15 digits before the point and 2 after it. */
  | 'decimal(17,2)'
  /** Local date-time without zone, microseconds. */
  | 'timestamp'
  | 'date'
  | 'boolean'
  | 'string'
  /** A JSON document as text. */
  | 'json';

/** The types' names in DuckDB's SQL. */
export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  int32: 'INTEGER',
  int64: 'BIGINT',
  'decimal(17,2)': 'DECIMAL(17,2)',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
  json: 'VARCHAR',
};

export interface Column {
  name: string;
  type: ColumnType;
  /** Where the value is in the API's object, dotted (`totales.total_pagar`). Absent: the value is computed here. */
  path?: string;
  /** For a JSON column with a path: the contract's type. Anything else goes to `otros`. */
  shape?: 'object' | 'array';
  required?: true;
  meaning: string;
}

export interface Table {
  name: string;
  /** The Hive partition column: in the object's key, not in the file. */
  partition: 'fecha' | 'fecha_corrida';
  meaning: string;
  columns: readonly Column[];
}

/** The index of the column with this name; -1 without one. */
export function indexOfColumn(columns: readonly Column[], name: string): number {
  return columns.findIndex((column) => column.name === name);
}

/** Columns that several tables share. */

export const RUT: Column = {
  name: 'rut',
  type: 'string',
  required: true,
  meaning: 'RUT of the company whose list was read: the recipient in recibidos, the issuer in emitidos',
};

export const OTROS: Column = {
  name: 'otros',
  type: 'json',
  meaning:
    'JSON object, by path: fields that the contract does not name, and values that did not fit their column, as they came',
};

export const LAST_SEEN: Column = {
  name: 'visto_por_ultima_vez',
  type: 'timestamp',
  meaning:
    'Null while the API lists the receipt. Otherwise it is gone from the list of its day, and this is when it was last stored as listed: leave such rows out of totals',
};

export const IDENTITY: readonly Column[] = [
  {
    name: 'id',
    type: 'int64',
    path: 'id',
    required: true,
    meaning: 'Internal identifier, unique across companies',
  },
  RUT,
  {
    name: 'tipo_comprobante',
    type: 'int32',
    path: 'tipo_comprobante',
    meaning: "CFE type, by the tax authority's table",
  },
  { name: 'serie', type: 'string', path: 'serie', meaning: 'Fiscal series' },
  { name: 'numero', type: 'int32', path: 'numero', meaning: 'Fiscal number' },
];

export const DATES: readonly Column[] = [
  {
    name: 'fecha_emision',
    type: 'timestamp',
    path: 'fecha_emision',
    meaning: 'Issue date, local time of Uruguay',
  },
  {
    name: 'fecha_firma',
    type: 'timestamp',
    path: 'fecha_firma',
    meaning: 'Moment of the electronic signature, local time of Uruguay',
  },
];

export const TOTALS: readonly Column[] = [
  {
    name: 'totales_total',
    type: 'decimal(17,2)',
    path: 'totales.total',
    meaning: 'Receipt total; not negative on credit notes: the sign comes from the type',
  },
  {
    name: 'totales_total_pagar',
    type: 'decimal(17,2)',
    path: 'totales.total_pagar',
    meaning: 'Amount payable; may be negative',
  },
];

export const PAYMENT_FORM: Column = {
  name: 'forma_pago',
  type: 'int32',
  path: 'forma_pago',
  meaning: 'Payment form stated: 1 contado, 2 crédito',
};

export const CURRENCY: Column = {
  name: 'moneda',
  type: 'string',
  path: 'moneda',
  meaning: 'Currency: ISO 4217, UYI or UYR',
};
