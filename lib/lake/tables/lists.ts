import type { Table } from './column.ts';
import { CURRENCY, DATES, IDENTITY, LAST_SEEN, OTROS, PAYMENT_FORM, TOTALS } from './column.ts';

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
