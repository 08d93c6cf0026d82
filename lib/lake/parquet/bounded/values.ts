import { type FileMetaData, parquetScan, type SchemaElement } from 'hyparquet';
import type { Value } from '../writer.ts';
import type { CheckedChunk } from './footer.ts';
import { expectThat, type ReadWork, WrongBytesError } from './limits.ts';
import { CheckedPages } from './pages.ts';

/**
 * The values of a column chunk, by hyparquet. Its pages are checked before: what they say of themselves it takes on
 * trust. Throws WrongBytesError.
 */
export async function chunkValues(
  chunk: CheckedChunk,
  bytes: Uint8Array<ArrayBuffer>,
  work: ReadWork,
): Promise<Value[]> {
  const { column, rowCount } = chunk;
  if (rowCount === 0) return [];
  const pages = new CheckedPages(chunk, bytes, work);
  const inflated = (compressed: Uint8Array) => pages.inflated(compressed.byteOffset);
  try {
    const scan = await parquetScan({
      file: { byteLength: bytes.length, slice: () => bytes.buffer },
      metadata: metadataOf(chunk, bytes.length),
      useOffsetIndex: false,
      compressors: { ZSTD: inflated, GZIP: inflated },
      parsers: { stringFromBytes },
    });
    const values = await scan.readColumn({ column: column.name, rowStart: 0, rowEnd: rowCount });
    return checked(Array.from(values), rowCount, work);
  } catch (error) {
    if (error instanceof WrongBytesError) throw error;
    throw new WrongBytesError('its values are no values', { cause: error });
  }
}

function checked(values: Value[], rowCount: number, work: ReadWork): Value[] {
  let characters = 0;
  for (const value of values) {
    expectThat(value !== undefined, 'a value is not in its dictionary');
    if (typeof value === 'string') characters += value.length;
  }
  expectThat(values.length === rowCount, 'a column has not as many values as it says');
  work.addTexts(characters);
  return values;
}

/** A file of this chunk alone. */
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

// hyparquet turns decimals into floats and moments into Dates of milliseconds, and parses what a text is annotated to
// be. Without annotations numbers come as they are stored: unscaled decimals, microseconds, days.
function asStored({ name, type, repetition_type }: SchemaElement): SchemaElement {
  return { name, type, repetition_type, ...(type === 'BYTE_ARRAY' && { converted_type: 'UTF8' }) };
}

// hyparquet's own decoder drops a byte-order mark at the start of a text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const stringFromBytes = (bytes: Uint8Array): string => utf8.decode(bytes);
