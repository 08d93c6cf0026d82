import type { DayCoverage } from '../coverage/company-coverage.ts';
import type { Several } from '../coverage/texts.ts';
import type { Answer } from '../query/answer.ts';
import { companyCondition, type Narrowing, namedQuery, narrowed } from '../query/named-queries.ts';
import type { Day } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';

export type PartId =
  | 'ventas'
  | 'compras'
  | 'iva'
  | 'posicion'
  | 'rechazados'
  | 'sin-respuesta'
  | 'numeracion'
  | 'duplicados'
  | 'dos-veces'
  | 'cambios';

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
  /** The named query that it asks, as `q`. */
  query: string;
  /** Its columns; `t` are the receipt types. */
  select: string;
  orderBy: string;
  /** Rows that another part tells are left out. */
  where?: string;
  /** Whether the query has no receipt types. */
  isWithoutTypes?: boolean;
}

export interface AnsweredPart {
  part: ReportPart;
  /** Undefined if it can't be asked yet. */
  answer: Answer | undefined;
}

/** The answer of a part; undefined if it can't be asked yet. */
export function answerOf(parts: readonly AnsweredPart[], id: PartId): Answer | undefined {
  return parts.find(({ part }) => part.id === id)?.answer;
}

export type ReportDay = DayCoverage & { direction: string };

const JOINED_TYPES = ' LEFT JOIN tipos_comprobante t ON t.tipo_comprobante = q.tipo_comprobante';

/** The SQL of a part for companies (none: all) and a month. The RUT is its last column. */
export function partSql(part: ReportPart, month: Narrowing): string {
  const { query, select, where, orderBy, isWithoutTypes } = part;
  const types = isWithoutTypes === true ? '' : JOINED_TYPES;
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  const asked = narrowed(namedQuery(query).sql, month);
  return `SELECT ${select}, q.rut FROM (\n${asked}\n) q${types}${condition} ORDER BY ${orderBy}`;
}

/** Asks for the parts that sum issued receipts whose detail was never read, and the RUT. */
export function unreadDetailsSql(ruts: readonly string[], from: Day, to: Day): string {
  const ofMonth = (alias: string) =>
    `${alias}.fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition(`${alias}.`, ruts)}`;
  return `SELECT DISTINCT CASE t.clase WHEN 'boleta de entrada' THEN 'compras' ELSE 'ventas' END AS parte, e.rut
FROM emitidos e
LEFT JOIN tipos_comprobante t ON t.tipo_comprobante = e.tipo_comprobante
LEFT JOIN emitidos_detalle d ON d.fecha = e.fecha AND d.rut = e.rut AND d.id = e.id AND d.leido IS NOT NULL AND ${ofMonth('d')}
WHERE ${ofMonth('e')} AND d.id IS NULL AND e.visto_por_ultima_vez IS NULL
  AND coalesce(e.estado_dgi_codigo, '') <> 'BE' AND coalesce(t.clase, '') NOT IN ('remito', 'resguardo')`;
}

/** Asks which days the tables have receipts of, with the list and the RUT. */
export function heldDaysSql(ruts: readonly string[], from: Day, to: Day): string {
  const daysOf = (direction: Direction) =>
    `SELECT DISTINCT '${direction}' AS lista, fecha, rut FROM ${direction} WHERE fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('', ruts)}`;
  return DIRECTIONS.map(daysOf).join('\nUNION ALL\n');
}

const TYPE = 'q.tipo_comprobante AS "Tipo", t.nombre AS "Comprobante"';
const NUMBER = 'q.serie AS "Serie", q.numero AS "Número"';

const BY_TYPE = `${TYPE}, q.moneda AS "Moneda", CASE WHEN t.signo = -1 THEN '−' ELSE '+' END AS "Signo",
  q.comprobantes AS "Cantidad", q.total AS "Total", q.sin_monto AS "Sin monto"`;

/** The parts in the page's order. Each is a sheet of the workbook. */
export const REPORT_PARTS: readonly ReportPart[] = [
  { id: 'ventas', query: 'sales-by-month', select: BY_TYPE, orderBy: '1, 3' },
  { id: 'compras', query: 'purchases-by-month', select: BY_TYPE, orderBy: '1, 3' },
  {
    id: 'iva',
    query: 'vat-by-month',
    isWithoutTypes: true,
    select: `CASE q.direccion WHEN 'emitidos' THEN 'Ventas' ELSE 'Compras' END AS "Libro", q.moneda AS "Moneda",
      q.comprobantes AS "Cantidad", q.no_gravado AS "No gravado", q.exportacion AS "Exportación",
      q.neto_minima AS "Neto mínima", q.iva_minima AS "IVA mínima", q.neto_basica AS "Neto básica", q.iva_basica AS "IVA básica",
      q.sin_desglose AS "Sin desglose", q.por_revisar AS "Por revisar"`,
    orderBy: '1 DESC, 2',
  },
  {
    id: 'posicion',
    query: 'posicion-iva',
    isWithoutTypes: true,
    select: `q.concepto AS "Concepto", q.moneda AS "Moneda", q.comprobantes AS "Cantidad",
      q.iva_minima AS "IVA mínima", q.iva_basica AS "IVA básica", q.retenido AS "Retenido",
      q.iva_minima_pesos AS "IVA mínima en pesos", q.iva_basica_pesos AS "IVA básica en pesos",
      q.retenido_pesos AS "Retenido en pesos", q.sin_detalle AS "Sin detalle", q.sin_cambio AS "Sin tipo de cambio",
      q.por_revisar AS "Por revisar", q.nota AS "Nota"`,
    orderBy: "CASE WHEN q.concepto = 'IVA de ventas' THEN 1 ELSE 2 END, 1, 2",
  },
  {
    id: 'rechazados',
    query: 'rejected-by-age',
    select: `q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.contraparte AS "Documento",
      q.nombre AS "Nombre", q.moneda AS "Moneda", q.total AS "Total", coalesce(q.estado_dgi, q.estado) AS "Estado",
      q.estado_receptor AS "Respuesta", q.id AS "id"`,
    orderBy: 'q.direccion, q.fecha, q.id',
  },
  {
    id: 'sin-respuesta',
    query: 'unanswered-by-age',
    select: `CASE q.falta WHEN 'dgi' THEN 'DGI' WHEN 'receptor' THEN 'Receptor' ELSE 'Estado del recibido' END AS "Pendiente de",
      q.edad AS "Días", ${TYPE}, q.comprobantes AS "Cantidad", q.antigua AS "Desde",
      CASE WHEN q.nota IS NULL THEN q.e_ticket ELSE concat(q.e_ticket, ', ', q.nota) END AS "e-Ticket"`,
    orderBy: '1, 2, 3, 7',
  },
  {
    id: 'numeracion',
    query: 'numbering-gaps',
    where: "q.situacion <> 'rechazado'",
    select: `${TYPE}, q.serie AS "Serie", q.situacion AS "Situación", q.desde AS "Primero", q.hasta AS "Último",
      q.cantidad AS "Cantidad", q.fecha_desde AS "Desde", q.fecha_hasta AS "Hasta"`,
    orderBy: '1, 3, 5',
  },
  {
    id: 'duplicados',
    query: 'duplicate-supplier-invoices',
    select: `q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.emisor_ruc AS "RUT", q.proveedor AS "Proveedor",
      q.moneda AS "Moneda", q.total AS "Total", q.fecha_anterior AS "Fecha anterior", q.serie_anterior AS "Serie anterior",
      q.numero_anterior AS "Número anterior", q.dias AS "Días", q.id AS "id"`,
    orderBy: 'q.fecha, q.id',
  },
  {
    id: 'dos-veces',
    query: 'numbers-under-two-ids',
    select: `q.direccion AS "Lista", q.emisor AS "Emisor", ${TYPE}, ${NUMBER}, q.fecha AS "Fecha",
      q.moneda AS "Moneda", q.total AS "Total", q.estado AS "Estado", q.id AS "id"`,
    orderBy: 'q.direccion, q.emisor, q.tipo_comprobante, q.serie, q.numero, q.id',
  },
  {
    id: 'cambios',
    query: 'changes-since-close',
    isOfClosedMonth: true,
    select: `q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.cambio AS "Cambio", q.campo AS "Campo",
      CASE WHEN q.campo IS NOT NULL THEN q.antes END AS "Antes", CASE WHEN q.campo IS NOT NULL THEN q.despues END AS "Después",
      q.momento AS "Visto", q.id AS "id"`,
    // The days themselves say when they were first read.
    where: "q.cambio <> 'primera_lectura'",
    orderBy: 'q.direccion, q.fecha, q.id, q.campo',
  },
];
