import {
  type AsyncBuffer,
  type ColumnChunk,
  type CompressionCodec,
  type FileMetaData,
  parquetMetadata,
  type SchemaElement,
} from 'hyparquet';
import {
  countOf,
  expectThat,
  MAX_FOOTER_BYTES,
  MAX_ROW_GROUP_BYTES,
  MAX_ROW_GROUP_ROWS,
  WrongBytesError,
} from './limits.ts';
import { readThriftStruct } from './thrift.ts';

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const END_BYTES = 8;
/** Fetched at once: enough for most footers, and for most whole files. */
const TAIL_BYTES = 512 * 1024;

const CODECS: ReadonlySet<string> = new Set(['ZSTD', 'GZIP', 'UNCOMPRESSED']);

/** Where a column chunk is in the file, with checked sizes. */
export interface CheckedChunk {
  column: SchemaElement;
  codec: CompressionCodec;
  start: number;
  end: number;
  rowCount: number;
  /** Upper bound for its pages, without their headers. */
  uncompressedBytes: number;
}

/** The footer as hyparquet parses it, and the checked chunks of each row group by column. */
export interface CheckedFooter {
  metadata: FileMetaData;
  rowGroups: readonly { rowCount: number; chunks: ReadonlyMap<string, CheckedChunk> }[];
}

/** Reads and checks the footer. Throws WrongBytesError, and what the store throws. */
export async function readCheckedFooter(file: AsyncBuffer): Promise<CheckedFooter> {
  expectThat(file.byteLength >= MAGIC.length + END_BYTES, 'it is too short');
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
  const { end: structEnd } = readThriftStruct(whole.subarray(0, footerBytes), 0);
  expectThat(structEnd === footerBytes, 'its footer ends before its length');
  const metadata = parsed(whole);
  return { metadata, rowGroups: checkedRowGroups(metadata, checkedColumns(metadata.schema), footerStart) };
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

/** The columns. The lake's are never nested. */
function checkedColumns([root, ...columns]: readonly SchemaElement[]): readonly SchemaElement[] {
  expectThat(root?.num_children === columns.length, 'it does not have as many columns as it says');
  const names = new Set(columns.map(({ name }) => name));
  expectThat(names.size === columns.length, 'two of its columns have the same name');
  for (const { name, type, num_children: children, repetition_type: repetition } of columns) {
    const isFlat =
      type !== undefined && !children && (repetition === 'REQUIRED' || repetition === 'OPTIONAL');
    expectThat(typeof name === 'string' && isFlat, 'it has a column that no table has');
  }
  return columns;
}

function checkedRowGroups(
  { row_groups: groups, num_rows: rows }: FileMetaData,
  columns: readonly SchemaElement[],
  footerStart: number,
): CheckedFooter['rowGroups'] {
  const rowGroups = groups.map((group) => {
    const rowCount = countOf(group.num_rows, MAX_ROW_GROUP_ROWS, 'number of rows');
    expectThat(group.columns.length === columns.length, 'a row group lacks a column');
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
  expectThat(meta !== undefined && chunk?.file_path === undefined, 'a column has no position in it');
  const [name, ...deeper] = meta.path_in_schema;
  const isOfColumn = name === column.name && deeper.length === 0 && meta.type === column.type;
  expectThat(isOfColumn, 'a column is described in two ways');
  expectThat(CODECS.has(meta.codec), 'a column is compressed in a way that no writer of the lake uses');
  expectThat(countOf(meta.num_values, rowCount, 'number of values') === rowCount, 'a column lacks values');
  // As in hyparquet: a dictionary page comes first.
  const offset = meta.dictionary_page_offset || meta.data_page_offset;
  const start = countOf(offset, footerStart, 'position of a column');
  const length = countOf(meta.total_compressed_size, footerStart - start, 'length of a column');
  expectThat(start >= MAGIC.length, 'it gives an impossible position of a column');
  const uncompressedBytes = countOf(meta.total_uncompressed_size, MAX_ROW_GROUP_BYTES, 'size of a column');
  return { column, codec: meta.codec, start, end: start + length, rowCount, uncompressedBytes };
}
