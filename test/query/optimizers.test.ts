import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLake } from '../../lib/query/open-lake.ts';
import { ask } from '../../lib/query/question.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { lakeForAll } from '../support/query/open-lake.ts';

const row = { rut: '219999830019', tipo_comprobante: 111, moneda: 'UYU' };
const MONTH = Array.from({ length: 30 }, (_, index) => `2026-10-${String(index + 1).padStart(2, '0')}`);
const lakeOf = lakeForAll(
  MONTH.flatMap((fecha, day) =>
    Array.from({ length: 40 }, (_, index) => ({
      ...row,
      fecha,
      id: day * 40 + index,
      totales_total: String((day * 7919 + index * 104729) % 9973),
    })),
  ),
);

describe('an answer has the rows of its question, whatever DuckDB makes of it', () => {
  it('of a LEFT JOIN, though its right side only multiplies', async () => {
    const sql = `SELECT count(*) FROM recibidos a
      LEFT JOIN (SELECT unnest([1, 2, 3]) AS z, fecha FROM (SELECT DISTINCT fecha FROM recibidos)) b USING (fecha)`;
    expect((await ask(lakeOf(), sql)).rows).toEqual([['3600']]);
  });

  it('of the first of each day, though what orders them is null in some', async () => {
    const first = (order: string) =>
      `SELECT id FROM recibidos QUALIFY row_number() OVER (PARTITION BY fecha ORDER BY ${order}) <= 3`;
    const sql = `SELECT count(*) FROM (${first('CASE WHEN id % 20 = 0 THEN id END DESC')})`;
    expect((await ask(lakeOf(), sql)).rows).toEqual([['90']]);
    const none = `SELECT id FROM recibidos WHERE moneda = 'EUR' QUALIFY row_number() OVER (ORDER BY id DESC) = 1`;
    expect((await ask(lakeOf(), none)).rows).toEqual([]);
  });

  it('of the largest ones, however they are narrowed afterwards', async () => {
    const largest =
      "(SELECT * FROM recibidos WHERE fecha >= DATE '2026-10-01' ORDER BY totales_total DESC, id LIMIT 20)";
    const late = 'fecha >= (SELECT max(fecha) - 7 FROM recibidos)';
    const { rows: all } = await ask(lakeOf(), `SELECT id, CAST(fecha AS VARCHAR) FROM ${largest}`);
    const wanted = all.filter(([, fecha = '']) => String(fecha) >= '2026-10-23').map(([id]) => id);
    expect(wanted.length).toBeGreaterThan(0);
    for (let times = 0; times < 30; times += 1) {
      const { rows } = await ask(lakeOf(), `SELECT id FROM ${largest} x WHERE ${late}`);
      expect(rows.flat().sort()).toEqual(wanted.toSorted());
    }
  });
});

/** Two values of a column, the second larger. */
interface Asked {
  table: 'recibidos' | 'exportaciones';
  column: string;
  values: readonly [MadeRow[string], MadeRow[string]];
  literals: readonly [string, string];
}

/** Of each type that a table has. */
const ASKED: readonly Asked[] = [
  { table: 'recibidos', column: 'moneda', values: ['USD', 'UYU'], literals: ["'USD'", "'UYU'"] },
  { table: 'recibidos', column: 'forma_pago', values: [1, 2], literals: ['1', '2'] },
  {
    table: 'recibidos',
    column: 'totales_total',
    values: ['123456789012345.67', '123456789012345.68'],
    // As wide as the column, so that they need no cast.
    literals: ['123456789012345.67', '123456789012345.68'],
  },
  {
    table: 'recibidos',
    column: 'visto_por_ultima_vez',
    values: ['2026-11-20T06:30:00', '2026-11-21T06:30:00'],
    literals: ["TIMESTAMP '2026-11-20 06:30:00'", "TIMESTAMP '2026-11-21 06:30:00'"],
  },
  {
    table: 'recibidos',
    column: 'fecha',
    values: ['2026-10-02', '2026-10-03'],
    literals: ["DATE '2026-10-02'", "DATE '2026-10-03'"],
  },
  { table: 'exportaciones', column: 'filas', values: [1, 12345678901], literals: ['1', '12345678901'] },
  { table: 'exportaciones', column: 'estable', values: ['false', 'true'], literals: ['false', 'true'] },
];

/** Conditions in which nulls count, of a column and two values. */
const CONDITIONS = (c: string, v: string, w: string) => [
  `${c} IS DISTINCT FROM ${v}`,
  `${c} IS DISTINCT FROM ${v} OR ${c} > ${w}`,
  `${c} IS DISTINCT FROM ${w} OR ${c} > ${w}`,
  `${v} = ${c} OR ${v} IS DISTINCT FROM ${c}`,
  `${c} IS DISTINCT FROM ${v} OR ${c} IS DISTINCT FROM ${w}`,
  `${c} IS DISTINCT FROM ${v} OR (${c} = ${v} AND rut IS NULL)`,
  `${c} IS DISTINCT FROM NULL OR ${c} = ${v}`,
  `${c} IS NOT DISTINCT FROM NULL OR ${c} = ${w}`,
  `${c} IS NOT DISTINCT FROM ${v} OR ${c} > ${w}`,
  `NOT (${c} IS NOT DISTINCT FROM ${v}) OR ${c} < ${v}`,
  `NOT (${c} = ${v}) OR ${c} IS NULL`,
  `(${c} = ${v}) IS NOT TRUE OR ${c} > ${w}`,
  `${c} IN (${v}, NULL)`,
  `${c} IN (${v}, ${w}) OR ${c} IS NULL`,
  `${c} NOT IN (${v}, NULL) OR ${c} IS DISTINCT FROM ${v}`,
  `${c} BETWEEN ${v} AND ${w} OR ${c} IS DISTINCT FROM ${w}`,
  `CASE WHEN ${c} = ${v} THEN NULL ELSE ${c} IS NULL END`,
  `coalesce(${c} <> ${v}, true)`,
  `coalesce(${c}, ${w}) = ${w} OR ${c} = ${v}`,
];

describe('a condition leaves the rows that it leaves without any optimizer, though its column', () => {
  const files: Readonly<Record<string, (asked: Asked) => readonly (MadeRow[string] | undefined)[]>> = {
    'is null in the whole file': () => [undefined, undefined],
    'has one value in the file': ({ values: [v] }) => [v, v],
    'has one value or null in the file': ({ values: [v] }) => [v, undefined],
    'has several values in the file': ({ values: [v, w] }) => [v, w, undefined],
  };

  it.each(Object.entries(files))('%s', async (_, valuesIn) => {
    const rowsOf = (table: string, made: MadeRow) => {
      const columns = ASKED.filter((asked) => asked.table === table && asked.column !== 'fecha');
      const values = columns.map((asked) => ({ column: asked.column, values: valuesIn(asked) }));
      return Array.from({ length: values[0]?.values.length ?? 0 }, (_value, index) => {
        const known = values.filter((of) => of.values[index] !== undefined);
        return { ...made, ...Object.fromEntries(known.map((of) => [of.column, of.values[index] ?? ''])) };
      });
    };
    const day = '2026-10-02';
    const run = {
      rut: row.rut,
      corrida: 'c',
      direccion: 'recibidos',
      estado: 'ok',
      fecha: day,
      fecha_corrida: day,
    };
    const made = {
      recibidos: rowsOf('recibidos', { rut: row.rut, id: 1, fecha: day }),
      exportaciones: rowsOf('exportaciones', run),
    };
    const folder = await madeLakeFolder(made);
    const views = new Map([['declarado', [`${folder}/recibidos/fecha=${day}/dia.parquet`]]]);
    const lake = await openLake(folder, ['FROM recibidos, exportaciones'], {}, { views });
    onTestFinished(() => lake.close());
    const plain = await (await DuckDBInstance.create(':memory:')).connect();
    await plain.run('PRAGMA disable_optimizer');
    for (const table of Object.keys(made))
      await plain.run(`CREATE TABLE ${table} AS SELECT * FROM read_parquet('${folder}/${table}/*/*.parquet',
        hive_partitioning = true, hive_types_autocast = true)`);
    for (const { table, column, literals } of ASKED) {
      const conditions = CONDITIONS(column, ...literals);
      const sql = conditions
        .map((is, index) => `SELECT ${index} AS i, count(*) AS n FROM ${table} WHERE ${is}`)
        .join(' UNION ALL ');
      const wanted = (await plain.runAndReadAll(`${sql} ORDER BY i`)).getRows();
      const found = (await ask(lake, `${sql} ORDER BY i`)).rows;
      const told = (rows: readonly (readonly unknown[])[]) =>
        rows.map(([, count], index) => `${conditions[index]}: ${count}`);
      expect(told(found)).toEqual(told(wanted));
      if (table !== 'recibidos' || column === 'fecha') continue;
      const ofFile = (await ask(lake, `${sql.replaceAll(table, 'declarado')} ORDER BY i`)).rows;
      expect(told(ofFile)).toEqual(told(wanted));
    }
  });
});
