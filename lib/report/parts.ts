import type { DayCoverage } from '../coverage/company-coverage.ts';
import type { Several } from '../coverage/texts/texts.ts';
import type { Answer } from '../query/answer.ts';
import { type Narrowing, namedQuery, narrowed } from '../query/named-queries.ts';

export type PartId =
  | 'ventas'
  | 'compras'
  | 'iva'
  | 'rechazados'
  | 'sin-respuesta'
  | 'numeracion'
  | 'duplicados'
  | 'dos-veces'
  | 'cambios';

/** The texts of a part. */
export interface PartTexts {
  /** Also the name of its sheet: at most 31 characters. */
  title: string;
  /** Says what is counted and what is not. */
  about: string;
  /** Shown if there are no rows. */
  nothing: string;
  /** Names the rows, if each is something to look into. */
  concern?: Several;
}

/** A question of the report about one company and month. Its columns have Spanish names, the keys of the texts. */
export interface ReportPart {
  /** Key of its texts, and its anchor on the page. */
  id: PartId;
  /** Whether it can be asked only once the month is over. */
  isOfClosedMonth?: boolean;
  sql: (month: Narrowing) => string;
}

export interface AnsweredPart {
  part: ReportPart;
  /** Undefined if it can't be asked yet. */
  answer: Answer | undefined;
}

/** A day of one list. */
export type ReportDay = DayCoverage & { direction: string };

/** FROM clause: a named query, narrowed, as `q`, and the receipt types as `t`. */
function of(name: string, month: Narrowing): string {
  const query = namedQuery(name);
  if (query === undefined) throw new TypeError(`there is no query ${name}`);
  return `(\n${narrowed(query.sql, month)}\n) q LEFT JOIN tipos_comprobante t ON t.tipo_comprobante = q.tipo_comprobante`;
}

const TYPE = 'q.tipo_comprobante AS "Tipo", t.nombre AS "Comprobante"';
const NUMBER = 'q.serie AS "Serie", q.numero AS "Número"';

function byType(name: string, month: Narrowing): string {
  return `SELECT ${TYPE}, q.moneda AS "Moneda", CASE WHEN t.signo = -1 THEN '−' ELSE '+' END AS "Signo",
    q.comprobantes AS "Cantidad", q.total AS "Total", q.sin_monto AS "Sin monto"
    FROM ${of(name, month)} ORDER BY 1, 3`;
}

/** The parts in the page's order. Each is a sheet of the workbook. */
export const REPORT_PARTS: readonly ReportPart[] = [
  {
    id: 'ventas',
    sql: (month) => byType('sales-by-month', month),
  },
  {
    id: 'compras',
    sql: (month) => byType('purchases-by-month', month),
  },
  {
    id: 'iva',
    sql: (
      month,
    ) => `SELECT CASE q.direccion WHEN 'emitidos' THEN 'Ventas' ELSE 'Compras' END AS "Libro", q.moneda AS "Moneda",
      q.comprobantes AS "Cantidad", q.no_gravado AS "No gravado", q.exportacion AS "Exportación",
      q.neto_minima AS "Neto mínima", q.iva_minima AS "IVA mínima", q.neto_basica AS "Neto básica", q.iva_basica AS "IVA básica",
      q.sin_desglose AS "Sin desglose", q.por_revisar AS "Por revisar"
      FROM (\n${narrowed(namedQuery('vat-by-month')?.sql ?? '', month)}\n) q ORDER BY 1 DESC, 2`,
  },
  {
    id: 'rechazados',
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.contraparte AS "Documento",
      q.nombre AS "Nombre", q.moneda AS "Moneda", q.total AS "Total", coalesce(q.estado_dgi, q.estado) AS "Estado",
      q.estado_receptor AS "Respuesta", q.id AS "id"
      FROM ${of('rejected-by-age', month)} ORDER BY q.direccion, q.fecha, q.id`,
  },
  {
    id: 'sin-respuesta',
    sql: (
      month,
    ) => `SELECT CASE q.falta WHEN 'dgi' THEN 'DGI' WHEN 'receptor' THEN 'Receptor' ELSE 'Estado del recibido' END AS "Pendiente de",
      q.edad AS "Días", ${TYPE}, q.comprobantes AS "Cantidad", q.antigua AS "Desde"
      FROM ${of('unanswered-by-age', month)} ORDER BY 1, 2, 3`,
  },
  {
    id: 'numeracion',
    sql: (
      month,
    ) => `SELECT ${TYPE}, q.serie AS "Serie", q.situacion AS "Situación", q.desde AS "Primero", q.hasta AS "Último",
      q.cantidad AS "Cantidad", q.fecha_desde AS "Desde", q.fecha_hasta AS "Hasta"
      FROM ${of('numbering-gaps', month)} ORDER BY 1, 3, 5`,
  },
  {
    id: 'duplicados',
    sql: (
      month,
    ) => `SELECT q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.emisor_ruc AS "RUT", q.proveedor AS "Proveedor",
      q.moneda AS "Moneda", q.total AS "Total", q.fecha_anterior AS "Fecha anterior", q.serie_anterior AS "Serie anterior",
      q.numero_anterior AS "Número anterior", q.dias AS "Días", q.id AS "id"
      FROM ${of('duplicate-supplier-invoices', month)} ORDER BY q.fecha, q.id`,
  },
  {
    id: 'dos-veces',
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.emisor AS "Emisor", ${TYPE}, ${NUMBER}, q.fecha AS "Fecha",
      q.moneda AS "Moneda", q.total AS "Total", q.estado AS "Estado", q.id AS "id"
      FROM ${of('numbers-under-two-ids', month)} ORDER BY q.direccion, q.emisor, q.tipo_comprobante, q.serie, q.numero, q.id`,
  },
  {
    id: 'cambios',
    isOfClosedMonth: true,
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.cambio AS "Cambio", q.campo AS "Campo",
      CASE WHEN q.campo IS NOT NULL THEN q.antes END AS "Antes", CASE WHEN q.campo IS NOT NULL THEN q.despues END AS "Después",
      q.momento AS "Visto", q.id AS "id"
      FROM ${of('changes-since-close', month)} ORDER BY q.direccion, q.fecha, q.id, q.campo`,
  },
];
