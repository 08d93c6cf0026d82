import type { Column, Table } from '../lake/tables.ts';

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

/**
 * The statement that shows a table's files under its name, with every column that is defined now, and no other; files
 * from before a column was have it null. Of files that are `alike` only the first is looked into.
 */
export function showTable(table: Table, paths: readonly string[], { alike }: { alike: boolean }): string {
  const { name, partition } = table;
  const options = `hive_partitioning = true, hive_types = {'${partition}': DATE}, union_by_name = ${!alike}`;
  const files = `UNION ALL BY NAME SELECT * FROM read_parquet([${paths.map(quoted)}], ${options})`;
  const names = [...table.columns.map((column) => column.name), partition].join(', ');
  return (
    `CREATE OR REPLACE VIEW ${name} AS ` +
    `SELECT ${names} FROM (${emptyTable(table)} ${paths.length === 0 ? '' : files})`
  );
}

/** No rows, of the table's columns. */
export function emptyTable({ columns, partition }: Table): string {
  const all = [...columns, { name: partition, type: 'date' as const }];
  return `SELECT ${all.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`).join(', ')} WHERE false`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
