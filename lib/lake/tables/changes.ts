import type { Table } from './column.ts';
import { RUT } from './common-columns.ts';

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
