import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RECEIPT_TYPES, RECEIPT_TYPES_VIEW } from '../../lib/lake/receipt-types.ts';
import { TABLES, type Table } from '../../lib/lake/tables.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const PAGE = new URL('../../docs/athena.md', import.meta.url);
const RENDERED = '<!-- From here to the end: rendered. -->\n';

/** Athena's names of the types that it calls otherwise. */
const ATHENA_TYPES: Readonly<Record<string, string>> = {
  int32: 'integer',
  int64: 'bigint',
  string: 'varchar',
  json: 'varchar (JSON)',
};

const PARTITIONS: Readonly<Record<Table['partition'], string>> = {
  fecha: 'issue date, or day of the rate; restrict it, so that only those days are read',
  fecha_corrida: 'day in Uruguay on which the run began',
};

function rowOf(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function sectionOf(
  { name, meaning }: { name: string; meaning: string },
  columns: readonly { name: string; type: string; meaning: string }[],
): string {
  const rows = columns.map((column) =>
    rowOf([`\`${column.name}\``, ATHENA_TYPES[column.type] ?? column.type, column.meaning]),
  );
  return [`## ${name}`, '', `${meaning}.`, '', '| Column | Type | Meaning |', '|---|---|---|', ...rows].join(
    '\n',
  );
}

/** The page with its list of queries, and all from the mark on, as they should be. */
function athenaPage(text: string): string {
  const queries = namedQueries().map(({ name, alias, summary }) =>
    rowOf([`[\`${name}\`](../lib/query/named/${name}.sql)`, `\`${alias}\``, summary]),
  );
  const tables = TABLES.map((table) => {
    const { partition } = table;
    const last = { name: partition, type: 'date', meaning: `Partition: ${PARTITIONS[partition]}` };
    return sectionOf(table, [...table.columns, last]);
  });
  const types = RECEIPT_TYPES.filter(({ code }) => code < 200).map(({ code, name, sign, kind }) =>
    rowOf([code, name, sign, kind]),
  );
  const head = text.slice(0, text.indexOf('| Name | Or | Asks for |'));
  return `${head}${['| Name | Or | Asks for |', '|---|---|---|', ...queries].join('\n')}

${RENDERED}
${tables.join('\n\n')}

${sectionOf(RECEIPT_TYPES_VIEW, RECEIPT_TYPES_VIEW.columns)}

${[rowOf(RECEIPT_TYPES_VIEW.columns.map(({ name }) => name)), '|---|---|---|---|', ...types].join('\n')}
`;
}

describe('docs/athena.md', () => {
  const page = readFileSync(PAGE, 'utf8');

  it('lists the tables and the named queries that there are now', async () => {
    await expect(athenaPage(page)).toMatchFileSnapshot('../../docs/athena.md');
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
