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

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const END_BYTES = 8;
/** Fetched at once: enough for most footers, and for most whole files. */
const TAIL_BYTES = 512 * 1024;

/** That of 5,000,000 rows is smaller than 1 MB. */
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

/** Where a file's footer is. Its bytes go to the end of the file, with its length and the magic. */
export interface FooterPlace {
  start: number;
  bytes: Uint8Array;
}

/** The footer as hyparquet parses it, and the checked chunks of each row group by column. */
export interface Footer {
  metadata: FileMetaData;
  rowGroups: readonly { rowCount: number; chunks: ReadonlyMap<string, CheckedChunk> }[];
}

/** Throws WrongBytesError, and what the store throws. */
export async function findFooter(file: AsyncBuffer): Promise<FooterPlace> {
  const tail = await bytesOf(file, Math.max(0, file.byteLength - TAIL_BYTES), file.byteLength);
  if (tail.length === file.byteLength)
    expectThat(isMagic(tail.subarray(0, MAGIC.length)), 'its start is not that of a Parquet file');
  const end = tail.subarray(-END_BYTES);
  expectThat(isMagic(end.subarray(-MAGIC.length)), 'its end is not that of a Parquet file');
  const footerBytes = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  const start = file.byteLength - END_BYTES - footerBytes;
  expectThat(start >= MAGIC.length && footerBytes <= MAX_FOOTER_BYTES, 'its footer has an impossible length');
  const bytes =
    footerBytes + END_BYTES <= tail.length
      ? tail.subarray(-footerBytes - END_BYTES)
      : await bytesOf(file, start, file.byteLength);
  return { start, bytes };
}

/** Throws WrongBytesError. */
export function parsedFooter({ start, bytes }: FooterPlace): Footer {
  const metadata = parsed(bytes);
  return { metadata, rowGroups: checkedRowGroups(metadata, start) };
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
): Footer['rowGroups'] {
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
