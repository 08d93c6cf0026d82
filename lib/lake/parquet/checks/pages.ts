import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { storedIn } from '../writer.ts';
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
 * Checks that a column chunk has consistent page headers: sizes within the chunk, as many values as the row group has
 * rows, no empty page. Returns what inflates the page whose compressed bytes begin at an offset of the chunk, one at a
 * time, when the decoder reaches it. Both throw WrongBytesError.
 */
export function checkedPages(
  chunk: CheckedChunk,
  bytes: Uint8Array,
  work: ReadWork,
): (compressedStart: number) => Uint8Array {
  const pages = new Map<number, StoredPage>();
  let offset = 0;
  let rowCount = 0;
  let uncompressedBytes = 0;
  let dictionaryCount: number | undefined;
  while (offset < bytes.length) {
    const { struct: header, end: start } = readThriftStruct(bytes, offset);
    const size = countOf(header.get(2), Math.min(MAX_PAGE_BYTES, chunk.uncompressedBytes), 'size of a page');
    const end = start + countOf(header.get(3), bytes.length - start, 'length of a page');
    uncompressedBytes += size;
    let said: SaidPage;
    if (header.get(1) === PAGE.DICTIONARY) {
      expectThat(offset === 0, 'a dictionary is not where it belongs');
      said = dictionaryPage(chunk, structIn(header, 7), { start, end, size });
      dictionaryCount = said.page.valueCount;
    } else {
      said = dataPage(chunk, bytes, header, { start, end, size }, dictionaryCount);
      expectThat(said.page.valueCount > 0, 'a page has no values');
      rowCount += said.page.valueCount;
    }
    const { page, isCompressed } = said;
    // The decoder reads an uncompressed page in place.
    if (!isCompressed || chunk.codec === 'UNCOMPRESSED')
      expectPage(page, bytes.subarray(page.compressedStart, page.end));
    expectThat(rowCount <= chunk.rowCount, 'its pages have more values than it has rows');
    expectThat(uncompressedBytes <= chunk.uncompressedBytes, 'its pages are larger than their column');
    work.addPage(size, page.valueCount);
    pages.set(page.compressedStart, page);
    offset = end;
  }
  expectThat(rowCount === chunk.rowCount, 'its pages have fewer values than it has rows');
  return (compressedStart) => {
    const page = pages.get(compressedStart);
    expectThat(page !== undefined, 'a page is not where it was');
    const stored = bytes.subarray(compressedStart, page.end);
    // A copy: the decoder would read past the end of a shared buffer.
    const inflated = new Uint8Array(inflate(stored, page.uncompressedBytes, chunk.codec));
    expectPage(page, inflated);
    return inflated;
  };
}

/** Where the body of a page is in its chunk, and its size once inflated. */
interface Body {
  start: number;
  end: number;
  size: number;
}

interface SaidPage {
  page: StoredPage;
  isCompressed: boolean;
}

function dictionaryPage(chunk: CheckedChunk, header: ThriftStruct, { start, end, size }: Body): SaidPage {
  const valueCount = countOf(header.get(1), MAX_ROW_GROUP_ROWS, 'size of a dictionary');
  const page = {
    type: chunk.column.type,
    hasLevels: false,
    valueCount,
    presentCount: valueCount,
    encoding: PLAIN,
    dictionaryCount: undefined,
    compressedStart: start,
    end,
    uncompressedBytes: size,
  };
  return { page, isCompressed: true };
}

function dataPage(
  { column, rowCount }: CheckedChunk,
  bytes: Uint8Array,
  header: ThriftStruct,
  { start, end, size }: Body,
  dictionaryCount: number | undefined,
): SaidPage {
  const isOptional = column.repetition_type === 'OPTIONAL';
  const common = { type: column.type, dictionaryCount, end };
  if (header.get(1) === PAGE.DATA) {
    const said = structIn(header, 5);
    const valueCount = countOf(said.get(1), rowCount, 'number of values');
    const page = {
      ...common,
      hasLevels: isOptional,
      valueCount,
      presentCount: isOptional ? undefined : valueCount,
      encoding: said.get(2),
      compressedStart: start,
      uncompressedBytes: size,
    };
    return { page, isCompressed: true };
  }
  expectThat(header.get(1) === PAGE.DATA_V2, 'a page has a kind that no writer of the lake uses');
  const said = structIn(header, 8);
  const valueCount = countOf(said.get(1), rowCount, 'number of values');
  const nullCount = countOf(said.get(2), isOptional ? valueCount : 0, 'number of nulls');
  expectThat(said.get(3) === valueCount, 'a page does not have as many values as rows');
  const levelBytes = countOf(said.get(5), isOptional ? Math.min(size, end - start) : 0, 'length of levels');
  expectThat(said.get(6) === 0, 'a page says that values repeat');
  if (isOptional) expectLevels(bytes.subarray(start, start + levelBytes), valueCount, nullCount);
  const page = {
    ...common,
    hasLevels: false,
    valueCount,
    presentCount: valueCount - nullCount,
    encoding: said.get(4),
    compressedStart: start + levelBytes,
    uncompressedBytes: size - levelBytes,
  };
  return { page, isCompressed: said.get(7) !== false };
}

function expectPage(page: StoredPage, bytes: Uint8Array): void {
  expectThat(bytes.length === page.uncompressedBytes, 'a page does not have the size that it says');
  expectValues({ ...page, bytes });
}

function structIn(header: ThriftStruct, field: number): ThriftStruct {
  const struct = header.get(field);
  expectThat(struct instanceof Map, 'a page does not say what it holds');
  return struct;
}

/** Inflates to at most `byteCount`: 58 KB can inflate to 1.9 GB. */
function inflate(bytes: Uint8Array, byteCount: number, codec: string): Uint8Array {
  const stored = codec === 'ZSTD' ? storedIn(bytes) : undefined;
  if (stored !== undefined) return stored;
  const options = { maxOutputLength: Math.max(1, byteCount) };
  try {
    return codec === 'GZIP' ? gunzipSync(bytes, options) : zstdDecompressSync(bytes, options);
  } catch (error) {
    throw new WrongBytesError('a page cannot be inflated to the size that it says', { cause: error });
  }
}
