import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TABLES } from '../../lib/lake/tables.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { daysBetween, FIRST_DAY } from '../../lib/time/days.ts';
import { athenaPage } from '../../scripts/athena-page.ts';
import { PRICES } from '../../scripts/cost/bill.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const page = athenaPage();

describe('docs/athena.md', () => {
  it('is what the tables and the named queries are now', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/athena.md');
  });

  it('has every table, and every named query with all that its head says', () => {
    for (const { name } of TABLES) expect(page).toContain(`\n## ${name}\n`);
    for (const { name, alias, summary, notes } of namedQueries()) {
      expect(page).toContain(`| [\`${name}\`](#${name}) | \`${alias}\` | ${summary} |`);
      expect(page).toContain(`\n### ${name}\n\n${[summary, ...notes].join('\n\n')}\n`);
    }
  });

  it('warns of what costs money when it is forgotten', () => {
    const warnings = ['Currency', 'Sign', 'Payments', 'No amounts', 'Statuses change', 'Gone from the list'];
    for (const warning of warnings) expect(page).toContain(`- **${warning}.**`);
  });

  it('says what Athena lists for a query that names no day, and what that costs', () => {
    const days = daysBetween(FIRST_DAY, '2026-11-24').length + 90;
    const listings = Math.round(days / 100) * 100;
    const usd = (days / 1000) * PRICES.usd.s3ThousandWrites;
    const text = page.replaceAll('\n', ' ');
    expect(text).toContain(
      `(${FIRST_DAY}) to 90 days ahead, receipts or not: some ${listings.toLocaleString('en')} listings`,
    );
    expect(text).toContain(`some ${usd.toFixed(2)} USD each time`);
  });

  it('shows SQL with which DuckDB reads a column that older objects lack, as null there', async () => {
    const folder = newFolder();
    const [, sql = ''] = /duckdb\.sql\("(.*)"\)/.exec(page) ?? [];
    const instance = await DuckDBInstance.create();
    onTestFinished(() => instance.closeSync());
    const connection = await instance.connect();
    for (const [day, columns] of [
      ['2026-11-18', '18 AS id'],
      ['2026-11-19', `19 AS id, 'x' AS nueva`],
    ]) {
      mkdirSync(join(folder, `recibidos/fecha=${day}`), { recursive: true });
      await connection.run(`COPY (SELECT ${columns}) TO '${folder}/recibidos/fecha=${day}/dia.parquet'`);
    }
    const answer = await connection.runAndReadAll(`${sql.replace('lake/', `${folder}/`)} ORDER BY id`);
    const rows = answer.getRowObjectsJson();
    expect(rows).toEqual([
      { id: 18, nueva: null, fecha: '2026-11-18' },
      { id: 19, nueva: 'x', fecha: '2026-11-19' },
    ]);
  });
});
