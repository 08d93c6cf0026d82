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

/** A column of the API's object. Its name is the path, with `_` for the dots. lib/library/receipts.ts makes types of it. */
export function field<Path extends string, Type extends ColumnType>(
  path: Path,
  type: Type,
  meaning: string,
): Column & { path: Path; type: Type } {
  return { name: path.replaceAll('.', '_'), type, path, meaning };
}

export function computed(name: string, type: ColumnType, meaning: string): Column {
  return { name, type, meaning };
}

export function required<Known extends Column>(column: Known): Known {
  return { ...column, required: true };
}

/** Columns that several tables share. */

export const RUT = required(
  computed(
    'rut',
    'string',
    'RUT of the company whose list was read: the recipient in recibidos, the issuer in emitidos',
  ),
);

export const OTROS = computed(
  'otros',
  'json',
  'JSON object, by path: fields that the contract does not name, and values that did not fit their column, as they came',
);

export const LAST_SEEN = computed(
  'visto_por_ultima_vez',
  'timestamp',
  'Null while the API lists the receipt. Otherwise it is gone from the list of its day, and this is when it was last stored as listed: leave such rows out of totals',
);

export const IDENTITY = [
  required(field('id', 'int64', 'Internal identifier, unique across companies')),
  RUT,
  field('tipo_comprobante', 'int32', "CFE type, by the tax authority's table"),
  field('serie', 'string', 'Fiscal series'),
  field('numero', 'int32', 'Fiscal number'),
] as const;

export const DATES = [
  field('fecha_emision', 'timestamp', 'Issue date, local time of Uruguay'),
  field('fecha_firma', 'timestamp', 'Moment of the electronic signature, local time of Uruguay'),
] as const;

export const TOTALS = [
  field(
    'totales.total',
    'decimal(17,2)',
    'Receipt total; not negative on credit notes: the sign comes from the type',
  ),
  field('totales.total_pagar', 'decimal(17,2)', 'Amount payable; may be negative'),
] as const;

export const PAYMENT_FORM = field('forma_pago', 'int32', 'Payment form stated: 1 contado, 2 crédito');

export const CURRENCY = field('moneda', 'string', 'Currency: ISO 4217, UYI or UYR');
