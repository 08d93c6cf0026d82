import { dirname } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { describe, expect, it, vi } from 'vitest';
import {
  answerFile,
  ask,
  blankEnd,
  calledNames,
  explainedPart,
  QuestionRefusedError,
  withoutEnd,
} from '../../lib/query/question.ts';
import { filesIn } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { lakeForAll } from '../support/query/open-lake.ts';

const PIVOT = 'PIVOT (SELECT moneda FROM recibidos) ON moneda USING count(*)';
const row = { rut: '219999830019', fecha: '2026-11-18', tipo_comprobante: 111, moneda: 'UYU' };

const lakeOf = lakeForAll([
  { ...row, id: 1 },
  { ...row, id: 2 },
]);

describe('query takes one question', () => {
  it.each([
    ['SELECT 1; SELECT 2', 2],
    ["SELECT 1; SELECT 'pivot'", 2],
    ['CREATE OR REPLACE VIEW recibidos AS SELECT 666 AS id; SELECT * FROM recibidos -- pivot', 2],
    [`CREATE OR REPLACE VIEW recibidos AS SELECT 666 AS moneda; ${PIVOT}`, 3],
    [`CREATE TYPE own AS ENUM ('x'); ${PIVOT}`, 3],
    [`CREATE TABLE own AS ${PIVOT}`, 4],
    [`${PIVOT}; SELECT 2`, 3],
    [`${PIVOT}; ${PIVOT}`, 4],
    [`SELECT 1) AS a; SELECT * FROM (${PIVOT}`, undefined],
    [`EXPLAIN ANALYZE ${PIVOT}`, 4],
  ])('%s is refused', async (sql, count) => {
    const message =
      count === undefined ? /^Parser Error/ : `These are ${count} statements; run one at a time.`;
    await expect(ask(lakeOf(), sql)).rejects.toThrow(message);
  });

  it.each([`${PIVOT}; SELECT 2`, 'FROM enable_logging()'])('%s is refused as Parquet too', async (sql) => {
    await expect(answerFile(lakeOf(), sql)).rejects.toBeInstanceOf(QuestionRefusedError);
  });

  it.each([
    PIVOT,
    `${PIVOT};`,
    `${PIVOT} -- the end;`,
    `${PIVOT}; -- the end`,
    `(${PIVOT})`,
    `WITH p AS (${PIVOT}) FROM p`,
    `SELECT a.UYU FROM (${PIVOT}) a, (${PIVOT}) b`,
  ])('%s is one', async (sql) => {
    const { columns, rows } = await ask(lakeOf(), sql);
    expect({ columns: columns.map(({ name }) => name), rows }).toEqual({ columns: ['UYU'], rows: [['2']] });
  });
});

describe('query calls no function that acts', () => {
  it.each([
    ["SELECT * FROM enable_logging(storage = 'file', storage_path = 'LAKE/logs')", 'enable_logging'],
    ['FROM system.main."Enable_Logging"/* */()', 'enable_logging'],
    ['FROM enable_logging\u2060()', 'enable_logging'],
    ['EXPLAIN ANALYZE SELECT * FROM enable_logging()', 'enable_logging'],
    ['PIVOT (SELECT 1 AS moneda FROM enable_logging()) ON moneda USING count(*)', 'enable_logging'],
    ["FROM query('FROM enable' || '_logging()')", 'query'],
    ["FROM json_execute_serialized_sql('{}')", 'json_execute_serialized_sql'],
    ["FROM enable_profiling(save_location = 'LAKE/profile')", 'enable_profiling'],
    ['FROM force_checkpoint()', 'force_checkpoint'],
    ['FROM truncate_duckdb_logs()', 'truncate_duckdb_logs'],
  ])('%s is refused, and leaves nothing', async (sql, name) => {
    const lake = lakeOf();
    const folders = [lake.store.address, dirname(lake.scratchFile)];
    const before = folders.map(filesIn);
    await expect(ask(lake, sql.replace('LAKE', lake.store.address))).rejects.toThrow(
      `query reads the lake's tables and nothing else: no file, address or extension. It does not call ${name}.`,
    );
    expect(folders.map(filesIn)).toEqual(before);
  });

  it.each([
    'SELECT count(*) FROM range(3)',
    "SELECT count(*) FROM json_each('[1, 2, 3]')",
    "-- the query (of three)\nSELECT count(*) FROM unnest(['a', 'b', 'c'])",
    'SELECT count(*) + 1 FROM query_table(\'recibidos\') AS "checkpoint"',
  ])('%s is answered', async (sql) => {
    expect((await ask(lakeOf(), sql)).rows).toEqual([['3']]);
  });
});

describe('what this program reads in SQL by itself', () => {
  it.each([
    ['', 0],
    [' \n-- a -- b\n\t/* c */x', 20],
    ['-- a\rx', 5],
    ['/* a /* b */ c */x', 17],
    ['/* a', 4],
    ['-- a', 4],
    ['-x', 0],
  ])('blanks and comments at the beginning of %j', (sql, end) => {
    expect(blankEnd(sql)).toBe(end);
  });

  it.each([
    ['SELECT 1', 'SELECT 1'],
    ['EXPLAIN SELECT 1', 'SELECT 1'],
    ['-- why\n/* a /* b */ */ explain analyze SELECT 1', 'SELECT 1'],
    ['EXPLAIN (FORMAT json, ANALYZE) SELECT 1', 'SELECT 1'],
    ['EXPLAIN (SELECT 1)', '(SELECT 1)'],
    ['EXPLAINED', 'EXPLAINED'],
    ['/* EXPLAIN SELECT 2; */ SELECT 1', '/* EXPLAIN SELECT 2; */ SELECT 1'],
  ])('the question in %j', (sql, question) => {
    expect(explainedPart(sql).trim()).toBe(question);
  });

  it.each([
    ['SELECT 1;', 'SELECT 1'],
    ['SELECT 1; -- the end', 'SELECT 1'],
    ['SELECT 1; SELECT 2', 'SELECT 1; SELECT 2'],
    ['SELECT 1', 'SELECT 1'],
  ])('the end of %j', (sql, question) => {
    expect(withoutEnd(sql)).toBe(question);
  });

  it('the names that are called like functions, wherever they stand', () => {
    expect([...calledNames('-- a (\nSELECT B(c) FROM "d" (), e /* */ (), f\u2060() WHERE g IN (1)')]).toEqual(
      ['b', 'd', 'e', 'f', 'in'],
    );
  });

  // A pattern that tries each of them twice would not end.
  it.each([
    ['comments', '/* a */ '],
    ['lines of comment', '-- a -- b -- c\n'],
    ['dashes', '--'],
    ['blanks', ' \t\n'],
    ['openings', '/*'],
    ['parentheses', '('],
    ['words', 'a '],
    ['a long word', 'a'],
    ['quotes', '"a"'],
  ])('takes a single pass over 20,000 %s', (_what, piece) => {
    for (const head of ['', 'EXPLAIN ', 'a']) {
      const sql = `${head}${piece.repeat(20_000)}\n!`;
      expect(explainedPart(sql).length).toBeLessThanOrEqual(sql.length);
      expect(withoutEnd(sql)).toBe(sql);
      calledNames(sql);
    }
  });

  it('answers a question after 60 comments', async () => {
    const comments = '/* a */ '.repeat(60);
    expect((await ask(lakeOf(), `${comments}EXPLAIN SELECT 1`)).rows).toHaveLength(1);
    await expect(ask(lakeOf(), `${comments}DROP VIEW recibidos`)).rejects.toThrow('changes nothing');
  });
});

describe('SQL that is wrong', () => {
  it.each([
    ['SELEC 1', 'Parser Error: syntax error at or near "SELEC"', 'LINE 1: SELEC 1', '        ^'],
    [
      'SELECT id,\n\trutt\nFROM recibidos',
      'Binder Error: Referenced column "rutt" not found in FROM clause! Candidate bindings: ',
      'LINE 2: rutt',
      '        ^',
    ],
    [
      `EXPLAIN SELECT ${'id, '.repeat(40)} \u001b[2J FROM recibidos`,
      'Parser Error: syntax error',
      'LINE 1: ...',
      '      ',
    ],
    [
      "SELECT CAST('x' || rut AS DATE) FROM recibidos",
      'Conversion Error: invalid date field format: "x219999830019"',
      "LINE 1: SELECT CAST('x' || rut AS DATE) FROM recibidos",
      '               ^',
    ],
  ])('%j: the line and the place are shown', async (sql, message, line, caret) => {
    const { code, stdout, stderr } = await runMain('query', sql, '--lake', lakeOf().store.address);
    expect({ code, stdout }).toEqual({ code: message.startsWith('Conversion') ? 1 : 2, stdout: '' });
    const [first = '', second = '', third = '', ...rest] = stderr.split('\n');
    expect(first.startsWith(`cfe-lake: ${message}`)).toBe(true);
    expect({ line: second.slice(0, line.length), caret: third.slice(0, caret.length) }).toEqual({
      line,
      caret,
    });
    expect(third.trim()).toBe('^');
    expect({ rest, hasColour: stderr.includes('\u001b') }).toEqual({ rest: [''], hasColour: false });
  });

  it('shows no line of SQL that nobody typed', async () => {
    const sql = "FROM query_table(['recibidos', 'no'])";
    const { stderr } = await runMain('query', sql, '--lake', lakeOf().store.address);
    expect(stderr).not.toMatch(/cfe-lake-query-|read_parquet/);
  });
});

it('lists the functions that no question may call once a lake, however many questions are asked', async () => {
  const asked = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll');
  for (let question = 0; question < 5; question += 1)
    await ask(lakeOf(), `SELECT ${question} FROM recibidos`);
  const lists = asked.mock.calls.filter(([sql]) => sql.includes('duckdb_functions'));
  expect(lists.length).toBeLessThanOrEqual(1);
});
