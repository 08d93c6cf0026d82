import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../lib/lake/tables.ts';
import { tablesIn } from '../../lib/query/asked-days.ts';
import type { LakeDatabase } from '../../lib/query/lake-database.ts';
import { namedQueries, namedQuery, parseNamedQuery } from '../../lib/query/named-queries.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';

const queries = namedQueries();
/** Names inside JSON columns, as the queries write them. */
const INNER_NAME = /json_extract_scalar\([^']*'\$\.\w/;

/** The SQL without its comments. */
function bodyOf(sql: string): string {
  return sql.replaceAll(/^ *--.*$/gm, '');
}

describe('the named queries', () => {
  it('each have a test of their answer', () => {
    const folder = new URL('./named/', import.meta.url);
    const tests = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const unasked = queries.filter(({ name }) => !tests.some((test) => test.includes(`'${name}'`)));
    expect(unasked.map(({ name }) => name)).toEqual([]);
  });

  it('have a name in Spanish and one in English', () => {
    const names = queries.flatMap(({ name, alias = '' }) => [name, alias]);
    expect(new Set(names).size).toBe(2 * queries.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(namedQuery('numerados-dos-veces')).toEqual(namedQuery('numbers-under-two-ids'));
    expect(namedQuery('vat-book-sales').name).toBe('libro-iva-ventas');
    expect(() => namedQuery('nobody-asks')).toThrow(TypeError);
  });

  it.each(queries)('$name says in one line what it asks', ({ summary }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(summary.length).toBeLessThanOrEqual(100);
  });

  it.each([
    { of: 'amounts: in which currency', uses: /totales_total|monto/, says: /currenc|moneda/ },
    { of: 'sums of totals: payment receipts', uses: /sum\(.*totales_total/, says: /payment receipt/i },
    { of: 'signs: credit notes', uses: /THEN -/, says: /credit notes/i },
    {
      of: 'rejected receipts: that it is not final',
      uses: /'BE'/,
      says: /^(?=.*\bBE\b).*\b(may still|turned)\b/,
    },
    { of: 'what vanished', uses: /visto_por_ultima_vez/, says: /no longer lists/ },
    {
      of: 'the period',
      uses: /date_trunc/,
      says: /Change (all|both|the) conditions? on|put its day in place/,
    },
  ])('tell of $of', ({ uses, says }) => {
    const concerned = queries.filter(({ sql }) => uses.test(bodyOf(sql)));
    expect(concerned.length).toBeGreaterThan(3);
    for (const { summary, notes } of concerned) expect([summary, ...notes].join(' ')).toMatch(says);
  });

  it.each(queries)('$name warns where it relies on names that the contract lacks', ({ sql, notes }) => {
    const warns = /inner names? .* not in the API's contract: check (it|them) with the real service/;
    expect(warns.test(notes.join(' '))).toBe(INNER_NAME.test(sql));
  });

  it.each(queries)('$name reads a bounded time, exact numbers, and no more than text can hold', ({ sql }) => {
    expect(tablesIn(sql).length).toBeGreaterThan(0);
    const body = bodyOf(sql);
    // Each table has a bound on its partition, so that Athena skips all others.
    const scans =
      body.match(/\b(FROM|JOIN) (recibidos|emitidos|cambios|exportaciones|cotizaciones)(_detalle)?\b/g) ?? [];
    const bounds =
      body.match(/\bfecha(_corrida)? >= date_trunc\(|MONTH\) - INTERVAL '\d+' (DAY|MONTH) <= fecha\b/g) ?? [];
    expect(bounds.length).toBe(scans.length);
    expect(body).not.toMatch(/\b(double|float|real)\b/i);
    // A template loses other characters on its way to Athena.
    expect(sql).toMatch(/^[\n\x20-\x7e]*$/);
    // Clients take it for the end of a statement, even in a comment.
    expect(sql).not.toContain(';');
    expect(sql.split('\n').every((line) => line.length <= 120)).toBe(true);
  });

  it('are refused without a head', () => {
    expect(() => parseNamedQuery('bare', 'SELECT 1')).toThrow(
      'bare.sql does not begin with one line of comment',
    );
    expect(() => parseNamedQuery('long', '-- Two\n-- lines.\nSELECT 1')).toThrow(TypeError);
    expect(parseNamedQuery('whole', '-- A line.\n--\n-- One\n-- more.\n--\n-- Last.\nSELECT 1')).toEqual({
      name: 'whole',
      summary: 'A line.',
      notes: ['One more.', 'Last.'],
      sql: '-- A line.\n--\n-- One\n-- more.\n--\n-- Last.\nSELECT 1',
    });
  });
});

describe('functions that Athena has, in DuckDB', () => {
  let database: LakeDatabase;
  beforeAll(async () => {
    database = await openLakeDatabase('.');
  });
  afterAll(() => database.close());

  it.each([
    [`'{"a":617.5}', '$.a'`, '617.5'],
    [`'{"a":123456789012345.67}', '$.a'`, '123456789012345.67'],
    [`'{"a":"ñ"}', '$.a'`, 'ñ'],
    [`'{"a":true}', '$.a'`, 'true'],
    [`'{"a":null}', '$.a'`, null],
    [`'{"b":1}', '$.a'`, null],
    [`'{"a":{"b":1}}', '$.a'`, null],
    [`'{"a":[1]}', '$.a'`, null],
    [`'{"a":[1]}', '$.a[0]'`, '1'],
    [`NULL, '$.a'`, null],
    [`'{"a.b":"1","a":{"b":2}}', '$["a.b"]'`, '1'],
  ])('json_extract_scalar(%s)', async (words, expected) => {
    const reader = await database.connection.runAndReadAll(`SELECT json_extract_scalar(${words})`);
    expect(reader.getRows()).toEqual([[expected]]);
  });

  it('takes the day from Uruguay, whatever the machine’s zone', async () => {
    const sql = `SELECT CAST(TIMESTAMPTZ '2026-11-20 02:59:59+00' AS DATE), CAST(TIMESTAMPTZ '2026-11-20 03:00:00+00' AS DATE)`;
    const reader = await database.connection.runAndReadAll(sql);
    expect(reader.getRows()[0]?.map(String)).toEqual(['2026-11-19', '2026-11-20']);
  });

  it('knows which tables hold nothing', () => {
    expect(database.emptyTables).toEqual(TABLES.map(({ name }) => name));
  });
});
