import { computed, RUT, required, type Table } from './column.ts';

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
      'Receipts that the previous reading did not have; 0 in the first that has any (cambios tells which came late)',
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
      'Values of the list, and of details read now, that did not fit their column and went to otros',
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
      'JSON object: fields that the contract does not name, by path, in how many receipts each was (detalle:… in details read now; * are all beyond twenty); null where there are none',
    ),
  ],
};

export const CAMBIOS: Table = {
  name: 'cambios',
  partition: 'fecha_corrida',
  meaning:
    'What changed since a unit was first read: one row per receipt that appeared or vanished, and per field that changed; receipts of a day that an earlier run, begun after it, found empty count as appeared',
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
    required(
      computed(
        'cambio',
        'string',
        'aparecio, cambio, desaparecio, movido (now listed under another issue date) or reaparecio',
      ),
    ),
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
