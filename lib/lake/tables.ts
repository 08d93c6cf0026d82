import type { Direction } from '../api/directions.ts';

/**
 * The one place where a column of the lake is defined. The Parquet schema, the decoding of the
 * API's rows, the Glue columns, the DuckDB views and the table reference all come from here.
 */

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

export interface Column {
  name: string;
  type: ColumnType;
  /** Where the value stands in the API's object, dotted (`totales.total_pagar`); absent: computed here. */
  path?: string;
  required?: true;
  meaning: string;
}

export interface Table {
  name: string;
  /** The Hive partition column; it stands in the object's key, not in the file. */
  partition: 'fecha' | 'fecha_corrida';
  meaning: string;
  columns: readonly Column[];
}

const RUT: Column = {
  name: 'rut',
  type: 'string',
  required: true,
  meaning: 'RUT of the company whose list was read: the recipient in recibidos, the issuer in emitidos',
};

const OTROS: Column = {
  name: 'otros',
  type: 'json',
  meaning:
    'JSON object, by path: fields that the contract does not name, and values that did not fit their column, as they came',
};

const LAST_SEEN: Column = {
  name: 'visto_por_ultima_vez',
  type: 'timestamp',
  meaning:
    'Null while the API lists the receipt. Else it is gone from the list of its day, and this is when it was last stored as listed: leave such rows out of totals',
};

const IDENTITY: readonly Column[] = [
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

const DATES: readonly Column[] = [
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

const TOTALS: readonly Column[] = [
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

export const RECIBIDOS: Table = {
  name: 'recibidos',
  partition: 'fecha',
  meaning: 'Receipts that the company received, one row each, from the list',
  columns: [
    ...IDENTITY,
    {
      name: 'forma_pago',
      type: 'int32',
      path: 'forma_pago',
      meaning: 'Payment form stated: 1 contado, 2 crédito',
    },
    { name: 'moneda', type: 'string', path: 'moneda', meaning: 'Currency: ISO 4217, UYI or UYR' },
    ...DATES,
    { name: 'emisor_ruc', type: 'string', path: 'emisor.ruc', meaning: 'Document or RUT of the issuer' },
    {
      name: 'emisor_razon_social',
      type: 'string',
      path: 'emisor.razon_social',
      meaning: 'Name of the issuer',
    },
    {
      name: 'receptor_nro_doc',
      type: 'string',
      path: 'receptor.nro_doc',
      meaning: 'Document of the recipient',
    },
    {
      name: 'receptor_denominacion',
      type: 'string',
      path: 'receptor.denominacion',
      meaning: 'Name of the recipient',
    },
    ...TOTALS,
    {
      name: 'estado_codigo',
      type: 'string',
      path: 'estado.codigo',
      meaning: 'Status of the received receipt; changes after the day',
    },
    LAST_SEEN,
    OTROS,
  ],
};

export const EMITIDOS: Table = {
  name: 'emitidos',
  partition: 'fecha',
  meaning:
    'Receipts that the company issued, one row each, from the list. The list has no currency: never sum amounts across currencies from here',
  columns: [
    ...IDENTITY,
    ...DATES,
    {
      name: 'receptor_ruc',
      type: 'string',
      path: 'receptor.ruc',
      meaning: 'Document or RUT of the recipient',
    },
    {
      name: 'receptor_razon_social',
      type: 'string',
      path: 'receptor.razon_social',
      meaning: 'Name of the recipient',
    },
    ...TOTALS,
    {
      name: 'estado_receptor_codigo',
      type: 'string',
      path: 'estado_receptor.codigo',
      meaning: 'Status reported by the recipient; changes after the day',
    },
    {
      name: 'estado_dgi_codigo',
      type: 'string',
      path: 'estado_dgi.codigo',
      meaning: 'Status reported by the tax authority; changes after the day',
    },
    LAST_SEEN,
    OTROS,
  ],
};

export const EXPORTACIONES: Table = {
  name: 'exportaciones',
  partition: 'fecha_corrida',
  meaning: 'The audit: one row per unit (company, direction, issue date) and run',
  columns: [
    { name: 'corrida', type: 'string', required: true, meaning: 'Run id' },
    RUT,
    { name: 'direccion', type: 'string', required: true, meaning: 'recibidos or emitidos' },
    { name: 'fecha', type: 'date', required: true, meaning: 'Issue date of the unit' },
    {
      name: 'estado',
      type: 'string',
      required: true,
      meaning: 'exportado, sin_cambios, vacio or fallido',
    },
    { name: 'filas', type: 'int64', meaning: 'Receipts that the API lists; null when the unit failed' },
    { name: 'nuevas', type: 'int64', meaning: 'Receipts that the previous reading did not have' },
    { name: 'cambiadas', type: 'int64', meaning: 'Receipts with another value than in the previous reading' },
    {
      name: 'desaparecidas',
      type: 'int64',
      meaning: 'Receipts that the previous reading had and the API no longer lists; they are kept, marked',
    },
    { name: 'avisos', type: 'int64', meaning: 'Values that did not fit their column and went to otros' },
    { name: 'estable', type: 'boolean', meaning: 'Whether the reading was proved free of drift' },
    { name: 'paginas', type: 'int64', meaning: 'List pages read' },
    { name: 'solicitudes', type: 'int64', meaning: 'Requests sent, retries included' },
    { name: 'reintentos', type: 'int64', meaning: 'Requests that were retries' },
    { name: 'bytes', type: 'int64', meaning: 'Size of the object written; 0 when nothing was written' },
    { name: 'sha256', type: 'string', meaning: "SHA-256 of the unit's content" },
    { name: 'error', type: 'string', meaning: 'What went wrong, and what to do' },
    { name: 'inicio', type: 'timestamp', meaning: 'When the unit began, local time of Uruguay' },
    { name: 'fin', type: 'timestamp', meaning: 'When the unit ended, local time of Uruguay' },
  ],
};

export const CAMBIOS: Table = {
  name: 'cambios',
  partition: 'fecha_corrida',
  meaning:
    'What changed since a unit was first exported: one row per receipt that appeared or vanished, and per field that changed',
  columns: [
    { name: 'corrida', type: 'string', required: true, meaning: 'Run id' },
    {
      name: 'momento',
      type: 'timestamp',
      required: true,
      meaning: 'When it was noticed, local time of Uruguay',
    },
    RUT,
    { name: 'direccion', type: 'string', required: true, meaning: 'recibidos or emitidos' },
    { name: 'fecha', type: 'date', required: true, meaning: 'Issue date of the unit' },
    { name: 'id', type: 'int64', required: true, meaning: 'Internal identifier of the receipt' },
    { name: 'emisor_ruc', type: 'string', meaning: 'RUT of the issuer, with the next three the natural key' },
    { name: 'tipo_comprobante', type: 'int32', meaning: 'CFE type' },
    { name: 'serie', type: 'string', meaning: 'Fiscal series' },
    { name: 'numero', type: 'int32', meaning: 'Fiscal number' },
    {
      name: 'cambio',
      type: 'string',
      required: true,
      meaning: 'aparecio, cambio, desaparecio, movido (now listed under another issue date) or reaparecio',
    },
    { name: 'campo', type: 'string', meaning: 'The column that changed; null for a whole receipt' },
    {
      name: 'antes',
      type: 'string',
      meaning: 'The value before, as text; for a receipt that vanished, the whole row as JSON',
    },
    {
      name: 'despues',
      type: 'string',
      meaning: 'The value after, as text; for a receipt that appeared, the whole row as JSON',
    },
  ],
};

export const TABLES: readonly Table[] = [RECIBIDOS, EMITIDOS, EXPORTACIONES, CAMBIOS];

/** The table that a direction's list goes to. */
export const TABLE_OF: Readonly<Record<Direction, Table>> = { recibidos: RECIBIDOS, emitidos: EMITIDOS };
