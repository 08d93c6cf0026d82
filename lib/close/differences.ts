import v8 from 'node:v8';
import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import type { AnswerColumn } from '../query/answer.ts';
import { NOT_ACCEPTED } from '../query/form-2181.ts';
import {
  companyCondition,
  type DeclaredQuery,
  type Narrowing,
  namedQuery,
  narrowed,
} from '../query/named-queries.ts';
import { quoted } from '../query/question.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';

/** What a close froze beside what the lake states now: which cells of declared tables differ, and which receipts. */

/** A table that people declare: the answer to the named query, which a close keeps. */
export interface DeclaredTable {
  query: DeclaredQuery;
  /** The view of the frozen answer. */
  view: string;
  /** Columns that tell its rows apart; `rut` is the first. */
  key: readonly string[];
  /** What tells apart rows of one key, in SQL of a side's columns; null of most. It is shown as their concept. */
  kind?: (side: string) => string;
  /** The list of the receipt that a row is of, in SQL. */
  list?: string;
  /** What its rows are shown by, where the column has another name. */
  shown?: Readonly<Record<string, string>>;
  /** Columns that are summed up by currency. */
  sums?: readonly string[];
}

const AMOUNTS = 'no_gravado exportacion neto_minima iva_minima neto_basica iva_basica otros total'
  .split(' ')
  .flatMap((name) => [name, `${name}_pesos`]);

/** Its key has the currency, so that amounts of two currencies are never subtracted. */
const BOOK = { key: ['rut', 'fecha', 'moneda', 'id'], sums: AMOUNTS };

export const DECLARED: readonly DeclaredTable[] = [
  { ...BOOK, query: 'libro-iva-ventas', view: 'libro_iva_ventas', list: "'emitidos'" },
  { ...BOOK, query: 'libro-iva-compras', view: 'libro_iva_compras', list: "'recibidos'" },
  {
    query: 'posicion-iva',
    view: 'posicion_iva',
    key: ['rut', 'mes', 'concepto', 'moneda'],
    shown: { fecha: 'mes' },
  },
  {
    query: 'resguardos',
    view: 'resguardos',
    key: ['rut', 'retencion', 'fecha', 'moneda', 'id', 'codigo', 'tasa'],
    list: "CASE retencion WHEN 'efectuada' THEN 'emitidos' ELSE 'recibidos' END",
    shown: { concepto: 'retencion' },
  },
  {
    query: 'formulario-2181',
    view: 'formulario_2181',
    key: ['rut', 'mes', 'contraparte', 'linea'],
    kind: (side) => `CASE ${side}nota WHEN '${NOT_ACCEPTED}' THEN '${NOT_ACCEPTED}' END`,
    shown: { fecha: 'mes', documento: 'contraparte' },
  },
];

/** What the rows of all declared tables are shown by. */
const SHOWN = 'fecha tipo_comprobante serie numero documento concepto linea codigo tasa moneda id'.split(' ');
const TOLD = ['rut', 'parte', 'tabla', 'cambio', ...SHOWN.slice(0, -1), 'campo', 'declarado', 'actual'];

/** The columns of each frozen file, by its name without the ending. */
export type FrozenColumns = Readonly<Record<string, readonly AnswerColumn[]>>;

/** The prefix of the views of frozen rows, in a database that has the lake's as well. */
export const FROZEN_ROWS = 'cierre_';

const isAmount = ({ type }: AnswerColumn) => type === 'BIGINT' || type.endsWith(',2)');

/** Rows of a declared table that are on one side alone or differ: `d_` is the column as declared, `a_` as it is now. */
export function pairsSql(table: DeclaredTable, columns: readonly AnswerColumn[], now: string): string {
  const { key, kind, view } = table;
  const names = columns.map(({ name }) => name);
  const side = (prefix: string) => names.map((name) => `${prefix}.${name} AS ${prefix}_${name}`).join(', ');
  const row = (prefix: string) => `(${names.map((name) => `${prefix}.${name}`).join(', ')})`;
  const on = key.map((name) => `d.${name} ${name === 'rut' ? '=' : 'IS NOT DISTINCT FROM'} a.${name}`);
  if (kind !== undefined) on.push(`${kind('d.')} IS NOT DISTINCT FROM ${kind('a.')}`);
  // A column that the query no longer has is null now.
  const actual = `SELECT * FROM ${view} WHERE false UNION ALL BY NAME SELECT * FROM (\n${now}\n)`;
  return `SELECT ${side('d')}, ${side('a')}, ${row('d')} IS DISTINCT FROM ${row('a')} AS difiere
FROM ${view} d FULL JOIN (${actual}) a ON ${on.join(' AND ')}`;
}

/** Cells of a declared table, one a row, that differ. */
function cellsSql(
  { query, key, kind, list = 'NULL', shown = {} }: DeclaredTable,
  columns: readonly AnswerColumn[],
  pairs: string,
) {
  const presentSql = (name: string) => `coalesce(a_${name}, d_${name})`;
  const has = (name: string) => columns.some((column) => column.name === name);
  const shownBy = SHOWN.map((name) => {
    const column = shown[name] ?? name;
    if (name === 'concepto' && kind !== undefined) return `coalesce(${kind('a_')}, ${kind('d_')}) AS ${name}`;
    return `${has(column) ? presentSql(column) : 'NULL'} AS ${name}`;
  });
  const cells = columns
    .filter(({ name }) => !key.includes(name))
    .map((column) => cell(column.name, `d_${column.name}`, `a_${column.name}`, isAmount(column)));
  return `SELECT rut, 'declarado' AS parte, ${quoted(query)} AS tabla, cambio, ${SHOWN.join(', ')}, lista, ${CELL} FROM (
  SELECT ${presentSql('rut')} AS rut, ${shownBy.join(', ')}, ${list.replace('retencion', presentSql('retencion'))} AS lista,
    CASE WHEN d_rut IS NULL THEN 'aparecio' WHEN a_rut IS NULL THEN 'desaparecio' ELSE 'cambio' END AS cambio,
    unnest([${cells.join(',\n    ')}]) AS c
  FROM ${pairs} WHERE difiere
) WHERE c.declarado IS DISTINCT FROM c.actual`;
}

const CELL = 'c.campo, c.declarado, c.actual, c.diferencia';

/** A cell as declared and now, as texts; of an amount with the difference. */
function cell(name: string, declared: string, now: string, hasDifference: boolean): string {
  const difference = hasDifference ? `coalesce(${now}, 0) - coalesce(${declared}, 0)` : 'NULL';
  return `{campo: ${quoted(name)}, declarado: CAST(${declared} AS VARCHAR), actual: CAST(${now} AS VARCHAR), diferencia: CAST(${difference} AS DECIMAL(38, 2))}`;
}

/** The sums of a book's currencies in which an amount differs. A currency that is not known has none. */
function sumsSql({ query, sums = [] }: DeclaredTable, pairs: string): string {
  const sumCells = sums.map((name) => {
    const sum = (side: string) => `CAST(sum(${side}_${name}) AS DECIMAL(38, 2))`;
    return `${cell(name, sum('d'), sum('a'), true).slice(0, -1)}, difiere: bool_or(d_${name} IS DISTINCT FROM a_${name})}`;
  });
  return `SELECT rut, 'suma' AS parte, ${quoted(query)} AS tabla, 'total' AS cambio, moneda, ${CELL} FROM (
  SELECT coalesce(a_rut, d_rut) AS rut, coalesce(a_moneda, d_moneda) AS moneda, unnest([${sumCells.join(',\n    ')}]) AS c
  FROM ${pairs} GROUP BY 1, 2
) WHERE moneda IS NOT NULL AND c.difiere`;
}

/** How a row was made, and what it belongs to: no change of a receipt. */
const NOT_COMPARED = ['id', 'rut', 'leido', 'motivo', 'resumen_sha256', 'visto_por_ultima_vez'];

/** Receipts of a list that came, went or changed, without the fields of which a cell tells the same change. */
function receiptsSql(direction: Direction, frozen: FrozenColumns, { ruts, from, to }: Narrowing): string {
  const [list, details] = [TABLE_OF[direction], DETAIL_TABLE_OF[direction]];
  const fieldsOf = ({ name, columns }: typeof list, alias: string, prefix: string) => {
    const kept = new Set(frozen[name]?.map((column) => column.name));
    return columns
      .filter((column) => !NOT_COMPARED.includes(column.name) && kept.has(column.name))
      .map((column) => ({ name: `${prefix}${column.name}`, sql: `${alias}.${column.name}` }));
  };
  const fields = [...fieldsOf(list, 'l', ''), ...fieldsOf(details, 'm', 'detalle:')];
  const ofMonth = (alias: string) =>
    `${alias}.fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition(`${alias}.`, ruts)}`;
  const document = direction === 'emitidos' ? 'receptor_ruc' : 'emisor_ruc';
  const rows = (
    prefix: string,
  ) => `SELECT l.rut, l.fecha, l.id, l.tipo_comprobante, l.serie, l.numero, l.${document} AS documento,
      ${fields.map(({ sql }, at) => `CAST(${sql} AS VARCHAR) AS f${at}`).join(', ')}
    FROM ${prefix}${list.name} l
    LEFT JOIN ${prefix}${details.name} m ON m.fecha = l.fecha AND m.rut = l.rut AND m.id = l.id AND ${ofMonth('m')}
    WHERE ${ofMonth('l')} AND l.visto_por_ultima_vez IS NULL`;
  const texts = (side: string) => fields.map((_, at) => `${side}.f${at}`).join(', ');
  const pair = ({ name }: { name: string }, at: number) =>
    `{campo: ${quoted(name)}, d: d.f${at}, a: a.f${at}}`;
  const cells = `FROM celdas t WHERE t.rut = r.rut AND t.id = r.id AND t.fecha = r.fecha AND t.lista = '${direction}'`;
  const textsOfCells = (side: string) =>
    `array_to_string([concat(x.campo, ': ', x.${side}) FOR x IN campos IF x.${side} IS NOT NULL], '; ')`;
  const identity = ['rut', 'fecha', 'id', 'tipo_comprobante', 'serie', 'numero', 'documento'];
  return `SELECT rut, 'otro cambio' AS parte, '${direction}' AS tabla, cambio, fecha, tipo_comprobante, serie, numero, documento, id,
  CASE WHEN cambio = 'cambio' THEN array_to_string([x.campo FOR x IN campos], ', ') END AS campo,
  CASE WHEN cambio = 'cambio' THEN ${textsOfCells('d')} END AS declarado, CASE WHEN cambio = 'cambio' THEN ${textsOfCells('a')} END AS actual
FROM (
  SELECT r.* EXCLUDE (campos, dichos), list_filter(campos, lambda x: x.d IS DISTINCT FROM x.a AND NOT coalesce(list_contains(dichos, [x.d, x.a]), false)) AS campos
  FROM (
    SELECT r.*, (SELECT list([t.declarado, t.actual]) ${cells} AND t.cambio = 'cambio') AS dichos
    FROM (
      SELECT ${identity.map((name) => `coalesce(a.${name}, d.${name}) AS ${name}`).join(', ')},
        CASE WHEN d.id IS NULL THEN 'aparecio' WHEN a.id IS NULL THEN 'desaparecio' ELSE 'cambio' END AS cambio,
        [${fields.map(pair).join(',\n        ')}] AS campos
      FROM (${rows(FROZEN_ROWS)}) d
      FULL JOIN (${rows('')}) a ON a.rut = d.rut AND a.fecha = d.fecha AND a.id = d.id
      WHERE (d.id, ${texts('d')}) IS DISTINCT FROM (a.id, ${texts('a')})
    ) r
    WHERE cambio = 'cambio' OR NOT EXISTS (SELECT 1 ${cells})
  ) r
) WHERE cambio <> 'cambio' OR len(campos) > 0`;
}

/** More would take gigabytes: some 300,000 cells that differ, or what Node was given memory for. */
export const MOST_DIFFERENCE_BYTES = Math.max(2 ** 28, v8.getHeapStatistics().heap_size_limit / 16);

/**
 * Asks a lake that also has the views of a frozen month for all that differs, in three parts (`parte`): `declarado`, a
 * row a cell of a declared table; `suma`, an amount of a book by currency; `otro cambio`, a row a receipt, with its
 * fields. `now`: what each table says now, if not its query's SQL.
 */
export function differencesSql(
  narrowing: Narrowing,
  frozen: FrozenColumns,
  now = (table: DeclaredTable) => narrowed(namedQuery(table.query).sql, narrowing),
): string {
  const pairs = DECLARED.map((table) => {
    const columns = frozen[table.query] ?? [];
    return { table, columns, name: `pares_${table.view}`, sql: pairsSql(table, columns, now(table)) };
  });
  const parts = [
    'SELECT * FROM celdas',
    ...pairs.flatMap(({ table, name }) => (table.sums === undefined ? [] : sumsSql(table, name))),
    ...DIRECTIONS.map((direction) => receiptsSql(direction, frozen, narrowing)),
  ];
  return `WITH ${pairs.map(({ name, sql }) => `${name} AS (${sql}),`).join('\n')}
celdas AS (
${pairs.map(({ table, columns, name }) => cellsSql(table, columns, name)).join('\nUNION ALL\n')}
)
SELECT ${TOLD.join(', ')}, diferencia, id FROM (
${parts.join('\nUNION ALL BY NAME\n')}
)
ORDER BY rut, parte <> 'declarado', parte <> 'suma', tabla, fecha, documento, concepto, id, codigo, tasa, linea, moneda, campo`;
}
