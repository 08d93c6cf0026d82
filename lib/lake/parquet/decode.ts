import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type FileMetaData, parquetScan, type SchemaElement } from 'hyparquet';
import { type CheckedChunk, countOf, expectThat, WrongBytesError } from './footer.ts';
import { storedIn, type Value } from './writer.ts';

/** A row group has up to 32 MB of text, plus one last text as large as the largest response body. */
const MAX_PAGE_BYTES = 128 * 2 ** 20;

/** Decodes the bytes of a column chunk with hyparquet, which trusts what they say. Throws WrongBytesError. */
export async function decodedChunk(chunk: CheckedChunk, bytes: Uint8Array<ArrayBuffer>): Promise<Value[]> {
  const { column, rowCount } = chunk;
  if (rowCount === 0) return [];
  try {
    const scan = await parquetScan({
      file: { byteLength: bytes.length, slice: () => bytes.buffer },
      metadata: metadataOf(chunk, bytes.length),
      useOffsetIndex: false,
      compressors: { ZSTD: inflatedZstd, GZIP: inflatedGzip },
      parsers: { stringFromBytes },
    });
    const values = Array.from(await scan.readColumn({ column: column.name, rowStart: 0, rowEnd: rowCount }));
    expectThat(values.length === rowCount, 'a column does not have as many values as it says');
    return values;
  } catch (error) {
    if (error instanceof WrongBytesError) throw error;
    throw new WrongBytesError('its values cannot be decoded', { cause: error });
  }
}

/** To at most the size that the page says. */
function inflatedZstd(bytes: Uint8Array, byteCount: number): Uint8Array {
  return storedIn(bytes) ?? zstdDecompressSync(bytes, upTo(byteCount));
}

function inflatedGzip(bytes: Uint8Array, byteCount: number): Uint8Array {
  return gunzipSync(bytes, upTo(byteCount));
}

/** In one piece: the usual pieces are most of what is thrown away where pages are small. */
function upTo(byteCount: number): { maxOutputLength: number; chunkSize: number } {
  const most = countOf(byteCount, MAX_PAGE_BYTES, 'size of a page');
  return { maxOutputLength: Math.max(1, most), chunkSize: Math.max(64, most) };
}

/** What values of a physical type are in JavaScript. */
const KIND: Readonly<Record<string, string>> = {
  BOOLEAN: 'boolean',
  INT32: 'number',
  INT64: 'bigint',
  BYTE_ARRAY: 'string',
};

/** A wrong index gives `undefined`, a wrong encoding values of another kind. Throws WrongBytesError. */
export function expectKind(values: readonly Value[], type: string | undefined): void {
  const kind = KIND[type ?? ''];
  for (const value of values)
    expectThat(
      value === null || typeof value === kind,
      'a value is not in its dictionary, or not of its type',
    );
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
