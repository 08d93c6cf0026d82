import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { RECEIPT_TYPES_VIEW } from '../lake/receipt-types.ts';
import { assertLakeFolder } from '../lake/store/open-store.ts';
import { type Column, TABLES, type Table } from '../lake/tables.ts';

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

/** What Athena has as a view too. */
const RECEIPT_TYPES = `CREATE VIEW ${RECEIPT_TYPES_VIEW.name} AS ${RECEIPT_TYPES_VIEW.sql}`;

/** So that current_date is the day in Uruguay, wherever the question is asked. */
const ZONE = "SET TimeZone = 'America/Montevideo'";

/** Days of the partitions to ask, `YYYY-MM-DD`; a bound left out is open. */
export interface PartitionRange {
  from?: string;
  to?: string;
}

/** A database over a lake in a folder: its tables under the names that they have in Athena. */
export interface LakeDatabase {
  connection: DuckDBConnection;
  /** Names of the tables that have no object at all. */
  emptyTables: readonly string[];
  close(): void;
}

/** Opens the lake in a folder for SQL, read only, with the partitions of the range. Throws LakeMissingError. */
export async function openLakeDatabase(folder: string, range: PartitionRange = {}): Promise<LakeDatabase> {
  await assertLakeFolder(folder);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const definition of [ZONE, ...ATHENA_FUNCTIONS, RECEIPT_TYPES]) await connection.run(definition);
  const emptyTables: string[] = [];
  for (const table of TABLES) {
    const pattern = join(folder, table.name, `${table.partition}=*`, '*.parquet');
    const isEmpty = !(await hasFiles(pattern));
    if (isEmpty) emptyTables.push(table.name);
    await connection.run(viewOf(table, isEmpty ? undefined : filesOf(table, pattern, range)));
  }
  return {
    connection,
    emptyTables,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The table as a view with every column that is defined now; files from before a column was have it null. */
function viewOf(table: Table, files: string | undefined): string {
  const columns = [...table.columns, { name: table.partition, type: 'date' as const }];
  const empty = columns.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`);
  const emptyTable = `SELECT ${empty.join(', ')} WHERE false`;
  const body = files === undefined ? emptyTable : `${emptyTable} UNION ALL BY NAME ${files}`;
  return `CREATE VIEW ${table.name} AS ${body}`;
}

function filesOf({ partition }: Table, pattern: string, { from, to }: PartitionRange): string {
  const options = `hive_partitioning = true, hive_types = {'${partition}': DATE}, union_by_name = true`;
  const bounds = [
    ...(from === undefined ? [] : [`${partition} >= DATE ${quoted(from)}`]),
    ...(to === undefined ? [] : [`${partition} <= DATE ${quoted(to)}`]),
  ];
  const condition = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`;
  return `SELECT * FROM read_parquet(${quoted(pattern)}, ${options})${condition}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function hasFiles(pattern: string): Promise<boolean> {
  for await (const _file of glob(pattern)) return true;
  return false;
}
