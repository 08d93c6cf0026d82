import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAMBIOS, EMITIDOS, EXPORTACIONES, RECIBIDOS, type Table } from '../../lib/lake/tables.ts';
import { type AskedDays, askedDays, tablesIn } from '../../lib/query/asked-days.ts';
import { openDatabase, type Trial } from '../../lib/query/lake-database.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { openLake } from '../../lib/query/open-lake.ts';
import { ask } from '../../lib/query/question.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

const DAYS = daysBetween('2026-11-01', '2026-11-20');
const TABLES = [RECIBIDOS, EMITIDOS, EXPORTACIONES, CAMBIOS];

/** A database that waits for the choice of its files until the tests are over. */
let trial: Trial;
let end = (): void => undefined;
let closed: Promise<void>;
beforeAll(async () => {
  const files = TABLES.flatMap((table) => DAYS.map((day) => ({ table, day, path: `${table.name}/${day}` })));
  trial = await new Promise<Trial>((begin, fail) => {
    const opened = openDatabase('nowhere', files, async (opening) => {
      begin(opening);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return [];
    });
    opened.catch(fail);
    closed = opened.then((database) => database.close());
  });
});
afterAll(async () => {
  end();
  await closed;
});

async function planned(...questions: readonly string[]): Promise<AskedDays> {
  const named = questions.flatMap(tablesIn);
  const days = new Map(
    TABLES.filter((table) => named.includes(table)).map((table) => [table, new Set(DAYS)]),
  );
  const { connection, stubs } = trial;
  try {
    return await askedDays(connection, questions, days, stubs);
  } finally {
    rmSync(join(stubs, 'links'), { recursive: true, force: true });
  }
}

/** The days of November that the question needs of a table, abbreviated. */
async function daysOf(sql: string, table: Table = RECIBIDOS): Promise<string> {
  return daysIn(await planned(sql), table);
}

function daysIn(asked: AskedDays, table: Table): string {
  const needed = DAYS.filter((day) => asked.has(table, day)).map((day) => Number(day.slice(-2)));
  return needed.length === DAYS.length ? 'all' : needed.join(' ');
}

const R = 'SELECT * FROM recibidos';

describe('the days that a question needs', () => {
  it.each([
    [`${R} WHERE fecha BETWEEN DATE '2026-11-03' AND DATE '2026-11-05'`, '3 4 5'],
    [`${R} WHERE fecha IN ('2026-11-03', '2026-11-09') AND rut = '1'`, '3 9'],
    [`${R} WHERE strftime(fecha, '%d') = '07'`, '7'],
    [`${R} WHERE fecha >= date_trunc('month', DATE '2026-11-20') + INTERVAL 17 DAY`, '18 19 20'],
    [`${R} WHERE CAST(fecha AS TIMESTAMP) > TIMESTAMP '2026-11-18 12:00:00'`, '19 20'],
    [
      `WITH a AS (${R} WHERE fecha = '2026-11-01') SELECT * FROM a JOIN recibidos b USING (id) WHERE b.fecha = '2026-11-02'`,
      '1 2',
    ],
    [
      `WITH a AS MATERIALIZED (${R}) SELECT id FROM a WHERE fecha = '2026-11-02' UNION ALL SELECT id FROM a WHERE fecha = '2026-11-04'`,
      '2 4',
    ],
    [`SELECT * FROM recibidos a JOIN recibidos b USING (fecha) WHERE a.fecha = '2026-11-02'`, '2'],
    [`SELECT * FROM query_table('recibidos') WHERE fecha = '2026-11-11'`, '11'],
    [`-- why\nEXPLAIN (FORMAT json) ${R} WHERE fecha = '2026-11-02'`, '2'],
    [`${R} WHERE false`, ''],
    ['DESCRIBE recibidos', ''],
    [`SELECT * FROM emitidos`, ''],
  ])('%s: %s', async (sql, days) => {
    expect(await daysOf(sql)).toBe(days);
  });

  it.each([
    R,
    'SELECT count(*) FROM recibidos',
    'SUMMARIZE recibidos',
    `${R} WHERE fecha = '2026-11-03' OR rut = '1'`,
    `${R} WHERE id = 5 AND totales_total > 3 AND moneda = 'UYU'`,
    `${R} WHERE coalesce(moneda, 'UYU') = 'UYU' AND rut IS NOT NULL`,
    `${R} WHERE fecha = (SELECT max(fecha) FROM emitidos)`,
    `${R} WHERE fecha > DATE '2026-11-01' + CAST(random() * 3 AS INTEGER)`,
    `${R} WHERE fecha = CAST(rut AS DATE)`,
    `SELECT * FROM range(3) t(n), recibidos WHERE fecha = DATE '2026-11-01' + CAST(n AS INTEGER)`,
    `SELECT * FROM recibidos a WHERE a.fecha = '2026-11-20' AND EXISTS (SELECT 1 FROM recibidos b WHERE b.fecha = a.fecha - 1)`,
    `WITH RECURSIVE t(n, f) AS (SELECT 1, DATE '2026-11-01' UNION ALL SELECT n + 1, r.fecha FROM t JOIN recibidos r ON r.fecha = t.f + 1 WHERE n < 3) FROM t`,
    // DuckDB writes such a plan as invalid JSON.
    `SELECT 'nan'::DOUBLE, * FROM recibidos WHERE fecha = '2026-11-03'`,
    // Runs as two statements, which can't be planned together.
    `PIVOT (${R} WHERE fecha = '2026-11-03') ON moneda USING count(*)`,
  ])('%s: all, where that can’t be told', async (sql) => {
    expect(await daysOf(sql)).toBe('all');
  });

  it('are found table by table', async () => {
    const sql = `SELECT (SELECT count(*) FROM recibidos WHERE fecha = '2026-11-04'), (SELECT count(*) FROM exportaciones
      WHERE fecha_corrida >= '2026-11-19')`;
    expect(await daysOf(sql, RECIBIDOS)).toBe('4');
    expect(await daysOf(sql, EXPORTACIONES)).toBe('19 20');
  });

  it('of several questions are those of each', async () => {
    const asked = await planned(
      `${R} WHERE fecha = '2026-11-03'`,
      `SELECT * FROM emitidos WHERE fecha = '2026-11-05'`,
      `${R} WHERE fecha >= '2026-11-19'`,
    );
    expect({ recibidos: daysIn(asked, RECIBIDOS), emitidos: daysIn(asked, EMITIDOS) }).toEqual({
      recibidos: '3 19 20',
      emitidos: '5',
    });
    expect((await planned(`${R} WHERE fecha = '2026-11-03'`, R)).isOpen(RECIBIDOS)).toBe(true);
  });

  it.each([
    [`${R} WHERE fecha <= '2026-11-03'`, true],
    [`PIVOT recibidos ON moneda USING count(*)`, true],
    [`${R} WHERE fecha >= '2020-01-01'`, false],
    [`${R} WHERE fecha = '2026-11-03'`, false],
    ['SELECT * FROM emitidos', false],
  ])('%s: without a first day: %s', async (sql, isOpen) => {
    expect((await planned(sql)).isOpen(RECIBIDOS)).toBe(isOpen);
  });

  it('are bounded in every named query', async () => {
    const asked = await planned(...namedQueries().map(({ sql }) => sql));
    expect(TABLES.filter(asked.isOpen)).toEqual([]);
  });
});

describe('an answer from the days that are needed', () => {
  it('is the one from all days', async () => {
    // The two tables share ids, and most columns are null.
    const rowsFrom = (first: number) =>
      Array.from({ length: 24 }, (_, place) => {
        const id = first + place;
        const fecha = DAYS[Math.floor(place / 3)] ?? '';
        return { fecha, id: id % 64, rut: String(id % 3), tipo_comprobante: 101 + (id % 2) };
      });
    const folder = await madeLakeFolder({ recibidos: rowsFrom(1), emitidos: rowsFrom(50) });
    const all = await openLakeDatabase(folder);
    const conditions = [
      'true',
      `r.fecha = '2026-11-04'`,
      `r.fecha > '2026-11-06' OR r.id = 5`,
      `r.fecha > '2026-11-06' AND r.id > 5`,
      `year(r.fecha) = 2026 AND day(r.fecha) IN (3, 4)`,
      `NOT (r.fecha <> '2026-11-07')`,
      `r.fecha = e.fecha AND e.fecha BETWEEN '2026-11-02' AND '2026-11-06'`,
      `r.fecha = e.fecha + 1 AND e.fecha < '2026-11-06'`,
      `coalesce(e.fecha, DATE '2026-11-01') = '2026-11-01'`,
      `r.fecha IS DISTINCT FROM e.fecha AND r.fecha = '2026-11-05'`,
      `CASE WHEN r.rut = '1' THEN r.fecha = '2026-11-05' ELSE e.fecha = '2026-11-06' END`,
    ];
    const joins = ['JOIN', 'LEFT JOIN', 'FULL JOIN', 'ANTI JOIN'];
    // `npm test` tries some conditions, each with one kind of join.
    const stride = campaign({ quick: 16, long: 1 });
    const questions = joins.flatMap((join, row) =>
      conditions.flatMap((condition, column) => {
        if ((row + column) % stride !== 0) return [];
        const isHidden = join.startsWith('ANTI');
        const from = `recibidos r ${join} emitidos e ON r.id = e.id`;
        const inOn = `SELECT count(*), sum(r.id), min(r.fecha), max(r.rut) FROM ${from} AND (${condition})`;
        const inWhere = `SELECT r.fecha, count(*), max(r.id) FROM ${from} WHERE ${condition} GROUP BY 1 ORDER BY 1`;
        return isHidden && condition.includes('e.') ? [inOn] : [inOn, inWhere];
      }),
    );
    questions.push(
      `SELECT fecha, sum(id) OVER (ORDER BY fecha, id) AS s FROM recibidos r QUALIFY fecha = '2026-11-05' ORDER BY ALL`,
      `SELECT * FROM (SELECT fecha, row_number() OVER (ORDER BY fecha, id) AS n FROM recibidos) WHERE fecha > '2026-11-06' ORDER BY ALL`,
      `SELECT fecha, n FROM (SELECT fecha, count(*) AS n FROM recibidos GROUP BY ALL HAVING n > 2) WHERE fecha = '2026-11-04'`,
      `SELECT id FROM recibidos WHERE fecha = '2026-11-04' EXCEPT SELECT id FROM emitidos ORDER BY ALL`,
      `SELECT id FROM (SELECT id, fecha FROM recibidos ORDER BY fecha, id LIMIT 5) WHERE fecha = '2026-11-02'`,
      `SELECT DISTINCT ON (rut) rut, fecha FROM recibidos ORDER BY rut, fecha DESC`,
    );
    for (const sql of questions) {
      const needed = await openLake(folder, [sql], {});
      expect(await ask(needed, sql), sql).toEqual(await ask(all, sql));
      needed.close();
    }
    all.close();
    expect(questions.length).toBeGreaterThan(campaign({ quick: 7, long: 80 }));
  });

  it('is of the day on which they were chosen', async () => {
    const folder = newFolder();
    const sql = 'SELECT current_timestamp';
    let chosenAt = '';
    const database = await openDatabase(folder, [], async ({ connection }) => {
      const reader = await connection.runAndReadAll('SELECT current_timestamp::VARCHAR');
      chosenAt = String(reader.getRows()[0]?.[0]);
      return [];
    });
    expect((await ask(database, sql)).rows).toEqual([[chosenAt]]);
    database.close();
  });
});

describe('the tables that a question may read', () => {
  const names = (sql: string) => tablesIn(sql).map(({ name }) => name);

  it('are those among its words', () => {
    expect(names('SELECT * FROM Recibidos r JOIN "CAMBIOS" USING (id)')).toEqual(['recibidos', 'cambios']);
    expect(names('SELECT 1')).toEqual([]);
    expect(
      names('-- beside cambios\n  -- and exportaciones\nSELECT * FROM emitidos -- or recibidos'),
    ).toEqual(['recibidos', 'emitidos']);
  });

  it('are not lost in what only looks like a comment', () => {
    expect(names("SELECT '\n-- ', count(*) FROM recibidos")).toEqual(['recibidos']);
  });

  it('are all where the SQL may name them in pieces', () => {
    expect(names("FROM query_table('emi' || 'tidos')")).toHaveLength(7);
  });
});
