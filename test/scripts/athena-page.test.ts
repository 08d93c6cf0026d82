import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { athenaPage } from '../../scripts/athena-page.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const page = athenaPage();

describe('docs/athena.md', () => {
  it('is what the tables and the named queries are now', async () => {
    await expect(page).toMatchFileSnapshot('../../docs/athena.md');
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
