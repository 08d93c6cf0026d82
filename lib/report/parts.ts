import { namedQuery } from '../query/named-queries.ts';
import { type Narrowing, narrowed } from '../query/narrow.ts';

/** What the report asks of one company and month. */
export interface ReportPart {
  /** An anchor of the page. */
  id: string;
  /** Also the name of a sheet, of at most 31 characters. */
  title: string;
  /** A sentence on what is counted and what is not. */
  about: string;
  /** What is said where there is no row. */
  nothing: string;
  /** What each row is, one and several, where it is a matter to look into. */
  concern?: readonly [one: string, many: string];
  /** Whether it can be asked before the month is over. */
  isOfClosedMonth?: boolean;
  sql: (month: Narrowing) => string;
}

/** Rows of a named query, narrowed, as `q`. */
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

/** In the order of the page; each is a sheet of the workbook. */
export const REPORT_PARTS = [
  {
    id: 'ventas',
    title: 'Ventas por tipo',
    about:
      'Comprobantes emitidos y boletas de entrada recibidas; las notas de crédito restan. Sin rechazados, remitos ni resguardos. La moneda de un emitido está en su detalle: sin él queda vacía. No se suman monedas distintas.',
    nothing: 'No hay ventas.',
    sql: (month) => byType('sales-by-month', month),
  },
  {
    id: 'compras',
    title: 'Compras por tipo',
    about:
      'Comprobantes recibidos y boletas de entrada emitidas; las notas de crédito restan. Sin rechazados, remitos ni resguardos. No se suman monedas distintas.',
    nothing: 'No hay compras.',
    sql: (month) => byType('purchases-by-month', month),
  },
  {
    id: 'iva',
    title: 'IVA',
    about:
      'Según los detalles leídos; «Sin desglose» cuenta los comprobantes de los que no se leyó detalle o no trae montos por tasa: mientras no sea 0, las sumas no están enteras. «Por revisar» cuenta los de montos ilegibles o de un detalle anterior.',
    nothing: 'No hay comprobantes con IVA.',
    sql: (
      month,
    ) => `SELECT CASE q.direccion WHEN 'emitidos' THEN 'Ventas' ELSE 'Compras' END AS "Lado", q.moneda AS "Moneda",
      q.comprobantes AS "Cantidad", q.no_gravado AS "No gravado", q.exportacion AS "Exportación",
      q.neto_minima AS "Neto 10 %", q.iva_minima AS "IVA 10 %", q.neto_basica AS "Neto 22 %", q.iva_basica AS "IVA 22 %",
      q.sin_desglose AS "Sin desglose", q.por_revisar AS "Por revisar"
      FROM (\n${narrowed(namedQuery('vat-by-month')?.sql ?? '', month)}\n) q ORDER BY 1 DESC, 2`,
  },
  {
    id: 'rechazados',
    title: 'Rechazados',
    about:
      'Emitidos que la DGI rechazó (BE) o cuyo receptor contestó otra cosa que ACEPTADO, y recibidos en estado BE. Un rechazo puede revertirse hasta 60 días después.',
    nothing: 'No hay rechazados.',
    concern: ['comprobante rechazado', 'comprobantes rechazados'],
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.contraparte AS "Documento",
      q.nombre AS "Nombre", q.moneda AS "Moneda", q.total AS "Total", coalesce(q.estado_dgi, q.estado) AS "Estado",
      q.estado_receptor AS "Respuesta", q.id AS "id"
      FROM ${of('rejected-by-age', month)} ORDER BY q.direccion, q.fecha, q.id`,
  },
  {
    id: 'sin-respuesta',
    title: 'Sin respuesta',
    about:
      'Sin veredicto de la DGI (los e-Tickets chicos pueden quedar así), sin contestación de un receptor con RUT, que tiene 20 días, o recibidos sin estado.',
    nothing: 'Todo tiene respuesta.',
    sql: (
      month,
    ) => `SELECT CASE q.falta WHEN 'dgi' THEN 'DGI' WHEN 'receptor' THEN 'Receptor' ELSE 'Estado del recibido' END AS "Falta",
      q.edad AS "Días", ${TYPE}, q.comprobantes AS "Cantidad", q.antigua AS "Desde"
      FROM ${of('unanswered-by-age', month)} ORDER BY 1, 2, 3`,
  },
  {
    id: 'numeracion',
    title: 'Saltos de numeración',
    about:
      'Números de series emitidas sin un comprobante válido: faltan, fueron rechazados o dejaron de listarse. Un salto entre dos meses está en el segundo. No todo salto es una falta: hay números anulados, de otra sucursal o de días que no se leyeron.',
    nothing: 'No hay saltos.',
    concern: ['salto de numeración', 'saltos de numeración'],
    sql: (
      month,
    ) => `SELECT ${TYPE}, q.serie AS "Serie", q.situacion AS "Situación", q.desde AS "Primero", q.hasta AS "Último",
      q.cantidad AS "Cantidad", q.fecha_desde AS "Desde", q.fecha_hasta AS "Hasta"
      FROM ${of('numbering-gaps', month)} ORDER BY 1, 3, 5`,
  },
  {
    id: 'duplicados',
    title: 'Posibles duplicados',
    about:
      'Recibidos que repiten uno anterior: mismo proveedor, tipo, moneda y total, a lo sumo 15 días antes, con otro número. Es una sospecha, no una prueba.',
    nothing: 'No hay posibles duplicados.',
    concern: ['posible factura duplicada', 'posibles facturas duplicadas'],
    sql: (
      month,
    ) => `SELECT q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.emisor_ruc AS "RUT", q.proveedor AS "Proveedor",
      q.moneda AS "Moneda", q.total AS "Total", q.fecha_anterior AS "Fecha anterior", q.serie_anterior AS "Serie anterior",
      q.numero_anterior AS "Número anterior", q.dias AS "Días", q.id AS "id"
      FROM ${of('duplicate-supplier-invoices', month)} ORDER BY q.fecha, q.id`,
  },
  {
    id: 'dos-veces',
    title: 'Identificados dos veces',
    about:
      'Un mismo número fiscal listado más de una vez, con dos identificadores o con dos fechas: las sumas lo cuentan cada vez.',
    nothing: 'Ningún número está dos veces.',
    concern: ['fila de un número listado más de una vez', 'filas de números listados más de una vez'],
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.emisor AS "Emisor", ${TYPE}, ${NUMBER}, q.fecha AS "Fecha",
      q.moneda AS "Moneda", q.total AS "Total", q.estado AS "Estado", q.id AS "id"
      FROM ${of('numbers-under-two-ids', month)} ORDER BY q.direccion, q.emisor, q.tipo_comprobante, q.serie, q.numero, q.id`,
  },
  {
    id: 'cambios',
    title: 'Cambios desde el cierre',
    about:
      'Lo que apareció, desapareció, cambió de fecha o de datos después del último día del mes: el efecto neto de lo que vieron las lecturas. Un día leído por primera vez después del cierre no es un cambio.',
    nothing: 'Nada cambió desde el cierre.',
    concern: ['cambio desde el cierre', 'cambios desde el cierre'],
    isOfClosedMonth: true,
    sql: (
      month,
    ) => `SELECT q.direccion AS "Lista", q.fecha AS "Fecha", ${TYPE}, ${NUMBER}, q.cambio AS "Cambio", q.campo AS "Campo",
      CASE WHEN q.campo IS NOT NULL THEN q.antes END AS "Antes", CASE WHEN q.campo IS NOT NULL THEN q.despues END AS "Después",
      q.momento AS "Visto", q.id AS "id"
      FROM ${of('changes-since-close', month)} ORDER BY q.direccion, q.fecha, q.id, q.campo`,
  },
] as const satisfies readonly ReportPart[];
