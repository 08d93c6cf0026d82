import { type AsyncBuffer, type FileMetaData, parquetScan, type SchemaElement } from 'hyparquet';
import { CfeLakeError } from '../../system/errors.ts';
import type { Column } from '../tables.ts';
import {
  bytesOf,
  type CheckedChunk,
  expectThat,
  readCheckedFooter,
  WrongBytesError,
} from './footer-checks.ts';
import { checkedPages, ReadMemory } from './page-checks.ts';
import type { RowBatch, Value } from './writer.ts';

/**
 * An object of the lake is not a Parquet file, or not as its writer left it: bytes were lost or changed. Reading it ends
 * with this error, in time and memory bounded by its size.
 */
export class DamagedObjectError extends CfeLakeError {
  override readonly name = 'DamagedObjectError';

  /** `object`: its key and store. */
  constructor(object: string, whatIsWrong: string, options?: ErrorOptions) {
    super(`${object} is damaged, or not a Parquet file: ${whatIsWrong}.`, {
      ...options,
      advice:
        'Restore a copy (in a bucket, an earlier version). If there is none, move the object away and export its ' +
        'days again; rows that the API no longer lists were only in it.',
    });
  }
}

/** Does the work. An object's damage is noted, not thrown: undefined. */
export async function notingDamage<T>(
  note: (reason: string) => void,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedObjectError)) throw error;
    note(error.message);
    return undefined;
  }
}

/** A stored file: its bytes, or something that fetches ranges of them. `name` is for errors. */
export type ParquetInput = Uint8Array | (AsyncBuffer & { readonly name?: string });

export interface FileSummary {
  rowCount: number;
  rowGroupCount: number;
  metadata: Readonly<Record<string, string>>;
  columnNames: readonly string[];
}

/** Reads the footer only. Throws DamagedObjectError. */
export async function readFileMetadata(input: ParquetInput): Promise<FileSummary> {
  const { metadata } = await orDamaged(input, readCheckedFooter(asyncBuffer(input)));
  return {
    rowCount: Number(metadata.num_rows),
    rowGroupCount: metadata.row_groups.length,
    metadata: Object.fromEntries(
      (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? '']),
    ),
    columnNames: metadata.schema.slice(1).map(({ name }) => name),
  };
}

/**
 * Reads these columns, a row group at a time, exactly as a writer took them (see Value). A column that the file lacks,
 * because it is older than the column, is all null. Throws DamagedObjectError for
 * any damage and for a column of another type, with no more work than a valid file of the lake could take. Damage that leaves a
 * valid file is not noticed here.
 */
export async function* readRowGroups(
  input: ParquetInput,
  columns: readonly Column[],
  memory = new ReadMemory(),
): AsyncGenerator<RowBatch> {
  const file = asyncBuffer(input);
  const footer = await orDamaged(input, readCheckedFooter(file));
  for (const { rowCount, chunks } of footer.rowGroups) {
    memory.beginRowGroup();
    const values = columns.map(async (column): Promise<Value[]> => {
      const chunk = chunks.get(column.name);
      if (chunk === undefined) return new Array<Value>(rowCount).fill(null);
      const { type = '', converted_type = '' } = chunk.column;
      const isOfType = isStoredAs(column, chunk.column);
      expectThat(isOfType, `its column ${column.name} is ${converted_type || type}, not ${column.type}`);
      return await chunkValues(chunk, await bytesOf(file, chunk.start, chunk.end), memory);
    });
    yield { rowCount, columns: await orDamaged(input, Promise.all(values)) };
  }
}

/**
 * Decodes a column chunk with hyparquet. The pages are checked first, since hyparquet trusts what they say about
 * themselves. Throws WrongBytesError.
 */
async function chunkValues(
  chunk: CheckedChunk,
  bytes: Uint8Array<ArrayBuffer>,
  memory: ReadMemory,
): Promise<Value[]> {
  const { column, rowCount } = chunk;
  if (rowCount === 0) return [];
  const { nullCount, inflateNext } = checkedPages(chunk, bytes, memory);
  try {
    const scan = await parquetScan({
      file: { byteLength: bytes.length, slice: () => bytes.buffer },
      metadata: metadataOf(chunk, bytes.length),
      useOffsetIndex: false,
      compressors: { ZSTD: inflateNext, GZIP: inflateNext },
      parsers: { stringFromBytes },
    });
    const values = Array.from(await scan.readColumn({ column: column.name, rowStart: 0, rowEnd: rowCount }));
    expectThat(values.length === rowCount, 'a column does not have as many values as it says');
    expectKind(values, KIND[column.type ?? ''], nullCount, memory);
    return values;
  } catch (error) {
    if (error instanceof WrongBytesError) throw error;
    throw new WrongBytesError('its values cannot be decoded', { cause: error });
  }
}

/** What values of a physical type are in JavaScript. */
const KIND: Readonly<Record<string, string>> = {
  BOOLEAN: 'boolean',
  INT32: 'number',
  INT64: 'bigint',
  BYTE_ARRAY: 'string',
};

/** A wrong index gives `undefined`, a wrong encoding values of another kind. */
function expectKind(
  values: readonly Value[],
  kind: string | undefined,
  nullCount: number | undefined,
  memory: ReadMemory,
): void {
  let characters = 0;
  let nulls = 0;
  for (const value of values) {
    if (value === null) nulls += 1;
    else expectThat(typeof value === kind, 'a value is not in its dictionary, or not of its type');
    if (typeof value === 'string') characters += value.length;
  }
  expectThat(nulls === (nullCount ?? nulls), 'it does not have as many nulls as it says');
  memory.add(characters);
}

/** The metadata of a file that has only this chunk. */
function metadataOf({ column, codec, rowCount }: CheckedChunk, byteCount: number): FileMetaData {
  const rows = BigInt(rowCount);
  const meta_data = {
    type: column.type ?? 'BYTE_ARRAY',
    encodings: [],
    path_in_schema: [column.name],
    codec,
    num_values: rows,
    total_compressed_size: BigInt(byteCount),
    total_uncompressed_size: 0n,
    data_page_offset: 0n,
  };
  return {
    version: 2,
    schema: [{ name: 'schema', num_children: 1 }, asStored(column)],
    num_rows: rows,
    row_groups: [{ columns: [{ file_offset: 0n, meta_data }], total_byte_size: 0n, num_rows: rows }],
    metadata_length: 0,
  };
}

// hyparquet turns decimals into floats and timestamps into Dates of milliseconds, and parses annotated texts. Without
// annotations, values come as they are stored: unscaled decimals, microseconds, days.
function asStored({ name, type, repetition_type }: SchemaElement): SchemaElement {
  return { name, type, repetition_type, ...(type === 'BYTE_ARRAY' && { converted_type: 'UTF8' }) };
}

// hyparquet's own decoder drops a byte-order mark at the start of a text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const stringFromBytes = (bytes: Uint8Array): string => utf8.decode(bytes);

async function orDamaged<T>(input: ParquetInput, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof WrongBytesError)) throw error;
    const name = input instanceof Uint8Array ? undefined : input.name;
    throw new DamagedObjectError(name ?? 'A file', error.message, { cause: error });
  }
}

function asyncBuffer(input: ParquetInput): AsyncBuffer {
  if (!(input instanceof Uint8Array)) return input;
  return {
    byteLength: input.byteLength,
    // A copy: a Buffer may be a view of a larger pool, and its own slice does not copy.
    slice: (start, end) => new Uint8Array(input.subarray(start, end)).buffer,
  };
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
