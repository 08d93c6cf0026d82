import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { newScratchFolder, removeScratch } from '../query/lake-files.ts';
import { type Narrowing, namedQuery, narrowed } from '../query/named-queries.ts';
import type { ReportPart } from '../report/parts.ts';
import { WrongInputError } from '../system/errors.ts';
import { INDEX, newestClose } from './close-folder.ts';
import { FROZEN } from './close-month.ts';

/** What a closed month declared, from its frozen rows, beside what the lake states now: a rectification. */

export interface FrozenMonth {
  /** The companies that have a close. */
  ruts: readonly string[];
  /** Files by the name of the view that shows them. */
  views: ReadonlyMap<string, readonly string[]>;
  remove(): void;
}

const Index = v.object({ files: v.record(v.string(), v.object({ sha256: v.string() })) });

/** The newest closes of a month: of these companies, or of all. Throws WrongInputError where a file is not as it was written. */
export async function frozenMonth(out: string, month: string, ruts: readonly string[]): Promise<FrozenMonth> {
  const asked = ruts.length > 0 ? ruts : (await readdir(out)).filter((name) => /^\d{12}$/.test(name)).sort();
  const folder = newScratchFolder(tmpdir(), 'cfe-lake-closed-');
  const closed: string[] = [];
  for (const rut of asked) {
    const close = await newestClose(out, rut, month);
    if (close === undefined) continue;
    closed.push(rut);
    mkdirSync(join(folder, rut));
    const { files } = v.parse(Index, JSON.parse(await readFile(join(close, INDEX), 'utf8')));
    for (const name of FROZEN.map((table) => `${table.name}.parquet`)) {
      const bytes = readFileSync(join(close, name));
      if (createHash('sha256').update(bytes).digest('hex') !== files[name]?.sha256) {
        throw new WrongInputError(`${join(close, name)} is not as the close wrote it: its hash is another.`);
      }
      // DuckDB takes some characters of a path for patterns; and what is compared is what was checked.
      writeFileSync(join(folder, rut, name), bytes);
    }
  }
  const views = FROZEN.map(
    ({ name }) => [`cierre_${name}`, closed.map((rut) => join(folder, rut, `${name}.parquet`))] as const,
  );
  return {
    ruts: closed,
    views: new Map(closed.length === 0 ? [] : views),
    remove: () => removeScratch(folder),
  };
}

const LINES = ['libro-iva-ventas', 'libro-iva-compras'] as const;
const COMPARED = 'fecha, tipo_comprobante, moneda, tipo_cambio, total, iva, total_pesos, iva_pesos, estado';

/**
 * Asks for the lines of both VAT books that differ, and then, with `cambio` total and no id, for the sums of each book
 * and currency: what was declared, what is stated now, and the difference, in the receipt's currency and in pesos.
 */
export function rectificationSql(narrowing: Narrowing): string {
  const linesOf = (isDeclared: boolean) =>
    LINES.map((name) => {
      const sql = narrowed(namedQuery(name).sql, narrowing);
      const read = isDeclared
        ? sql.replace(/\b(FROM|JOIN) (?=(?:recibidos|emitidos|cotizaciones)(?:_detalle)?\b)/g, '$1 cierre_')
        : sql;
      return `SELECT '${name}' AS libro, q.*, coalesce(iva_minima, 0) + coalesce(iva_basica, 0) AS iva,
  coalesce(iva_minima_pesos, 0) + coalesce(iva_basica_pesos, 0) AS iva_pesos FROM (\n${read}\n) q`;
    }).join('\nUNION ALL\n');
  const both = ['total', 'iva', 'total_pesos', 'iva_pesos'];
  const values = (amount: (side: string, name: string) => string) =>
    both
      .map((name) => {
        const [declared, now] = ['d', 'a'].map((side) => amount(side, name));
        return `${declared} AS ${name}_declarado, ${now} AS ${name}_actual, coalesce(${now}, 0) - coalesce(${declared}, 0) AS ${name}_diferencia`;
      })
      .join(',\n  ');
  const either = (names: string) =>
    names.replace(/\w+/g, (name) => `coalesce(a.${name}, d.${name}) AS ${name}`);
  const listed = (side: string) => COMPARED.replace(/\w+/g, `${side}.$&`);
  return `WITH declarado AS (${linesOf(true)}),
actual AS (${linesOf(false)}),
pares AS (
  SELECT ${either('rut, libro, fecha, tipo_comprobante, serie, numero, documento, moneda')},
  CASE WHEN d.id IS NULL THEN 'aparecio' WHEN a.id IS NULL THEN 'ya no cuenta' ELSE 'cambio' END AS cambio,
  d.estado AS estado_declarado, a.estado AS estado_actual,
  ${values((side, name) => `${side}.${name}`)}, ${either('id')},
  d.id IS NULL OR a.id IS NULL OR (${listed('d')}) IS DISTINCT FROM (${listed('a')}) AS difiere
  FROM declarado d FULL JOIN actual a ON a.libro = d.libro AND a.rut = d.rut AND a.id = d.id
)
SELECT * FROM (
SELECT * EXCLUDE (difiere) FROM pares WHERE difiere
UNION ALL BY NAME
SELECT rut, libro, moneda, 'total' AS cambio,
  ${both.map((name) => `sum(${name}_declarado) AS ${name}_declarado, sum(${name}_actual) AS ${name}_actual, sum(${name}_diferencia) AS ${name}_diferencia`).join(',\n  ')}
FROM pares GROUP BY ALL HAVING bool_or(difiere)
)
ORDER BY rut, libro, id IS NULL, fecha, id, moneda`;
}

const AMOUNTS = [
  ...[['total', 'Total'] as const, ['iva', 'IVA'] as const],
  ...[['total_pesos', 'Total en pesos'] as const, ['iva_pesos', 'IVA en pesos'] as const],
]
  .flatMap(([name, heading]) =>
    (['declarado', 'actual', 'diferencia'] as const).map(
      (which) => `q.${name}_${which} AS "${heading}, ${which}"`,
    ),
  )
  .join(', ');
const BOOK = `CASE q.libro WHEN 'libro-iva-ventas' THEN 'Ventas' ELSE 'Compras' END AS "Libro"`;
const SHARED = {
  query: 'changes-since-close',
  sql: rectificationSql,
  isOfClosedMonth: true,
} as const;

/** In place of the report's changes, for a company that has a close. */
export const RECTIFICATION_PARTS: readonly ReportPart[] = [
  {
    ...SHARED,
    id: 'rectificacion',
    title: 'Rectificación',
    about:
      'Los libros IVA del cierre guardado y los de ahora, por moneda, donde algo difiere: lo que se declaró, lo que consta ahora y la diferencia.',
    nothing: 'Nada difiere de lo declarado.',
    isWithoutTypes: true,
    select: `${BOOK}, q.moneda AS "Moneda", ${AMOUNTS}`,
    where: 'q.id IS NULL',
    orderBy: '1, 2',
  },
  {
    ...SHARED,
    id: 'cambios',
    title: 'Cambios desde el cierre',
    about:
      'Cada comprobante cuya línea en los libros IVA no es la del cierre guardado: apareció, ya no cuenta (rechazado, fuera de la lista o con otra fecha), o cambió.',
    nothing: 'Nada cambió desde el cierre.',
    concern: ['cambio desde el cierre', 'cambios desde el cierre'],
    select: `${BOOK}, q.fecha AS "Fecha", q.tipo_comprobante AS "Tipo", t.nombre AS "Comprobante", q.serie AS "Serie",
      q.numero AS "Número", q.cambio AS "Cambio", q.estado_declarado AS "Estado, declarado", q.estado_actual AS "Estado, actual",
      q.moneda AS "Moneda", ${AMOUNTS}, q.id AS "id"`,
    where: 'q.id IS NOT NULL',
    orderBy: '1, 2, q.id',
  },
];
