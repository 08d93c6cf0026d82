import type { Answer } from '../query/answer.ts';
import { companyCondition, type Narrowing, namedQuery, narrowed } from '../query/named-queries.ts';
import type { Several } from '../text/spanish.ts';
import type { Day } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { RECEIVED_PART } from './received-part.ts';

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
  | 'cambios'
  | 'rectificacion'
  | 'sumas'
  | 'recibidos-por-mirar';

/** A question of the report about one company and month. */
export interface ReportPart {
  /** Its anchor on the page. */
  id: PartId;
  /** It is also the name of its sheet: at most 31 characters. */
  title: string;
  /** Says what is counted and what is not. */
  about: string;
  /** What is shown if there are no rows. */
  emptyText: string;
  /** Names the rows, if each is something to look into. */
  concern?: Several;
  /** Whether it can be asked only once the month is over. */
  mustMonthBeOver?: boolean;
  /** The named query that it asks, as `q`. */
  query: string;
  /** A table of the database that has its answer. */
  table?: string;
  /** Its columns, which are shown under their headings; `t` are the receipt types. */
  select: string;
  orderBy: string;
  /** Rows that another part tells are left out. */
  where?: string;
  /** Whether the query has no receipt types. */
  hasNoTypes?: boolean;
}

export interface AnsweredPart {
  part: ReportPart;
  /** A part that can't be asked yet has none. */
  answer: Answer | undefined;
}

/** The answer of a part; undefined if it can't be asked yet. */
export function answerOf(parts: readonly AnsweredPart[], id: PartId): Answer | undefined {
  return parts.find(({ part }) => part.id === id)?.answer;
}

const JOINED_TYPES = ' LEFT JOIN tipos_comprobante t USING (tipo_comprobante)';

/** The SQL of a part for companies (none: all) and a month. The RUT is its last column. */
export function partSql(part: ReportPart, month: Narrowing): string {
  const { query, table, select, where, orderBy, hasNoTypes } = part;
  const types = hasNoTypes === true ? '' : JOINED_TYPES;
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  const asked = table === undefined ? narrowed(namedQuery(query).sql, month) : `SELECT * FROM ${table}`;
  return `SELECT ${select}, q.rut FROM (\n${asked}\n) q${types}${condition} ORDER BY ${orderBy}`;
}

/** Asks for the parts that lack receipts whose detail was never read (only issued ones lack their currency), and the RUT. */
export function unreadDetailsSql(ruts: readonly string[], from: Day, to: Day): string {
  const unread = (direction: Direction, part: string, status: string) => {
    const ofMonth = (alias: string) =>
      `${alias}.fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition(`${alias}.`, ruts)}`;
    return `SELECT ${part} AS parte, e.rut
FROM ${direction} e
LEFT JOIN tipos_comprobante t ON t.tipo_comprobante = e.tipo_comprobante
LEFT JOIN ${direction}_detalle d ON d.fecha = e.fecha AND d.rut = e.rut AND d.id = e.id AND d.leido IS NOT NULL AND ${ofMonth('d')}
WHERE ${ofMonth('e')} AND d.id IS NULL AND e.visto_por_ultima_vez IS NULL
  AND coalesce(e.${status}, '') <> 'BE' AND coalesce(t.clase, '') <> 'remito'`;
  };
  const partOfIssued = `CASE t.clase WHEN 'boleta de entrada' THEN 'compras' WHEN 'resguardo' THEN 'posicion' ELSE 'ventas' END`;
  return `${unread('emitidos', partOfIssued, 'estado_dgi_codigo')}
UNION
${unread('recibidos', "'posicion'", 'estado_codigo')}`;
}

const TYPE = 'tipo_comprobante, t.nombre AS tipo';

const BY_TYPE = `${TYPE}, moneda, CASE WHEN t.signo = -1 THEN '−' ELSE '+' END AS signo, comprobantes, total, sin_monto`;

/** The parts in the page's order. Each is a sheet of the workbook. */
export const REPORT_PARTS: readonly ReportPart[] = [
  {
    id: 'ventas',
    title: 'Ventas por tipo',
    about:
      'Comprobantes emitidos y e-Boletas de entrada recibidas; las notas de crédito restan. No incluye rechazados, remitos ni resguardos. La moneda de un comprobante emitido está en su detalle: si no se leyó, queda vacía. No se suman monedas distintas.',
    emptyText: 'No hay ventas.',
    query: 'sales-by-month',
    select: BY_TYPE,
    orderBy: '1, 3',
  },
  {
    id: 'compras',
    title: 'Compras por tipo',
    about:
      'Comprobantes recibidos y e-Boletas de entrada emitidas; las notas de crédito restan. No incluye rechazados, remitos ni resguardos. No se suman monedas distintas.',
    emptyText: 'No hay compras.',
    query: 'purchases-by-month',
    select: BY_TYPE,
    orderBy: '1, 3',
  },
  {
    id: 'iva',
    title: 'IVA',
    about:
      'Según los detalles leídos, a la tasa mínima (10 %) y a la básica (22 %). «Sin desglose» cuenta los comprobantes cuyo detalle no se leyó o no trae los montos por tasa: mientras no sea 0, las sumas están incompletas. «Por revisar» cuenta los que tienen montos ilegibles, negativos o que suman más que el total, un neto sin su IVA o un IVA sin su neto, un tipo o un estado desconocido, otra moneda, contraparte o fecha en el detalle o un detalle anterior al último cambio.',
    emptyText: 'No hay comprobantes con IVA.',
    query: 'vat-by-month',
    hasNoTypes: true,
    select: `CASE direccion WHEN 'emitidos' THEN 'Ventas' ELSE 'Compras' END AS libro, moneda, comprobantes, no_gravado,
      exportacion, neto_minima, iva_minima, neto_basica, iva_basica, sin_desglose, por_revisar`,
    orderBy: '1 DESC, 2',
  },
  {
    id: 'posicion',
    title: 'IVA y retenciones',
    about:
      'Como lo declaran los comprobantes: IVA de ventas, de e-Facturas recibidas y sus notas, de e-Tickets recibidos aparte, y lo que retuvieron los resguardos, con sus créditos fiscales aparte, por moneda y en pesos al tipo de cambio que declara cada comprobante o, si no declara ninguno, al de cotizaciones que vale ese día («Con cotización» los cuenta). Con la moneda «todas» están los totales en pesos de cada concepto y, al final, lo que el IVA de ventas supera al de e-Facturas recibidas; qué es deducible no se indica. La nota indica qué falta: los comprobantes sin detalle leído o sin tipo de cambio no están en ninguna suma en pesos.',
    emptyText: 'No hay IVA ni retenciones.',
    query: 'posicion-iva',
    hasNoTypes: true,
    select: `concepto, moneda, nota, comprobantes, iva_minima, iva_basica, retenido, iva_minima_pesos, iva_basica_pesos,
      retenido_pesos, total_pesos, sin_detalle, sin_cambio, por_revisar, con_cotizacion`,
    orderBy: "coalesce(moneda, '') = 'todas', concepto LIKE '%menos%', concepto <> 'IVA de ventas', 1, 2",
  },
  {
    id: 'rechazados',
    title: 'Rechazados',
    about:
      'Emitidos que la DGI rechazó (BE) o cuyo receptor contestó algo distinto de ACEPTADO, y recibidos en estado BE. Un rechazo puede revertirse hasta 60 días después.',
    emptyText: 'No hay rechazados.',
    concern: ['comprobante rechazado', 'comprobantes rechazados'],
    query: 'rejected-by-age',
    select: `direccion, fecha, ${TYPE}, serie, numero, contraparte, q.nombre, moneda, total,
      coalesce(estado_dgi, estado) AS estado, estado_receptor, id`,
    orderBy: 'direccion, fecha, id',
  },
  {
    id: 'sin-respuesta',
    title: 'Sin respuesta',
    about:
      'Emitidos sin respuesta de la DGI o de un receptor con RUT, que tiene 20 días corridos para contestar, y recibidos sin estado. Los e-Tickets de menos de 5.000 UI sin IVA pueden quedar así para siempre, y con ellos no hay que hacer nada; cuáles son se sabe por el importe en pesos de su detalle y el valor de la UI.',
    emptyText: 'Todo tiene respuesta.',
    query: 'unanswered-by-age',
    select: `CASE falta WHEN 'dgi' THEN 'DGI' WHEN 'receptor' THEN 'Receptor' ELSE 'Estado del recibido' END AS falta, edad,
      ${TYPE}, comprobantes, antigua, coalesce(e_ticket || ', ' || nota, e_ticket) AS e_ticket`,
    orderBy: '1, 2, 3, 7',
  },
  {
    id: 'numeracion',
    title: 'Saltos de numeración',
    about:
      'Números de series emitidas que faltan o dejaron de aparecer en la lista. Los rechazados tienen su propia sección. Un salto entre dos meses figura en el segundo. No todo salto es un error: hay números anulados, de otra sucursal o de días que no se leyeron.',
    emptyText: 'No hay saltos.',
    concern: ['salto de numeración', 'saltos de numeración'],
    query: 'numbering-gaps',
    where: "situacion <> 'rechazado'",
    select: `${TYPE}, serie, situacion, desde, hasta, cantidad, fecha_desde, fecha_hasta`,
    orderBy: '1, 3, 5',
  },
  {
    id: 'duplicados',
    title: 'Posibles duplicados',
    about:
      'Recibidos que repiten uno anterior: mismo proveedor, tipo, moneda y total, con otro número y hasta 15 días de diferencia. Es una sospecha, no una prueba.',
    emptyText: 'No hay posibles duplicados.',
    concern: ['posible factura duplicada', 'posibles facturas duplicadas'],
    query: 'duplicate-supplier-invoices',
    select: `fecha, ${TYPE}, serie, numero, emisor_ruc, proveedor, moneda, total, fecha_anterior, serie_anterior,
      numero_anterior, dias, id`,
    orderBy: 'fecha, id',
  },
  RECEIVED_PART,
  {
    id: 'dos-veces',
    title: 'Números repetidos',
    about:
      'Comprobantes que figuran más de una vez en la lista, con dos identificadores o con dos fechas: las sumas los cuentan cada vez.',
    emptyText: 'Ningún comprobante figura dos veces.',
    concern: [
      'fila de un comprobante que figura más de una vez',
      'filas de comprobantes que figuran más de una vez',
    ],
    query: 'numbers-under-two-ids',
    select: `direccion, emisor, ${TYPE}, serie, numero, fecha, moneda, total, estado, id`,
    orderBy: 'direccion, emisor, tipo_comprobante, serie, numero, id',
  },
  {
    id: 'cambios',
    title: 'Cambios desde el cierre',
    about:
      'Lo que apareció, desapareció o cambió de fecha o de datos después del último día del mes, según las lecturas: el resultado, sin los pasos intermedios. Un día leído por primera vez después del cierre no es un cambio.',
    emptyText: 'Nada cambió desde el cierre.',
    concern: ['cambio desde el cierre', 'cambios desde el cierre'],
    query: 'changes-since-close',
    mustMonthBeOver: true,
    select: `direccion, fecha, ${TYPE}, serie, numero, cambio, campo, CASE WHEN campo IS NOT NULL THEN antes END AS antes,
      CASE WHEN campo IS NOT NULL THEN despues END AS despues, momento, id`,
    // The days themselves say when they were first read.
    where: "cambio <> 'primera_lectura'",
    orderBy: 'direccion, fecha, id, campo',
  },
];
