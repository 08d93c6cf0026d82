import type { Direction } from '../units/unit.ts';

/**
 * The tables of the lake. Every column is defined here, and nowhere else. The Parquet schema, the decoding of the API's
 * rows, the Glue columns, the DuckDB views and the table reference come from these definitions.
 */

/** How a value is stored; each kind maps to one Parquet, one Glue and one DuckDB type. */
export type ColumnType =
  | 'int32'
  | 'int64'
  /** Exact amount: up to 15 digits before the point and 2 after it. */
  | 'decimal(17,2)'
  /** Exact exchange rate: up to 11 digits before the point and 6 after it. */
  | 'decimal(17,6)'
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
  'decimal(17,6)': 'DECIMAL(17,6)',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
  json: 'VARCHAR',
};

export interface Column {
  name: string;
  type: ColumnType;
  /** Where the value is in the API's object, dotted (`totales.total_pagar`). A value that is computed here has none. */
  path?: string;
  /** The contract's type of a JSON column with a path. Anything else goes to `otros`. */
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

/**
 * The index of the column by which a list's receipts are of their day; -1 in a table of details, whose own date may be
 * another than the list's.
 */
export function indexOfIssueDate(table: Table): number {
  const isList = table === RECIBIDOS || table === EMITIDOS;
  return isList ? indexOfColumn(table.columns, 'fecha_emision') : -1;
}

/** A column of the API's object. Its name is the path, with `_` for the dots. lib/library/receipts.ts makes types of it. */
function field<Path extends string, Type extends ColumnType>(
  path: Path,
  type: Type,
  meaning: string,
): Column & { path: Path; type: Type } {
  return { name: path.replaceAll('.', '_'), type, path, meaning };
}

function computed(name: string, type: ColumnType, meaning: string): Column {
  return { name, type, meaning };
}

function required<Known extends Column>(column: Known): Known {
  return { ...column, required: true };
}

/** Columns that several tables share. */

const RUT = required(
  computed(
    'rut',
    'string',
    'RUT of the company whose list was read: the recipient in recibidos, the issuer in emitidos',
  ),
);

const OTROS = computed(
  'otros',
  'json',
  'JSON object, by path: fields that the contract does not name, and values that did not fit their column, as they came',
);

const LAST_SEEN = computed(
  'visto_por_ultima_vez',
  'timestamp',
  'Null while the API lists the receipt. Otherwise it is gone from the list of its day, and this is when it was last stored as listed: leave such rows out of totals',
);

const IDENTITY = [
  required(field('id', 'int64', 'Internal identifier, unique across companies')),
  RUT,
  field('tipo_comprobante', 'int32', "CFE type, by the tax authority's table"),
  field('serie', 'string', 'Fiscal series'),
  field('numero', 'int32', 'Fiscal number'),
] as const;

const DATES = [
  field('fecha_emision', 'timestamp', 'Issue date, local time of Uruguay'),
  field('fecha_firma', 'timestamp', 'Moment of the electronic signature, local time of Uruguay'),
] as const;

const TOTALS = [
  field(
    'totales.total',
    'decimal(17,2)',
    'Receipt total; not negative on credit notes: the sign comes from the type',
  ),
  field('totales.total_pagar', 'decimal(17,2)', 'Amount payable; may be negative'),
] as const;

const PAYMENT_FORM = field('forma_pago', 'int32', 'Payment form stated: 1 cash, 2 credit');

const CURRENCY = field('moneda', 'string', 'Currency: ISO 4217, UYI or UYR');

export const RECIBIDOS = {
  name: 'recibidos',
  partition: 'fecha',
  meaning: 'Receipts that the company received, one row each, from the list',
  columns: [
    ...IDENTITY,
    PAYMENT_FORM,
    CURRENCY,
    ...DATES,
    field('emisor.ruc', 'string', 'Document or RUT of the issuer'),
    field('emisor.razon_social', 'string', 'Name of the issuer'),
    field('receptor.nro_doc', 'string', 'Document of the recipient'),
    field('receptor.denominacion', 'string', 'Name of the recipient'),
    ...TOTALS,
    field('estado.codigo', 'string', 'Status of the received receipt; may change later'),
    LAST_SEEN,
    OTROS,
  ],
} as const satisfies Table;

export const EMITIDOS = {
  name: 'emitidos',
  partition: 'fecha',
  meaning:
    'Receipts that the company issued, one row each, from the list. The list has no currency: never sum amounts across currencies from here',
  columns: [
    ...IDENTITY,
    ...DATES,
    field('receptor.ruc', 'string', 'Document or RUT of the recipient'),
    field('receptor.razon_social', 'string', 'Name of the recipient'),
    ...TOTALS,
    field('estado_receptor.codigo', 'string', 'Status reported by the recipient; may change later'),
    field('estado_dgi.codigo', 'string', 'Status reported by the tax authority; may change later'),
    LAST_SEEN,
    OTROS,
  ],
} as const satisfies Table;

function object<Name extends string>(name: Name, meaning: string) {
  return { ...field(name, 'json', `JSON object: ${meaning}`), shape: 'object' as const };
}

function array<Name extends string>(name: Name, meaning: string) {
  return { ...field(name, 'json', `JSON array: ${meaning}`), shape: 'array' as const };
}

const LINES = [
  array('items', 'the lines'),
  array('descuentos_recargos', 'discounts and surcharges on the whole receipt, when applicable'),
  array('referencias', 'references to other receipts, if applicable'),
  array('medios_pago', 'payment means stated, if any'),
] as const;

/** How the row was made. */
const READING = [
  computed(
    'motivo',
    'string',
    'Null when the row is the detail of the receipt as it is in the list. Otherwise the reason why not: the row holds the detail as last read or, where leido is null, what the list says',
  ),
  computed('leido', 'timestamp', 'When the detail was read, local time of Uruguay; null when it never was'),
  computed(
    'resumen_sha256',
    'string',
    "SHA-256 of the receipt's row in the list that the detail belongs to; when that changes, the detail is read again",
  ),
  LAST_SEEN,
  OTROS,
] as const;

/**
 * Details of receipts (the contract, §2.4 and §2.5). Fields that the contract types have typed columns. It does not
 * name the inner fields of objects and arrays (§2.6), so each of these is one JSON column. Numbers of more than 15
 * digits are strings in it: JSON functions would round them.
 */
export const RECIBIDOS_DETALLE = {
  name: 'recibidos_detalle',
  partition: 'fecha',
  meaning: 'Details of receipts that the company received, one row each; only where details were asked for',
  columns: [
    ...IDENTITY,
    ...DATES,
    CURRENCY,
    PAYMENT_FORM,
    object('totales', 'main monetary data'),
    object('emisor', 'the company that issued the receipt'),
    object('receptor', 'the receiving company'),
    ...LINES,
    object('estado_receptor', 'status tied to the recipient, when given'),
    object('estado_dgi', 'status tied to the tax authority, when given'),
    object('complemento_fiscal', 'additional fiscal information, when applicable; it may be unreadable'),
    ...READING,
  ],
} as const satisfies Table;

export const EMITIDOS_DETALLE = {
  name: 'emitidos_detalle',
  partition: 'fecha',
  meaning: 'Details of receipts that the company issued, one row each; only where details were asked for',
  columns: [
    ...IDENTITY,
    field('id_externo', 'string', 'External identifier given at creation, if one exists'),
    ...DATES,
    field('fecha_vencimiento', 'timestamp', 'Due date, when applicable, local time of Uruguay'),
    object('totales', 'main amounts; the only place that has the currency'),
    object('emisor', 'the issuing company'),
    object('receptor', 'the receiving company'),
    ...LINES,
    object('estado_receptor', 'status of the receipt with respect to the recipient'),
    object('estado_dgi', 'status of the receipt with respect to the tax authority'),
    field('url_qr_dgi', 'string', "The tax authority's QR query URL, if applicable"),
    ...READING,
  ],
} as const satisfies Table;

export const EXPORTACIONES: Table = {
  name: 'exportaciones',
  partition: 'fecha_corrida',
  meaning: 'The audit: one row per unit (company, direction, issue date) and run',
  columns: [
    required(computed('corrida', 'string', 'Run id')),
    RUT,
    required(computed('direccion', 'string', 'recibidos or emitidos')),
    required(computed('fecha', 'date', 'Issue date of the unit')),
    required(computed('estado', 'string', 'exportado, sin_cambios, vacio or fallido')),
    computed('filas', 'int64', 'Receipts that the API lists; null when the unit failed'),
    computed(
      'nuevas',
      'int64',
      'Receipts that the previous reading did not have; 0 in the first that has any (changes-since-close tells which came late)',
    ),
    computed('cambiadas', 'int64', 'Receipts with another value than in the previous reading'),
    computed(
      'desaparecidas',
      'int64',
      'Receipts that the previous reading had and the API no longer lists; they are kept, marked',
    ),
    computed(
      'avisos',
      'int64',
      'Values of the list, and of details read now, that did not fit their column and went to otros, or had a time zone: the column has these in Uruguayan time, otros as they came',
    ),
    computed('estable', 'boolean', 'Whether the reading was proved free of drift'),
    computed('paginas', 'int64', 'List pages read'),
    computed(
      'solicitudes',
      'int64',
      'Requests sent, retries included; no row has those of a worker that died before it wrote its rows',
    ),
    computed('reintentos', 'int64', 'Requests that were retries'),
    computed('bytes', 'int64', 'Size of the object written; 0 when nothing was written'),
    computed('sha256', 'string', "SHA-256 of the unit's content"),
    computed(
      'detalle',
      'string',
      'State of the details: completo (every receipt was asked for), omitido (skipped by the settings) or fallido; null where none were asked for',
    ),
    computed('detalle_motivo', 'string', 'Why the details are omitido or fallido, and what to do'),
    computed('detalles', 'int64', 'Listed receipts whose detail is in the lake as they now stand'),
    computed('detalles_leidos', 'int64', 'Details read from the API in this invocation'),
    computed(
      'detalles_sin_leer',
      'int64',
      'Listed receipts without such a detail; each says why in motivo, and is asked for again next time',
    ),
    computed('error', 'string', 'What went wrong, and what to do'),
    computed('inicio', 'timestamp', 'When the unit began, local time of Uruguay'),
    computed('fin', 'timestamp', 'When the unit ended, local time of Uruguay'),
    computed(
      'totales',
      'json',
      'JSON array: the listed receipts by tipo and, in recibidos, moneda: comprobantes, how many of them have no totales_total (sin_total), and the exact sum of the others (total, a text); null where there are none',
    ),
    computed(
      'empresa',
      'string',
      "Name of the company as the companies' file or secret has it; without one, as those who sent it receipts write it, and null in emitidos",
    ),
    computed(
      'primera_lectura',
      'boolean',
      'Whether the lake had no receipts of the unit before this run: nuevas is then 0, and all of filas are new to it',
    ),
    computed(
      'rechazadas',
      'int64',
      'Receipts whose status is BE (estado_codigo in recibidos, estado_dgi_codigo in emitidos) and was not in the previous reading; in the first, all that are BE',
    ),
    computed(
      'campos_desconocidos',
      'json',
      'JSON object: fields that the contract does not name, by path, in how many receipts each was (detalle:PATH in details read now; pagina:PATH beside the rows of a page: no receipt of that list is called gone; * are all beyond twenty); null where there are none',
    ),
  ],
};

export const CAMBIOS: Table = {
  name: 'cambios',
  partition: 'fecha_corrida',
  meaning:
    'What changed since a unit was first read: one row per receipt that appeared or vanished, and per field that changed; not the receipts with which a unit came to have any: exportaciones has primera_lectura, and changes-since-close tells which of them came late',
  columns: [
    required(computed('corrida', 'string', 'Run id')),
    required(computed('momento', 'timestamp', 'When it was noticed, local time of Uruguay')),
    RUT,
    required(computed('direccion', 'string', 'recibidos or emitidos')),
    required(computed('fecha', 'date', 'Issue date of the unit')),
    required(computed('id', 'int64', 'Internal identifier of the receipt')),
    computed('emisor_ruc', 'string', 'RUT of the issuer; with the next three columns, the natural key'),
    computed('tipo_comprobante', 'int32', 'CFE type'),
    computed('serie', 'string', 'Fiscal series'),
    computed('numero', 'int32', 'Fiscal number'),
    required(computed('cambio', 'string', 'aparecio, cambio, desaparecio or reaparecio')),
    computed('campo', 'string', 'The column that changed; null for a whole receipt'),
    computed(
      'antes',
      'string',
      'The value before, as text; for a receipt that vanished, the whole row as JSON',
    ),
    computed(
      'despues',
      'string',
      'The value after, as text; for a receipt that appeared, the whole row as JSON',
    ),
  ],
};

export const COTIZACIONES: Table = {
  name: 'cotizaciones',
  partition: 'fecha',
  meaning:
    'Exchange rates, one row per day and currency, as the command rates reads them from a file or asks them of the central bank; used where a receipt states none. A rate counts from the day after its own to the next, at most four days, or ten on those of a month that has a later one; a UI on its own day alone; the last UR of a month for that month',
  columns: [
    required(computed('moneda', 'string', 'Currency as receipts name it: ISO 4217, UYI (UI) or UYR (UR)')),
    required(computed('valor', 'decimal(17,6)', 'Pesos for one unit of it')),
    required(
      computed(
        'fuente',
        'string',
        'Where it is from: the file and the heading of the column in it, or the central bank and its name for it',
      ),
    ),
  ],
};

/** The tables of receipts: one object per day, published from units. */
export const RECEIPT_TABLES: readonly Table[] = [RECIBIDOS, EMITIDOS, RECIBIDOS_DETALLE, EMITIDOS_DETALLE];

export const TABLES: readonly Table[] = [...RECEIPT_TABLES, EXPORTACIONES, CAMBIOS, COTIZACIONES];

/** The table that a direction's list goes to. */
export const TABLE_OF: Readonly<Record<Direction, Table>> = { recibidos: RECIBIDOS, emitidos: EMITIDOS };

/** The table that a direction's details go to. */
export const DETAIL_TABLE_OF: Readonly<Record<Direction, Table>> = {
  recibidos: RECIBIDOS_DETALLE,
  emitidos: EMITIDOS_DETALLE,
};
