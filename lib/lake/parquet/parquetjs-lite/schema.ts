import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import thrift, { type SchemaElement, type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import compression from 'parquetjs-lite/lib/compression.js';
import schema, { type FieldOptions, type ParquetSchema } from 'parquetjs-lite/lib/schema.js';
import type { Column, ColumnType } from '../../tables.ts';
import { numberOf } from './enumerations.ts';

// The one thing that is changed in the library, and it only adds: a schema refuses codecs not listed there.
compression.PARQUET_COMPRESSION_METHODS.ZSTD ??= { deflate: zstdCompressSync, inflate: zstdDecompressSync };

/** The library's schema of these columns: how they are stored, not yet what they mean. */
export function parquetSchema(columns: readonly Column[]): ParquetSchema {
  const fields: Record<string, FieldOptions> = {};
  for (const { name, type, required } of columns) {
    fields[name] = { type: STORED_AS[type], optional: !required, compression: 'ZSTD', statistics: false };
  }
  return new schema.ParquetSchema(fields);
}

// The library's INT64 is exact once its rounding conversion is not asked: values come as bigints already.
const STORED_AS: Readonly<Record<ColumnType, string>> = {
  int32: 'INT32',
  int64: 'INT64',
  'decimal(17,2)': 'INT64',
  timestamp: 'INT64',
  date: 'INT32',
  boolean: 'BOOLEAN',
  string: 'BYTE_ARRAY',
  json: 'BYTE_ARRAY',
};

/** The columns as the footer tells them, with what the library leaves out: scale, precision, logical type. */
export function schemaElements(columns: readonly Column[]): ThriftStruct[] {
  const root = new thrift.SchemaElement({ name: 'schema', num_children: columns.length });
  const leaves = columns.map(
    ({ name, type, required }) =>
      new thrift.SchemaElement({
        name,
        type: numberOf(thrift.Type, STORED_AS[type]),
        repetition_type: numberOf(thrift.FieldRepetitionType, required ? 'REQUIRED' : 'OPTIONAL'),
        ...MEANING[type],
      }),
  );
  return [root, ...leaves];
}

const TEXT = {
  converted_type: numberOf(thrift.ConvertedType, 'UTF8'),
  logicalType: new thrift.LogicalType({ STRING: new thrift.StringType() }),
};

const MEANING: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  int32: {},
  int64: {},
  'decimal(17,2)': {
    converted_type: numberOf(thrift.ConvertedType, 'DECIMAL'),
    precision: 17,
    scale: 2,
    logicalType: new thrift.LogicalType({ DECIMAL: new thrift.DecimalType({ precision: 17, scale: 2 }) }),
  },
  // No converted type beside it: TIMESTAMP_MICROS means an instant in UTC.
  timestamp: {
    logicalType: new thrift.LogicalType({
      TIMESTAMP: new thrift.TimestampType({
        isAdjustedToUTC: false,
        unit: new thrift.TimeUnit({ MICROS: new thrift.MicroSeconds() }),
      }),
    }),
  },
  date: {
    converted_type: numberOf(thrift.ConvertedType, 'DATE'),
    logicalType: new thrift.LogicalType({ DATE: new thrift.DateType() }),
  },
  boolean: {},
  string: TEXT,
  // Not annotated as JSON: the Glue column is a string, and readers differ in what they make of JSON.
  json: TEXT,
};
