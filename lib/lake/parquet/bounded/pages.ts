import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type FileMetaData, parquetScan, type SchemaElement } from 'hyparquet';
import type { Value } from '../writer.ts';
import { type EncodedPage, expectLevels, expectValues } from './encodings.ts';
import type { CheckedChunk } from './footer.ts';
import {
  countOf,
  expectThat,
  MAX_PAGE_BYTES,
  MAX_ROW_GROUP_ROWS,
  type ReadWork,
  WrongBytesError,
} from './limits.ts';
import { readThriftStruct, type ThriftStruct } from './thrift.ts';

/**
 * Decodes a column chunk with hyparquet. The pages are checked first, since hyparquet trusts what they say about
 * themselves. Throws WrongBytesError.
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
    throw new WrongBytesError('its values can not be decoded', { cause: error });
  }
}

function checked(values: Value[], rowCount: number, work: ReadWork): Value[] {
  let characters = 0;
  for (const value of values) {
    expectThat(value !== undefined, 'a value is not in its dictionary');
    if (typeof value === 'string') characters += value.length;
  }
  expectThat(values.length === rowCount, 'a column does not have as many values as it says');
  work.addTexts(characters);
  return values;
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

// Numbers of the format (parquet.thrift).
const PAGE = { DATA: 0, DICTIONARY: 2, DATA_V2: 3 } as const;
const PLAIN = 0;

/** Where a page is in its chunk, and what its header says about it. */
interface StoredPage extends Omit<EncodedPage, 'bytes'> {
  /** Offset of the compressed bytes in the chunk. In V2 pages the levels come before them. */
  compressedStart: number;
  end: number;
  /** Size of the compressed part once inflated. */
  uncompressedBytes: number;
}

/**
 * A column chunk with consistent page headers: sizes within the chunk, as many values as the row group has rows, no
 * empty page. Pages are inflated one at a time, when the decoder reaches them.
 */
export class CheckedPages {
  private readonly chunk: CheckedChunk;
  private readonly bytes: Uint8Array;
  private readonly work: ReadWork;
  private readonly pages = new Map<number, StoredPage>();

  /** Throws WrongBytesError. */
  constructor(chunk: CheckedChunk, bytes: Uint8Array, work: ReadWork) {
    this.chunk = chunk;
    this.bytes = bytes;
    this.work = work;
    this.findPages();
  }

  /** Inflates the page whose compressed bytes begin at this offset of the chunk. Throws WrongBytesError. */
  inflated(compressedStart: number): Uint8Array {
    const page = this.pages.get(compressedStart);
    expectThat(page !== undefined, 'a page is not where it was');
    const stored = this.bytes.subarray(compressedStart, page.end);
    // A copy: the decoder would read past the end of a shared buffer.
    const bytes = new Uint8Array(inflate(stored, page.uncompressedBytes, this.chunk.codec));
    expectThat(bytes.length === page.uncompressedBytes, 'a page does not have the size that it says');
    expectValues({ ...page, bytes });
    return bytes;
  }

  private findPages(): void {
    const { chunk, bytes, work } = this;
    let offset = 0;
    let rowCount = 0;
    let uncompressedBytes = 0;
    let dictionaryCount: number | undefined;
    while (offset < bytes.length) {
      const { struct: header, end: start } = readThriftStruct(bytes, offset);
      const size = countOf(
        header.get(2),
        Math.min(MAX_PAGE_BYTES, chunk.uncompressedBytes),
        'size of a page',
      );
      const end = start + countOf(header.get(3), bytes.length - start, 'length of a page');
      uncompressedBytes += size;
      let page: StoredPage;
      if (header.get(1) === PAGE.DICTIONARY) {
        expectThat(offset === 0, 'a dictionary is not where it belongs');
        page = this.dictionaryPage(structIn(header, 7), start, end, size);
        dictionaryCount = page.valueCount;
      } else {
        page = this.dataPage(header, start, end, size, dictionaryCount);
        expectThat(page.valueCount > 0, 'a page has no values');
        rowCount += page.valueCount;
      }
      expectThat(rowCount <= chunk.rowCount, 'its pages have more values than it has rows');
      expectThat(uncompressedBytes <= chunk.uncompressedBytes, 'its pages are larger than their column');
      work.addPage(size, page.valueCount);
      this.pages.set(page.compressedStart, page);
      offset = end;
    }
    expectThat(rowCount === chunk.rowCount, 'its pages have fewer values than it has rows');
  }

  private dictionaryPage(header: ThriftStruct, start: number, end: number, size: number): StoredPage {
    const valueCount = countOf(header.get(1), MAX_ROW_GROUP_ROWS, 'size of a dictionary');
    return this.kept(
      {
        type: this.chunk.column.type,
        hasLevels: false,
        valueCount,
        presentCount: valueCount,
        encoding: PLAIN,
        dictionaryCount: undefined,
        compressedStart: start,
        end,
        uncompressedBytes: size,
      },
      true,
    );
  }

  private dataPage(
    header: ThriftStruct,
    start: number,
    end: number,
    size: number,
    dictionaryCount: number | undefined,
  ): StoredPage {
    const { column, rowCount } = this.chunk;
    const isOptional = column.repetition_type === 'OPTIONAL';
    const common = { type: column.type, dictionaryCount, end };
    if (header.get(1) === PAGE.DATA) {
      const said = structIn(header, 5);
      const valueCount = countOf(said.get(1), rowCount, 'number of values');
      return this.kept(
        {
          ...common,
          hasLevels: isOptional,
          valueCount,
          presentCount: isOptional ? undefined : valueCount,
          encoding: said.get(2),
          compressedStart: start,
          uncompressedBytes: size,
        },
        true,
      );
    }
    expectThat(header.get(1) === PAGE.DATA_V2, 'a page has a kind that no writer of the lake uses');
    const said = structIn(header, 8);
    const valueCount = countOf(said.get(1), rowCount, 'number of values');
    const nullCount = countOf(said.get(2), isOptional ? valueCount : 0, 'number of nulls');
    expectThat(said.get(3) === valueCount, 'a page does not have as many values as rows');
    const levelBytes = countOf(said.get(5), isOptional ? Math.min(size, end - start) : 0, 'length of levels');
    expectThat(said.get(6) === 0, 'a page says that values repeat');
    if (isOptional) expectLevels(this.bytes.subarray(start, start + levelBytes), valueCount, nullCount);
    return this.kept(
      {
        ...common,
        hasLevels: false,
        valueCount,
        presentCount: valueCount - nullCount,
        encoding: said.get(4),
        compressedStart: start + levelBytes,
        uncompressedBytes: size - levelBytes,
      },
      said.get(7) !== false,
    );
  }

  /** Checks an uncompressed page now, since the decoder reads it in place. */
  private kept(page: StoredPage, isCompressed: boolean): StoredPage {
    if (isCompressed && this.chunk.codec !== 'UNCOMPRESSED') return page;
    const bytes = this.bytes.subarray(page.compressedStart, page.end);
    expectThat(bytes.length === page.uncompressedBytes, 'a page does not have the size that it says');
    expectValues({ ...page, bytes });
    return page;
  }
}

function structIn(header: ThriftStruct, field: number): ThriftStruct {
  const struct = header.get(field);
  expectThat(struct instanceof Map, 'a page does not say what it holds');
  return struct;
}

/** Inflates to at most `byteCount`: 58 KB can inflate to 1.9 GB. */
function inflate(bytes: Uint8Array, byteCount: number, codec: string): Uint8Array {
  const options = { maxOutputLength: Math.max(1, byteCount) };
  try {
    return codec === 'GZIP' ? gunzipSync(bytes, options) : zstdDecompressSync(bytes, options);
  } catch (error) {
    throw new WrongBytesError('a page cannot be inflated to the size that it says', { cause: error });
  }
}
