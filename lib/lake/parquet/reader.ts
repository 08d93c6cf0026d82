import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  type SchemaElement,
} from 'hyparquet';
import type { Column } from '../tables.ts';
import { ColumnMismatchError } from './errors.ts';
import type { Value } from './writer.ts';

/** A stored file: its bytes, or something that fetches ranges of them. */
export type ParquetInput = Uint8Array | AsyncBuffer;

export interface FileSummary {
  rowCount: number;
  /** Key-value pairs of the footer. */
  metadata: Readonly<Record<string, string>>;
  columnNames: readonly string[];
}

/** What the footer says; no row is read. */
export async function readFileMetadata(input: ParquetInput): Promise<FileSummary> {
  const footer = await readFooter(asyncBuffer(input));
  return {
    rowCount: Number(footer.num_rows),
    metadata: Object.fromEntries(
      (footer.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? '']),
    ),
    columnNames: footer.schema.slice(1).map(({ name }) => name),
  };
}

/** A run of rows as they stand in the file: `columns[i]` are the values of the i-th column asked for. */
export interface ReadRowGroup {
  firstRow: number;
  rowCount: number;
  columns: readonly (readonly Value[])[];
}

/**
 * Reads these columns, a row group at a time, exactly as a writer took them (see Value). A column that the
 * file lacks, because it was written before the column was, is all null; one of another type throws a
 * ColumnMismatchError.
 */
export async function* readRowGroups(
  input: ParquetInput,
  columns: readonly Column[],
): AsyncGenerator<ReadRowGroup> {
  const file = asyncBuffer(input);
  const footer = await readFooter(file);
  const present = columns.filter((column) => isPresent(column, footer));
  const scan = await parquetScan({
    file,
    metadata: asStored(footer),
    columns: present.map(({ name }) => name),
    compressors: {
      ZSTD: (bytes) => zstdDecompressSync(bytes),
      GZIP: (bytes) => gunzipSync(bytes),
    },
    parsers: { stringFromBytes },
  });
  let firstRow = 0;
  for (const group of footer.row_groups) {
    const rowCount = Number(group.num_rows);
    const range = { rowStart: firstRow, rowEnd: firstRow + rowCount };
    const values = await Promise.all(
      columns.map(async (column): Promise<Value[]> => {
        if (!present.includes(column)) return new Array<Value>(rowCount).fill(null);
        return Array.from(await scan.readColumn({ column: column.name, ...range }));
      }),
    );
    yield { firstRow, rowCount, columns: values };
    firstRow += rowCount;
  }
}

/** The rows of these columns one by one, by column name; what readRowGroups says holds here too. */
export async function* readRows(
  input: ParquetInput,
  columns: readonly Column[],
): AsyncGenerator<Record<string, Value>> {
  for await (const group of readRowGroups(input, columns)) {
    for (let row = 0; row < group.rowCount; row++) {
      yield Object.fromEntries(
        columns.map((column, index) => [column.name, group.columns[index]?.[row] ?? null]),
      );
    }
  }
}

function readFooter(file: AsyncBuffer): Promise<FileMetaData> {
  return parquetMetadataAsync(file, { geoparquet: false });
}

function asyncBuffer(input: ParquetInput): AsyncBuffer {
  if (!(input instanceof Uint8Array)) return input;
  return {
    byteLength: input.byteLength,
    // A copy: a Buffer may be a window on a larger pool, and its own slice does not copy.
    slice: (start, end) => new Uint8Array(input.subarray(start, end)).buffer,
  };
}

// hyparquet turns decimals into floats and moments into Dates of milliseconds. Without their annotations
// the numbers come as they are stored: unscaled decimals, microseconds, days.
function asStored(footer: FileMetaData): FileMetaData {
  const schema = footer.schema.map((element): SchemaElement => {
    if (element.type === undefined || element.type === 'BYTE_ARRAY') return element;
    const { converted_type, logical_type, ...stored } = element;
    return stored;
  });
  return { ...footer, schema };
}

// hyparquet's own decoder drops a byte-order mark at the start of a text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const stringFromBytes = (bytes: Uint8Array): string => utf8.decode(bytes);

function isPresent(column: Column, { schema }: FileMetaData): boolean {
  const element = schema.slice(1).find(({ name }) => name === column.name);
  if (element === undefined) return false;
  if (!isStoredAs(column, element)) {
    throw new ColumnMismatchError(column, [element.converted_type ?? '', element.type].join(' ').trim());
  }
  return true;
}

function isStoredAs(column: Column, { type, converted_type, logical_type, scale }: SchemaElement): boolean {
  switch (column.type) {
    case 'int32':
      return type === 'INT32' && converted_type !== 'DATE' && converted_type !== 'DECIMAL';
    case 'int64':
      return type === 'INT64' && converted_type !== 'DECIMAL' && logical_type?.type !== 'TIMESTAMP';
    case 'decimal(17,2)':
      return type === 'INT64' && converted_type === 'DECIMAL' && scale === 2;
    case 'timestamp':
      return type === 'INT64' && logical_type?.type === 'TIMESTAMP' && logical_type.unit === 'MICROS';
    case 'date':
      return type === 'INT32' && converted_type === 'DATE';
    case 'boolean':
      return type === 'BOOLEAN';
    case 'string':
    case 'json':
      return type === 'BYTE_ARRAY';
  }
}
