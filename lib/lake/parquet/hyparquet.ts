import type { ColumnChunk, Encoding, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import type { Column, ColumnType } from '../tables.ts';
import { type ColumnValues, columnValues } from './column-values.ts';
import { writeTypedChunk } from './typed/chunk.ts';
import { hasFewDistinct } from './typed/integers.ts';
import type { TypedValues } from './typed/values.ts';
import { CREATED_BY, footerPairs, type ParquetFile, ROW_GROUP_ROWS, type Value } from './writer.ts';
import { zstd } from './zstd.ts';

const PAGE_BYTES = 1_048_576;

const compressors = { ZSTD: zstd };

/** Writes with hyparquet-writer: ZSTD, dictionaries or deltas, min/max of every column of a row group. */
export async function* writeWithHyparquet(file: ParquetFile): AsyncGenerator<Uint8Array> {
  const { columns, rows } = file;
  const output = new RowGroupBytes();
  const writer = new ParquetWriter({
    writer: output,
    schema: [{ name: 'schema', num_children: columns.length }, ...columns.map(schemaElement)],
    codec: 'ZSTD',
    compressors,
    kvMetadata: footerPairs(file),
    createdBy: CREATED_BY,
  });
  for (let start = 0; start < rows.rowCount; start += ROW_GROUP_ROWS) {
    const end = Math.min(start + ROW_GROUP_ROWS, rows.rowCount);
    writeRowGroup(writer, file, start, end);
    yield output.take();
  }
  writer.finish();
  yield output.take();
}

/**
 * The same as ParquetWriter.write, but a column's values are asked for when its turn comes and are neither
 * copied nor compared again for statistics: measured, two thirds of the CPU and three quarters of the memory.
 */
function writeRowGroup(writer: ParquetWriter, { columns, rows }: ParquetFile, start: number, end: number) {
  const startOffset = writer.writer.offset;
  const chunks = columns.map(
    (column, index) =>
      writeTyped(writer, column, rows.typedValues?.(index, start, end)) ??
      writeChunk(writer, column, columnValues(rows, column, index, start, end)),
  );
  let uncompressedBytes = 0n;
  for (const chunk of chunks) uncompressedBytes += chunk.meta_data?.total_uncompressed_size ?? 0n;
  writer.row_groups.push({
    columns: chunks,
    num_rows: BigInt(end - start),
    total_byte_size: uncompressedBytes,
    total_compressed_size: BigInt(writer.writer.offset - startOffset),
  });
  writer.num_rows += BigInt(end - start);
}

function writeTyped(writer: ParquetWriter, column: Column, typed: TypedValues | undefined) {
  return (
    typed &&
    writeTypedChunk(writer.writer, typed, {
      column,
      type: PHYSICAL[column.type].type,
      compress: zstd,
      hasSmallDeltas: DELTA_TYPES.has(column.type),
    })
  );
}

function writeChunk(writer: ParquetWriter, column: Column, data: ColumnValues): ColumnChunk {
  const { name, type, repetition_type, converted_type } = schemaElement(column);
  // Numbers come as they are stored: without the annotation, the encoder does not copy them to convert them.
  const element: SchemaElement = {
    name,
    type,
    repetition_type,
    ...(type === 'BYTE_ARRAY' && { converted_type }),
  };
  const { chunk } = writeColumn({
    writer: writer.writer,
    column: {
      columnName: column.name,
      element,
      schemaPath: [{ name: 'schema' }, element],
      codec: 'ZSTD',
      compressors,
      stats: false,
      // Only text can outgrow a page in one row group; 0 means one page, without measuring.
      pageSize: element.type === 'BYTE_ARRAY' ? PAGE_BYTES : 0,
      columnIndex: false,
      offsetIndex: false,
      ...encodingOf(column, data),
    },
    pageData: {
      values: data.values as Value[],
      definitionLevels: column.required ? [] : definitionLevels(data),
      repetitionLevels: [],
      maxDefinitionLevel: column.required ? 0 : 1,
    },
  });
  if (chunk.meta_data) {
    chunk.meta_data.statistics = {
      min_value: data.bounds?.least,
      max_value: data.bounds?.greatest,
      null_count: BigInt(data.nullCount),
    };
  }
  return chunk;
}

function definitionLevels({ values, nullCount }: ColumnValues): number[] {
  if (nullCount === 0) return new Array<number>(values.length).fill(1);
  return values.map((value) => (value === null ? 0 : 1));
}

// Ids, receipt numbers and moments rise from row to row, so their differences are small. Amounts do not:
// there deltas come out larger than plain values under zstd.
const DELTA_TYPES: ReadonlySet<ColumnType> = new Set(['int32', 'int64', 'timestamp', 'date']);

function encodingOf(column: Column, { values, bounds }: ColumnValues): { encoding?: Encoding } {
  if (!DELTA_TYPES.has(column.type) || bounds === undefined || hasFewDistinct(values)) return {};
  return { encoding: 'DELTA_BINARY_PACKED' };
}

function schemaElement(column: Column): SchemaElement {
  const repetition_type = column.required ? 'REQUIRED' : 'OPTIONAL';
  return { name: column.name, repetition_type, ...PHYSICAL[column.type] };
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const PHYSICAL: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  'decimal(17,2)': {
    type: 'INT64',
    converted_type: 'DECIMAL',
    precision: 17,
    scale: 2,
    logical_type: { type: 'DECIMAL', precision: 17, scale: 2 },
  },
  // No converted type beside it: TIMESTAMP_MICROS means an instant in UTC.
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  boolean: { type: 'BOOLEAN' },
  string: TEXT,
  // Not annotated as JSON: the Glue column is a string, and readers differ in what they make of JSON.
  json: TEXT,
};

/** Holds the bytes of one row group until they are taken; `offset` keeps counting over the whole file. */
class RowGroupBytes extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}
