import type { Table } from './column.ts';
import { RUT } from './column.ts';

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
    {
      name: 'avisos',
      type: 'int64',
      meaning: 'Values of the list, and of details read now, that did not fit their column and went to otros',
    },
    { name: 'estable', type: 'boolean', meaning: 'Whether the reading was proved free of drift' },
    { name: 'paginas', type: 'int64', meaning: 'List pages read' },
    { name: 'solicitudes', type: 'int64', meaning: 'Requests sent, retries included' },
    { name: 'reintentos', type: 'int64', meaning: 'Requests that were retries' },
    { name: 'bytes', type: 'int64', meaning: 'Size of the object written; 0 when nothing was written' },
    { name: 'sha256', type: 'string', meaning: "SHA-256 of the unit's content" },
    {
      name: 'detalle',
      type: 'string',
      meaning:
        'State of the details: completo (every receipt was asked for), omitido (skipped by the settings) or fallido; null where none were asked for',
    },
    {
      name: 'detalle_motivo',
      type: 'string',
      meaning: 'Why the details are omitido or fallido, and what to do',
    },
    {
      name: 'detalles',
      type: 'int64',
      meaning: 'Listed receipts whose detail is in the lake as they now stand',
    },
    { name: 'detalles_leidos', type: 'int64', meaning: 'Details read from the API in this invocation' },
    {
      name: 'detalles_sin_leer',
      type: 'int64',
      meaning:
        'Listed receipts without such a detail; each says why in motivo, and is asked for again next time',
    },
    { name: 'error', type: 'string', meaning: 'What went wrong, and what to do' },
    { name: 'inicio', type: 'timestamp', meaning: 'When the unit began, local time of Uruguay' },
    { name: 'fin', type: 'timestamp', meaning: 'When the unit ended, local time of Uruguay' },
    {
      name: 'totales',
      type: 'json',
      meaning:
        'JSON array: the listed receipts by tipo and, in recibidos, moneda: comprobantes, how many of them have no totales_total (sin_total), and the exact sum of the others (total, a text); null where there are none',
    },
    {
      name: 'empresa',
      type: 'string',
      meaning:
        "Name of the company as the companies' file or secret has it; without one, as those who sent it receipts write it, and null in emitidos",
    },
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
    {
      name: 'emisor_ruc',
      type: 'string',
      meaning: 'RUT of the issuer; with the next three columns, the natural key',
    },
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
