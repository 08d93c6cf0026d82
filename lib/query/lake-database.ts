import { access, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Column, TABLES, type Table } from '../lake/tables.ts';

/** There is nothing to ask. */
export class LakeMissingError extends Error {
  override name = 'LakeMissingError';
  constructor(folder: string) {
    super(`There is no lake at ${folder}. Export something first, or name another with --lake.`);
  }
}

const DUCKDB_TYPES: Readonly<Record<Column['type'], string>> = {
  int32: 'INTEGER',
  int64: 'BIGINT',
  'decimal(17,2)': 'DECIMAL(17,2)',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
  json: 'VARCHAR',
};

/** Functions that Athena has under other names, so that the same SQL runs in both. */
const ATHENA_FUNCTIONS = [
  // Of an object or array Athena gives null.
  `CREATE MACRO json_extract_scalar(document, path) AS
     CASE WHEN json_type(document, path) NOT IN ('OBJECT', 'ARRAY') THEN json_extract_string(document, path) END`,
  'CREATE MACRO json_parse(document) AS CAST(document AS JSON)',
];

/** A database over a lake in a folder: its tables under the names that they have in Athena. */
export interface LakeDatabase {
  connection: DuckDBConnection;
  close(): void;
}

/** Opens the lake in a folder for SQL, read only. Throws LakeMissingError. */
export async function openLakeDatabase(folder: string): Promise<LakeDatabase> {
  await access(folder).catch(() => {
    throw new LakeMissingError(folder);
  });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const definition of ATHENA_FUNCTIONS) await connection.run(definition);
  for (const table of TABLES) await connection.run(await viewOf(table, folder));
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The table as a view with every column that is defined now; files from before a column was have it null. */
async function viewOf(table: Table, folder: string): Promise<string> {
  const pattern = join(folder, table.name, `${table.partition}=*`, '*.parquet');
  const columns = [...table.columns, { name: table.partition, type: 'date' as const }];
  const empty = columns.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`);
  const emptyTable = `SELECT ${empty.join(', ')} WHERE false`;
  const body = (await hasFiles(pattern))
    ? `${emptyTable} UNION ALL BY NAME ${filesOf(table, pattern)}`
    : emptyTable;
  return `CREATE VIEW ${table.name} AS ${body}`;
}

function filesOf({ partition }: Table, pattern: string): string {
  const options = `hive_partitioning = true, hive_types = {'${partition}': DATE}, union_by_name = true`;
  return `SELECT * FROM read_parquet('${pattern.replaceAll("'", "''")}', ${options})`;
}

async function hasFiles(pattern: string): Promise<boolean> {
  for await (const _file of glob(pattern)) return true;
  return false;
}
