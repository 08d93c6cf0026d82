import {
  type AsyncBuffer,
  type ColumnChunk,
  type CompressionCodec,
  type FileMetaData,
  parquetMetadata,
  type SchemaElement,
} from 'hyparquet';
import { CfeLakeError } from '../../system/errors.ts';

/** The bytes are not a valid file of the lake. The message says what is wrong, and shows nothing of the rows. */
export class WrongBytesError extends CfeLakeError {
  override name = 'WrongBytesError';
}

/** Throws WrongBytesError unless `isSo`. */
export function expectThat(isSo: boolean, whatIsWrong: string): asserts isSo {
  if (!isSo) throw new WrongBytesError(whatIsWrong);
}

/** An integer from 0 to `most`. Throws WrongBytesError. */
export function countOf(value: unknown, most: number, what: string): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= most;
  expectThat(isCount, `it gives an impossible ${what}`);
  return count;
}

/** Of 64 bits. */
const MAX_VARINT_BYTES = 10;

/** Reads bytes in order. Throws WrongBytesError rather than go past their end. */
export class ByteReader {
  offset = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  byte(): number {
    const byte = this.bytes[this.offset];
    expectThat(byte !== undefined, 'it is cut');
    this.offset += 1;
    return byte;
  }

  skip(count: number): void {
    expectThat(count <= this.left, 'it is cut');
    this.offset += count;
  }

  /** Not exact past 2^53, which no count reaches. */
  varint(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    expectThat(false, 'a number is too long');
  }
}

/** A struct of Thrift's compact protocol, by field id: numbers, booleans and structs. Texts and lists are skipped. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
export type ThriftValue = number | boolean | ThriftStruct | undefined;

/** A footer nests structs and lists 7 deep. */
const MAX_DEPTH = 12;
const MAX_FIELD_ID = 63;

/**
 * Reads a struct, in time and memory bounded by its bytes. hyparquet's own reader is not bounded: it takes numbers of any
 * length, in quadratic time, and any depth. Throws WrongBytesError.
 */
export function thriftStruct(reader: ByteReader, depth = 0): ThriftStruct {
  expectThat(depth < MAX_DEPTH, 'its structure is too deep');
  const struct = new Map<number, ThriftValue>();
  for (let last = 0; ; ) {
    const head = reader.byte();
    if ((head & 0x0f) === 0) return struct;
    const id = head >> 4 === 0 ? zigzag(reader.varint()) : last + (head >> 4);
    expectThat(id > last && id <= MAX_FIELD_ID, 'a field is not in its place');
    struct.set(id, thriftValue(reader, head & 0x0f, depth));
    last = id;
  }
}

function thriftValue(reader: ByteReader, type: number, depth: number): ThriftValue {
  switch (type) {
    case 1:
    case 2:
      return type === 1;
    case 3:
      return reader.byte();
    case 4:
    case 5:
    case 6:
      return zigzag(reader.varint());
    case 7:
      reader.skip(8);
      return undefined;
    case 8:
      reader.skip(reader.varint());
      return undefined;
    case 9:
      skipList(reader, depth + 1);
      return undefined;
    case 12:
      return thriftStruct(reader, depth + 1);
    default:
      expectThat(false, 'a field has an unknown type');
  }
}

function skipList(reader: ByteReader, depth: number): void {
  expectThat(depth < MAX_DEPTH, 'its structure is too deep');
  const head = reader.byte();
  const type = head & 0x0f;
  const count = head >> 4 === 15 ? reader.varint() : head >> 4;
  // Every element takes at least one byte, so that a count past the end ends too.
  const isOfBooleans = type === 1 || type === 2;
  for (let index = 0; index < count; index += 1) thriftValue(reader, isOfBooleans ? 3 : type, depth);
}

function zigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const END_BYTES = 8;
/** Fetched at once: enough for most footers, and for most whole files. */
const TAIL_BYTES = 512 * 1024;

/** The footer of 5,000,000 rows is smaller than 1 MB. */
const MAX_FOOTER_BYTES = 16 * 2 ** 20;
/** Ten times what the writers put into a row group (ROW_GROUP_ROWS). */
const MAX_ROW_GROUP_ROWS = 1_000_000;

const CODECS: ReadonlySet<string> = new Set(['ZSTD', 'GZIP']);

/** Where a column chunk is in the file, with checked sizes. */
export interface CheckedChunk {
  column: SchemaElement;
  codec: CompressionCodec;
  start: number;
  end: number;
  rowCount: number;
}

/** The footer as hyparquet parses it, and the checked chunks of each row group by column. */
export interface CheckedFooter {
  metadata: FileMetaData;
  rowGroups: readonly { rowCount: number; chunks: ReadonlyMap<string, CheckedChunk> }[];
}

/** Reads and checks the footer. Throws WrongBytesError, and what the store throws. */
export async function readCheckedFooter(file: AsyncBuffer): Promise<CheckedFooter> {
  const tail = await bytesOf(file, Math.max(0, file.byteLength - TAIL_BYTES), file.byteLength);
  if (tail.length === file.byteLength)
    expectThat(isMagic(tail.subarray(0, MAGIC.length)), 'its start is not that of a Parquet file');
  const end = tail.subarray(-END_BYTES);
  expectThat(isMagic(end.subarray(-MAGIC.length)), 'its end is not that of a Parquet file');
  const footerBytes = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  const footerStart = file.byteLength - END_BYTES - footerBytes;
  expectThat(
    footerStart >= MAGIC.length && footerBytes <= MAX_FOOTER_BYTES,
    'its footer has an impossible length',
  );
  const whole =
    footerBytes + END_BYTES <= tail.length
      ? tail.subarray(-footerBytes - END_BYTES)
      : await bytesOf(file, footerStart, file.byteLength);
  thriftStruct(new ByteReader(whole.subarray(0, footerBytes)));
  const metadata = parsed(whole);
  return { metadata, rowGroups: checkedRowGroups(metadata, footerStart) };
}

/** A copy of these bytes of the file. Throws WrongBytesError if it ends before. */
export async function bytesOf(
  file: AsyncBuffer,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await file.slice(start, end));
  expectThat(bytes.length === end - start, 'it is cut');
  return bytes;
}

function isMagic(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString('latin1') === MAGIC;
}

function parsed(footer: Uint8Array): FileMetaData {
  try {
    return parquetMetadata(footer, { geoparquet: false });
  } catch (error) {
    throw new WrongBytesError('its footer cannot be parsed', { cause: error });
  }
}

function checkedRowGroups(
  { schema, row_groups: groups, num_rows: rows }: FileMetaData,
  footerStart: number,
): CheckedFooter['rowGroups'] {
  const columns = schema.slice(1);
  const rowGroups = groups.map((group) => {
    const rowCount = countOf(group.num_rows, MAX_ROW_GROUP_ROWS, 'number of rows');
    const chunks = columns.map((column, index) =>
      checkedChunk(column, group.columns[index], rowCount, footerStart),
    );
    const length = chunks.reduce((total, { start, end }) => total + end - start, 0);
    expectThat(length <= footerStart, 'its columns are longer than it is');
    return { rowCount, chunks: new Map(chunks.map((chunk) => [chunk.column.name, chunk])) };
  });
  const sum = rowGroups.reduce((total, { rowCount }) => total + rowCount, 0);
  expectThat(BigInt(sum) === rows, 'its row groups do not have as many rows as it says');
  return rowGroups;
}

function checkedChunk(
  column: SchemaElement,
  chunk: ColumnChunk | undefined,
  rowCount: number,
  footerStart: number,
): CheckedChunk {
  const meta = chunk?.meta_data;
  expectThat(meta !== undefined, 'a column has no position in it');
  // The lake's columns are never nested.
  const isOfColumn = meta.path_in_schema.join('.') === column.name && meta.type === column.type;
  expectThat(isOfColumn, 'a column is described in two ways');
  const isFlat = column.repetition_type === 'REQUIRED' || column.repetition_type === 'OPTIONAL';
  expectThat(isFlat, 'it has a column that no table has');
  expectThat(CODECS.has(meta.codec), 'a column is compressed in a way that no writer of the lake uses');
  // As in hyparquet: a dictionary page comes first.
  const offset = meta.dictionary_page_offset || meta.data_page_offset;
  const start = countOf(offset, footerStart, 'position of a column');
  const length = countOf(meta.total_compressed_size, footerStart - start, 'length of a column');
  return { column, codec: meta.codec, start, end: start + length, rowCount };
}
