import { describe, expect, it } from 'vitest';
import { ask } from '../../lib/query/question.ts';
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
