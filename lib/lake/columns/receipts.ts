import {
  type Column,
  CURRENCY,
  DATES,
  IDENTITY,
  LAST_SEEN,
  OTROS,
  PAYMENT_FORM,
  type Table,
  TOTALS,
} from './column.ts';

export const RECIBIDOS: Table = {
  name: 'recibidos',
  partition: 'fecha',
  meaning: 'Receipts that the company received, one row each, from the list',
  columns: [
    ...IDENTITY,
    PAYMENT_FORM,
    CURRENCY,
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
      meaning: 'Status of the received receipt; may change later',
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
      meaning: 'Status reported by the recipient; may change later',
    },
    {
      name: 'estado_dgi_codigo',
      type: 'string',
      path: 'estado_dgi.codigo',
      meaning: 'Status reported by the tax authority; may change later',
    },
    LAST_SEEN,
    OTROS,
  ],
};

/**
 * Details of receipts (the contract, §2.4 and §2.5). Fields that the contract types have typed columns. It does not
 * name the inner fields of objects and arrays (§2.6), so each of these is one JSON column. Numbers of more than 15
 * digits are strings in it: JSON functions would round them.
 */

function object(name: string, meaning: string): Column {
  return { name, type: 'json', shape: 'object', path: name, meaning: `JSON object: ${meaning}` };
}

function array(name: string, meaning: string): Column {
  return { name, type: 'json', shape: 'array', path: name, meaning: `JSON array: ${meaning}` };
}

const LINES: readonly Column[] = [
  array('items', 'the lines'),
  array('descuentos_recargos', 'discounts and surcharges on the whole receipt, when applicable'),
  array('referencias', 'references to other receipts, if applicable'),
  array('medios_pago', 'payment means stated, if any'),
];

/** How the row was made. */
const READING: readonly Column[] = [
  {
    name: 'motivo',
    type: 'string',
    meaning:
      'Null when the row is the detail of the receipt as it is in the list. Otherwise the reason why not: the row holds the detail as last read or, where leido is null, what the list says',
  },
  {
    name: 'leido',
    type: 'timestamp',
    meaning: 'When the detail was read, local time of Uruguay; null when it never was',
  },
  {
    name: 'resumen_sha256',
    type: 'string',
    meaning:
      "SHA-256 of the receipt's row in the list that the detail belongs to; when that changes, the detail is read again",
  },
  LAST_SEEN,
  OTROS,
];

export const RECIBIDOS_DETALLE: Table = {
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
};

export const EMITIDOS_DETALLE: Table = {
  name: 'emitidos_detalle',
  partition: 'fecha',
  meaning: 'Details of receipts that the company issued, one row each; only where details were asked for',
  columns: [
    ...IDENTITY,
    {
      name: 'id_externo',
      type: 'string',
      path: 'id_externo',
      meaning: 'External identifier given at creation, if one exists',
    },
    ...DATES,
    {
      name: 'fecha_vencimiento',
      type: 'timestamp',
      path: 'fecha_vencimiento',
      meaning: 'Due date, when applicable, local time of Uruguay',
    },
    object('totales', 'main amounts; the only place that has the currency'),
    object('emisor', 'the issuing company'),
    object('receptor', 'the receiving company'),
    ...LINES,
    object('estado_receptor', 'status of the receipt with respect to the recipient'),
    object('estado_dgi', 'status of the receipt with respect to the tax authority'),
    {
      name: 'url_qr_dgi',
      type: 'string',
      path: 'url_qr_dgi',
      meaning: "The tax authority's QR query URL, if applicable",
    },
    ...READING,
  ],
};
