import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type FileMetaData, parquetScan, type SchemaElement } from 'hyparquet';
import { CfeLakeError } from '../../system/errors.ts';
import type { Column } from '../tables.ts';
import { isIntact, NO_CHECKSUM_YET } from './checksum.ts';
import { bytesOf, findFooter, parsedFooter } from './footer.ts';
import { ROW_GROUP_ROWS, type RowBatch, storedIn, type Value } from './writer.ts';
import { expectThat, WrongBytesError } from './wrong-bytes.ts';

/**
 * An object of the lake is not a Parquet file, or not as its writer left it: bytes were lost or changed. Reading it ends
 * with this error.
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

/** Reads the footer only, unless the file was read already. Throws DamagedObjectError. */
export async function readFileMetadata(input: ParquetInput): Promise<FileSummary> {
  const metadata = await orDamaged(input, footerOf(input));
  const pairs = metadata.key_value_metadata ?? [];
  const givenPairs = pairs.filter(({ key }) => key !== NO_CHECKSUM_YET.key);
  return {
    rowCount: Number(metadata.num_rows),
    rowGroupCount: metadata.row_groups.length,
    metadata: Object.fromEntries(givenPairs.map(({ key, value }) => [key, value ?? ''])),
    columnNames: metadata.schema.slice(1).map(({ name }) => name),
  };
}

async function footerOf(input: ParquetInput): Promise<FileMetaData> {
  return (await intact.get(input))?.metadata ?? parsedFooter(await findFooter(asyncBuffer(input)));
}

/**
 * Reads these columns, a row group at a time, exactly as a writer took them (see Value). A column that the file lacks,
 * because it is older than the column, is all null. Before any value is decoded, all bytes are compared with the file's
 * checksum: a decoder trusts lengths. Throws DamagedObjectError for any damage and for a column of another type.
 */
export async function* readRowGroups(
  input: ParquetInput,
  columns: readonly Column[],
): AsyncGenerator<RowBatch> {
  const { file, metadata } = await readIntact(input);
  const stored = new Map(metadata.schema.slice(1).map((element) => [element.name, element]));
  for (const column of columns) await orDamaged(input, expectType(column, stored.get(column.name)));
  const schema = metadata.schema.map(asStored);
  for (const group of metadata.row_groups) {
    const rowCount = Number(group.num_rows);
    // One for each row group, since it keeps the values that it has decoded.
    const scan = await parquetScan({
      file,
      metadata: { ...metadata, schema, row_groups: [group], num_rows: group.num_rows },
      useOffsetIndex: false,
      compressors: {
        ZSTD: (bytes, byteCount) => storedIn(bytes) ?? zstdDecompressSync(bytes, atMost(byteCount)),
        GZIP: (bytes, byteCount) => gunzipSync(bytes, atMost(byteCount)),
      },
      parsers: { stringFromBytes },
    });
    const values = columns.map(async ({ name }): Promise<Value[]> => {
      if (!stored.has(name)) return new Array<Value>(rowCount).fill(null);
      return Array.from(await scan.readColumn({ column: name, rowStart: 0, rowEnd: rowCount }));
    });
    yield { rowCount, columns: await Promise.all(values) };
  }
}

/** A page that has more bytes than its header says is not decompressed to its end. */
function atMost(byteCount: number): { maxOutputLength: number } {
  return { maxOutputLength: Math.max(byteCount, 1) };
}

// hyparquet turns decimals into floats and timestamps into Dates of milliseconds, and parses annotated texts. Without
// annotations, values come as they are stored: unscaled decimals, microseconds, days.
function asStored({ name, type, repetition_type, num_children }: SchemaElement): SchemaElement {
  if (type === undefined) return { name, num_children };
  return { name, type, repetition_type, ...(type === 'BYTE_ARRAY' && { converted_type: 'UTF8' }) };
}

// hyparquet's own decoder drops a byte-order mark at the start of a text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const stringFromBytes = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Up to this size a file is read at once and kept in memory while it is read. */
const WHOLE_BYTES = 32 * 2 ** 20;

/** No object has as many; a file of holes may have any number, and would be read for hours. */
const MOST_BYTES = 2 ** 35;

export interface IntactFile {
  file: AsyncBuffer;
  /** The footer as it is stored, beside what it says. */
  footer: Uint8Array;
  metadata: FileMetaData;
}

/** A file that was compared with its checksum, and its footer. Throws DamagedObjectError. */
export async function readIntact(input: ParquetInput): Promise<IntactFile> {
  return await orDamaged(input, intactFile(input));
}

/** Each is compared with its checksum once, however often it is read. */
const intact = new WeakMap<ParquetInput, Promise<IntactFile>>();

function intactFile(input: ParquetInput): Promise<IntactFile> {
  const known = intact.get(input) ?? openIntact(asyncBuffer(input));
  intact.set(input, known);
  return known;
}

/** Throws WrongBytesError if the file does not have the bytes that it was written with. */
async function openIntact(stored: AsyncBuffer): Promise<IntactFile> {
  const { byteLength } = stored;
  const file = byteLength <= WHOLE_BYTES ? asyncBuffer(await bytesOf(stored, 0, byteLength)) : stored;
  const place = await findFooter(file);
  expectThat(byteLength <= MOST_BYTES, `it has ${byteLength} bytes`);
  expectThat(await isIntact(file, place), 'its bytes are not those that were written');
  const metadata = parsedFooter(place);
  const isBounded = metadata.row_groups.every(({ num_rows: rowCount }) => rowCount <= ROW_GROUP_ROWS);
  // A few bytes may claim millions, which are in memory at once.
  expectThat(isBounded, `a row group of it has more than ${ROW_GROUP_ROWS} rows`);
  return { file, footer: place.bytes, metadata };
}

/** Throws a WrongBytesError as a DamagedObjectError. */
export async function orDamaged<T>(input: ParquetInput, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof WrongBytesError)) throw error;
    const name = input instanceof Uint8Array ? undefined : input.name;
    throw new DamagedObjectError(name ?? 'A file', error.message, { cause: error });
  }
}

export function asyncBuffer(input: ParquetInput): AsyncBuffer {
  if (!(input instanceof Uint8Array)) return input;
  return {
    byteLength: input.byteLength,
    // A copy: a Buffer may be a view of a larger pool, and its own slice does not copy.
    slice: (start, end) => new Uint8Array(input.subarray(start, end)).buffer,
  };
}

async function expectType(column: Column, element: SchemaElement | undefined): Promise<void> {
  const isTypeRight = element === undefined || isStoredAs(column, element);
  const { type, converted_type } = element ?? {};
  expectThat(isTypeRight, `its column ${column.name} is ${converted_type ?? type}, not ${column.type}`);
}

function isStoredAs(column: Column, { type, converted_type, logical_type, scale }: SchemaElement): boolean {
  switch (column.type) {
    case 'int32':
      return type === 'INT32' && converted_type !== 'DATE' && converted_type !== 'DECIMAL';
    case 'int64':
      return type === 'INT64' && converted_type !== 'DECIMAL' && logical_type?.type !== 'TIMESTAMP';
    case 'decimal(17,2)':
      return type === 'INT64' && converted_type === 'DECIMAL' && scale === 2;
    case 'decimal(17,6)':
      return type === 'INT64' && converted_type === 'DECIMAL' && scale === 6;
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
