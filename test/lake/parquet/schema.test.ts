import { parquetMetadata } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { TABLES } from '../../../lib/lake/tables.ts';
import { queryFile } from './duckdb.ts';
import { ALL_NULL, ALL_WRITERS, bytesOf, column, EVERY_TYPE } from './files.ts';

const DUCKDB_TYPES = {
  int32: 'INTEGER',
  int64: 'BIGINT',
  'decimal(17,2)': 'DECIMAL(17,2)',
  'decimal(17,6)': 'DECIMAL(17,6)',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
  json: 'VARCHAR',
};

describe.each(ALL_WRITERS)('$name', ({ write }) => {
  test.each(TABLES)('declares the columns of $name as the table does', async ({ columns }) => {
    const bytes = await bytesOf(write, columns, []);

    const described = await queryFile(bytes, 'DESCRIBE SELECT * FROM FILE');

    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(
      columns.map(({ name, type }) => [name, DUCKDB_TYPES[type]]),
    );
  });

  test('makes required columns required and the others optional', async () => {
    const bytes = await bytesOf(
      write,
      [column('a', 'int64', true), column('b', 'int64')],
      [{ a: 1n, b: null }],
    );

    const schema = await queryFile(bytes, 'SELECT name, repetition_type FROM parquet_schema(FILE) OFFSET 1');

    expect(schema).toEqual([
      { name: 'a', repetition_type: 'REQUIRED' },
      { name: 'b', repetition_type: 'OPTIONAL' },
    ]);
  });

  test('annotates each type in the old and the new way, and timestamps as local in the new one only', async () => {
    const bytes = await bytesOf(write, EVERY_TYPE, []);

    const schema = parquetMetadata(bytes).schema.slice(1);

    const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    expect(
      Object.fromEntries(
        schema.map(({ name, type, converted_type, logical_type, precision, scale }) => [
          name,
          { type, converted_type, logical_type, precision, scale },
        ]),
      ),
    ).toEqual({
      row: { type: 'INT64' },
      int32: { type: 'INT32' },
      int64: { type: 'INT64' },
      decimal: {
        type: 'INT64',
        converted_type: 'DECIMAL',
        logical_type: { type: 'DECIMAL', precision: 17, scale: 2 },
        precision: 17,
        scale: 2,
      },
      timestamp: {
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
      },
      date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
      boolean: { type: 'BOOLEAN' },
      string: text,
      json: text,
    });
  });

  test('compresses every column with ZSTD', async () => {
    const bytes = await bytesOf(write, EVERY_TYPE, [{ row: 1n, ...ALL_NULL }]);

    const codecs = await queryFile(bytes, 'SELECT DISTINCT compression FROM parquet_metadata(FILE)');

    expect(codecs).toEqual([{ compression: 'ZSTD' }]);
  });

  test('keeps metadata in the footer, even without rows', async () => {
    const metadata = { sha256: 'abc', 'ñ 🧾': 'value\nof two lines', empty: '' };
    const bytes = await bytesOf(write, EVERY_TYPE, [], metadata);

    const pairs = await queryFile(
      bytes,
      'SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(FILE)',
    );

    expect(Object.fromEntries(pairs.map(({ key, value }) => [key, value]))).toEqual({
      ...metadata,
      'cfe-lake.sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('names the lake as its maker, whatever library wrote it', async () => {
    const bytes = await bytesOf(write, EVERY_TYPE, []);

    const [file] = await queryFile(bytes, 'SELECT created_by FROM parquet_file_metadata(FILE)');

    expect(file).toEqual({ created_by: 'cfe-lake version 1' });
  });

  test('writes the same bytes for the same rows, and metadata in any order', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => ({ ...ALL_NULL, row: BigInt(i), string: `${i % 9}` }));

    const first = await bytesOf(write, EVERY_TYPE, rows, { a: '1', b: '2' });
    const second = await bytesOf(write, EVERY_TYPE, structuredClone(rows), { b: '2', a: '1' });

    expect(first.equals(second)).toBe(true);
  });
});
