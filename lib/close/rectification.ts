import { type Answer, withColumns } from '../query/answer.ts';
import type { ReportPart } from '../report/parts.ts';
import { CHANGES, type ClosedMonths } from '../report/read-report.ts';
import type { Localized } from '../text/language.ts';
import { differencesSql, MOST_DIFFERENCE_BYTES } from './differences.ts';
import type { FrozenMonth } from './frozen-month.ts';

/** What changed since a close, as a query's notes and as parts of a report. All of it is Spanish. */

const ABOUT = {
  declared:
    'Lo que guardó el cierre y lo que da hoy la misma consulta, dato por dato: líneas de los libros IVA, conceptos de la posición, códigos de los resguardos y líneas del formulario 2181.',
  sums: 'Los importes de los libros IVA por moneda, donde alguno difiere: lo que se declaró, lo que consta ahora y la diferencia.',
  otherChanges:
    'Comprobantes del mes que aparecieron, desaparecieron o tienen otro dato en su lista o en su detalle, y que lo declarado no dice, como una e-Boleta de entrada que llegó tarde. Cada uno figura una vez, con los datos que cambiaron.',
};

/** The notes of a workbook that compares with closes. `rules`: what changedRules says. */
export function rectificationNotes({ closes, from }: FrozenMonth, rules: readonly Localized[]): string[] {
  return [
    `Lo que difiere de lo declarado en el cierre de ${from.slice(0, 7)}.`,
    ...closes.map(
      ({ folder, index: { rut, madeAt } }) => `RUT ${rut}: ${folder}, hecho el ${madeAt.replace('T', ' ')}.`,
    ),
    '',
    `declarado: ${ABOUT.declared} Una línea que apareció o desapareció tiene una fila por dato.`,
    `suma: ${ABOUT.sums} La de una moneda desconocida no se hace.`,
    `otro cambio: ${ABOUT.otherChanges}`,
    ...rules.map((rule) => rule('es')),
  ];
}

const TABLE = `CASE q.tabla WHEN 'libro-iva-ventas' THEN 'Libro ventas' WHEN 'libro-iva-compras' THEN 'Libro compras'
    WHEN 'posicion-iva' THEN 'Posición' WHEN 'resguardos' THEN 'Resguardos' WHEN 'formulario-2181' THEN 'Formulario 2181'
    WHEN 'emitidos' THEN 'Emitidos' ELSE 'Recibidos' END AS tabla`;
const CELL = `q.campo, q.declarado, q.actual`;
const RECEIPT = 'q.fecha, q.tipo_comprobante, t.nombre AS tipo, q.serie, q.numero, q.documento';
/** Says which line it is, and is shown with each of its cells. */
export const NAMES_OF_LINES =
  'tipo_comprobante tipo serie numero documento contraparte nombre cambio_de estado'.split(' ');

/** One company's changes as a terminal shows them: without pesos beside pesos, and what only says again which line it is. */
export function briefly({ columns, rows }: Answer): Answer {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const isTold = (row: Answer['rows'][number]) => {
    const field = row[at('campo')] ?? '';
    return !field.endsWith('_pesos') && (row[at('cambio')] === 'cambio' || !NAMES_OF_LINES.includes(field));
  };
  return withColumns({ columns, rows: rows.filter(isTold) }, ({ name }) => !['rut', 'parte'].includes(name));
}

/** What a report says of closes in place of its changes. */
export function closedMonths(frozen: FrozenMonth, rules: readonly Localized[]): ClosedMonths {
  const { ruts, views, columns } = frozen;
  const closedAt = new Map(frozen.closes.map(({ index }) => [index.rut, index.madeAt]));
  const sql: ClosedMonths['sql'] = (month) => differencesSql(month, columns);
  return { ruts, closedAt, views, sql, parts: partsOf(rules), mostBytes: MOST_DIFFERENCE_BYTES };
}

function partsOf(rules: readonly Localized[]): readonly ReportPart[] {
  const shared = { query: 'changes-since-close', table: CHANGES } as const;
  const names = NAMES_OF_LINES.map((name) => `'${name}'`).join(', ');
  return [
    {
      ...shared,
      id: 'rectificacion',
      title: 'Rectificación',
      about: [ABOUT.declared, ...rules.map((rule) => rule('es'))].join(' '),
      emptyText: 'Nada difiere de lo declarado.',
      concern: ['dato declarado que difiere', 'datos declarados que difieren'],
      select: `${TABLE}, ${RECEIPT}, q.concepto, q.linea, q.codigo, q.tasa, q.moneda, q.cambio,
        ${CELL}, q.diferencia, q.id`,
      where: `q.parte = 'declarado' AND NOT (q.cambio <> 'cambio' AND q.campo IN (${names}))`,
      orderBy: '1, q.fecha, q.documento, q.concepto, q.id, q.codigo, q.tasa, q.linea, q.moneda, q.campo',
    },
    {
      ...shared,
      id: 'sumas',
      title: 'Sumas que difieren',
      about: ABOUT.sums,
      emptyText: 'Las sumas de los libros son las declaradas.',
      select: `${TABLE}, q.moneda, ${CELL}, q.diferencia`,
      where: "q.parte = 'suma'",
      orderBy: '1, 2, 3',
    },
    {
      ...shared,
      id: 'cambios',
      title: 'Otros cambios desde el cierre',
      about: ABOUT.otherChanges,
      emptyText: 'No hay otros cambios.',
      concern: ['otro cambio desde el cierre', 'otros cambios desde el cierre'],
      select: `${TABLE}, ${RECEIPT}, q.cambio, q.campo, CASE WHEN length(q.declarado) <= 200 THEN q.declarado END AS declarado,
        CASE WHEN length(q.actual) <= 200 THEN q.actual END AS actual, q.id`,
      where: "q.parte = 'otro cambio'",
      orderBy: '1, q.fecha, q.id',
    },
  ];
}
