import {
  CURRENCY,
  computed,
  DATES,
  field,
  IDENTITY,
  LAST_SEEN,
  OTROS,
  PAYMENT_FORM,
  type Table,
  TOTALS,
} from './column.ts';

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

/**
 * Details of receipts (the contract, §2.4 and §2.5). Fields that the contract types have typed columns. It does not
 * name the inner fields of objects and arrays (§2.6), so each of these is one JSON column. Numbers of more than 15
 * digits are strings in it: JSON functions would round them.
 */

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
