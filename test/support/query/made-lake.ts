import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { writeWithParquetjsLite } from '../../../lib/lake/parquet/parquetjs-lite.ts';
import { type ParquetWriter, rowsOf, type Value } from '../../../lib/lake/parquet/writer.ts';
import { COTIZACIONES, type Column, TABLES, type Table } from '../../../lib/lake/tables.ts';
import { newFolder } from '../lake/lake-folder.ts';
import { askNamed } from './ask-named.ts';
import { scaled, type TextRow } from './exact-sums.ts';
import { openLakeDatabase } from './lake-database.ts';

/** A row as texts by column, with `fecha` or `fecha_corrida`. Absent columns are null. */
export type MadeRow = Readonly<Record<string, string | number>>;

/** A lake of exactly these rows, by table, to ask named queries on a given day. */
export async function madeLake(
  rows: Readonly<Record<string, readonly MadeRow[]>>,
): Promise<(name: string, today: string) => Promise<TextRow[]>> {
  const database = await openLakeDatabase(await madeLakeFolder(rows));
  onTestFinished(() => database.close());
  return (name, today) => askNamed(database, name, today);
}

/** A folder with a lake of exactly these rows, by table. Unless another is given, it is removed when the test ends. */
export async function madeLakeFolder(
  rows: Readonly<Record<string, readonly MadeRow[]>>,
  folder = newFolder(),
): Promise<string> {
  for (const [name, members] of Object.entries(rows)) {
    const table = TABLES.find((candidate) => candidate.name === name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    const days = Map.groupBy(members, (row) => String(row[table.partition]));
    for (const [day, onDay] of days) {
      const path = join(folder, name, `${table.partition}=${day}`, nameIn(table));
      await mkdir(dirname(path), { recursive: true });
      const values = onDay.map((row) =>
        Object.fromEntries(
          table.columns.map((column) => [column.name, columnValue(column, row[column.name])]),
        ),
      );
      const { columns } = table;
      await writeFile(path, writerOf(table)({ columns, rows: rowsOf(columns, values), metadata: {} }));
    }
  }
  return folder;
}

function writerOf(table: Table): ParquetWriter {
  return table === COTIZACIONES ? writeWithParquetjsLite : writeWithHyparquet;
}

function nameIn({ partition }: Table): string {
  return partition === 'fecha' ? 'dia.parquet' : '20261120020000-nocturna.parquet';
}

function columnValue({ type }: Column, value: string | number | undefined): Value {
  if (value === undefined) return null;
  if (type === 'int32') return Number(value);
  if (type === 'int64') return BigInt(value);
  if (type === 'decimal(17,2)') return scaled(value, 2);
  if (type === 'decimal(17,6)') return scaled(value, 6);
  if (type === 'timestamp') return BigInt(Date.parse(`${value}Z`)) * 1000n;
  if (type === 'boolean') return value === 'true';
  if (type === 'date') return Date.parse(String(value)) / 86_400_000;
  return String(value);
}
