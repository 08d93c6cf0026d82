import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import type { Row } from './files.ts';

/**
 * Runs SQL in which `FILE` stands for the Parquet file and `OTHER` for one that may be written beside it;
 * values come as the writers take them.
 */
export async function queryFile(bytes: Uint8Array, sql: string): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const path = join(folder, 'file.parquet');
    await writeFile(path, bytes);
    const result = await connection.runAndReadAll(
      sql.replaceAll('FILE', `'${path}'`).replaceAll('OTHER', `'${path}.other'`),
    );
    return result
      .getRowObjects()
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asWritten(value)])));
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

function asWritten(value: DuckDBValue): Value {
  if (value instanceof DuckDBDecimalValue) return value.value;
  if (value instanceof DuckDBTimestampValue) return value.micros;
  if (value instanceof DuckDBDateValue) return value.days;
  switch (typeof value) {
    case 'bigint':
    case 'number':
    case 'boolean':
    case 'string':
      return value;
    default:
      return value === null ? null : String(value);
  }
}
