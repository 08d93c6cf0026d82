import { buffer } from 'node:stream/consumers';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { writeWithParquetjsLite } from '../../../lib/lake/parquet/parquetjs-lite.ts';
import type { ParquetFile, ParquetWriter } from '../../../lib/lake/parquet/writer.ts';
import { type Row, rowsOf } from '../../../lib/lake/parquet/writer.ts';
import type { Column, ColumnType } from '../../../lib/lake/tables.ts';

export type { Row };

export const ALL_WRITERS: { name: string; write: ParquetWriter }[] = [
  { name: 'hyparquet', write: writeWithHyparquet },
  { name: 'parquetjs-lite', write: writeWithParquetjsLite },
];

export function column(name: string, type: ColumnType, required = false): Column {
  return { name, type, meaning: `A ${type} for tests`, ...(required && { required: true }) };
}

/** A required row number, and a nullable column of each type named after it. */
export const EVERY_TYPE: readonly Column[] = [
  column('row', 'int64', true),
  column('int32', 'int32'),
  column('int64', 'int64'),
  column('decimal', 'decimal(17,2)'),
  column('timestamp', 'timestamp'),
  column('date', 'date'),
  column('boolean', 'boolean'),
  column('string', 'string'),
  column('json', 'json'),
];

export const ALL_NULL: Row = Object.fromEntries(EVERY_TYPE.slice(1).map(({ name }) => [name, null]));

export async function bytesOf(
  write: ParquetWriter,
  columns: readonly Column[],
  rows: ParquetFile['rows'] | readonly Row[],
  metadata: Record<string, string> = {},
): Promise<Buffer> {
  const source = 'rowCount' in rows || Symbol.asyncIterator in rows ? rows : rowsOf(columns, rows);
  return await buffer(write({ columns, rows: source, metadata }));
}
