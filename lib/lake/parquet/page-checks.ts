import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  ByteReader,
  type CheckedChunk,
  countOf,
  expectThat,
  type ThriftValue,
  thriftStruct,
  WrongBytesError,
} from './footer-checks.ts';
import { storedIn } from './writer.ts';

/** A row group has up to 32 MB of text, plus one last text as large as the largest response body. */
const MAX_PAGE_BYTES = 128 * 2 ** 20;
/** Inflated pages and texts in memory at once. Older writers put 100,000 details, some 300 MB, into a row group. */
const MAX_ROW_GROUP_BYTES = 2 ** 30;
const MAX_DELTA_BLOCK = 65_536;

// Numbers of the format (parquet.thrift): those that the lake's writers use or have used.
const PAGE = { DATA: 0, DICTIONARY: 2 } as const;
const ENCODING = {
  PLAIN: 0,
  PLAIN_DICTIONARY: 2,
  RLE: 3,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  RLE_DICTIONARY: 8,
} as const;

/** The memory that reading takes, which damage must not make larger than any valid row group does. */
export class ReadMemory {
  /** Inflated pages and texts so far. A text of a dictionary counts each time it is used. */
  byteCount = 0;
  private atStart = 0;

  beginRowGroup(): void {
    this.atStart = this.byteCount;
  }

  /** Throws WrongBytesError. */
  add(byteCount: number): void {
    this.byteCount += byteCount;
    const isPossible = this.byteCount - this.atStart <= MAX_ROW_GROUP_BYTES;
    expectThat(isPossible, 'its pages or texts are larger than any of the lake');
  }
}

/** What the header of a data page says. */
interface DataPage {
  encoding: ThriftValue;
  /** Nulls included. */
  valueCount: number;
  nullCount: number;
  /** V1 pages begin with their levels. */
  hasLevels: boolean;
}

export interface CheckedPages {
  /** Undefined where only the levels tell. */
  nullCount: number | undefined;
  /** Inflates the next page when the decoder reaches it. Throws WrongBytesError. */
  inflateNext(compressed: Uint8Array, byteCount: number): Uint8Array;
}

/**
 * Checks what hyparquet trusts of a column chunk: the lengths of pages and of their levels, and as many values as the
 * row group has rows. Wrong ones would make it read for ever or fill the memory; anything else ends in an error of its
 * own. Throws WrongBytesError.
 */
export function checkedPages(chunk: CheckedChunk, bytes: Uint8Array, memory: ReadMemory): CheckedPages {
  const reader = new ByteReader(bytes);
  const pages: (DataPage | 'dictionary')[] = [];
  let valuesLeft = chunk.rowCount;
  let nullCount: number | undefined = 0;
  while (reader.left > 0) {
    const header = thriftStruct(reader);
    const body = bytes.subarray(reader.offset);
    reader.skip(countOf(header.get(3), body.length, 'length of a page'));
    if (header.get(1) === PAGE.DICTIONARY) {
      pages.push('dictionary');
      continue;
    }
    const page = dataPage(header, chunk, body, valuesLeft);
    const isKnown = page.encoding !== ENCODING.PLAIN_DICTIONARY && page.encoding !== ENCODING.RLE_DICTIONARY;
    expectThat(isKnown || pages[0] === 'dictionary', 'a column lacks its dictionary');
    valuesLeft -= page.valueCount;
    nullCount = page.hasLevels || nullCount === undefined ? undefined : nullCount + page.nullCount;
    pages.push(page);
  }
  expectThat(valuesLeft === 0, 'its pages have fewer values than it has rows');
  const inOrder = pages.values();
  const inflateNext = (compressed: Uint8Array, byteCount: number) => {
    // A copy: the decoder would read past the end of a shared buffer.
    const inflated = new Uint8Array(
      inflate(compressed, countOf(byteCount, MAX_PAGE_BYTES, 'size of a page'), chunk.codec),
    );
    memory.add(inflated.length);
    const page = inOrder.next().value;
    if (page !== 'dictionary' && page !== undefined) expectValues(page, inflated);
    return inflated;
  };
  return { nullCount, inflateNext };
}

/** `body`: all bytes after the header. */
function dataPage(
  header: ReadonlyMap<number, ThriftValue>,
  { column }: CheckedChunk,
  body: Uint8Array,
  valuesLeft: number,
): DataPage {
  const isOld = header.get(1) === PAGE.DATA;
  const said = header.get(isOld ? 5 : 8);
  expectThat(said instanceof Map, 'a page does not say what it holds');
  const valueCount = countOf(said.get(1), valuesLeft, 'number of values');
  const isOptional = column.repetition_type === 'OPTIONAL';
  if (isOld) return { encoding: said.get(2), valueCount, nullCount: 0, hasLevels: isOptional };
  const nullCount = countOf(said.get(2), valueCount, 'number of nulls');
  expectThat(said.get(6) === 0, 'a page says that values repeat');
  expectThat(said.get(7) !== false, 'a page is not compressed, as no writer of the lake leaves it');
  if (isOptional) expectRuns(new ByteReader(body), 1, valueCount);
  return { encoding: said.get(4), valueCount, nullCount, hasLevels: false };
}

/** Inflates to at most `byteCount`: 58 KB can inflate to 1.9 GB. */
function inflate(bytes: Uint8Array, byteCount: number, codec: string): Uint8Array {
  const stored = codec === 'ZSTD' ? storedIn(bytes) : undefined;
  if (stored !== undefined) return stored;
  // In one piece: pieces of 64 KB are most of what is thrown away where pages are small.
  const options = { maxOutputLength: Math.max(1, byteCount), chunkSize: Math.max(64, byteCount) };
  try {
    return codec === 'GZIP' ? gunzipSync(bytes, options) : zstdDecompressSync(bytes, options);
  } catch (error) {
    throw new WrongBytesError('a page cannot be inflated to the size that it says', { cause: error });
  }
}

/** Checks the lengths of runs and blocks of an inflated page, which hyparquet trusts. Throws WrongBytesError. */
function expectValues({ encoding, valueCount, nullCount, hasLevels }: DataPage, bytes: Uint8Array): void {
  const reader = new ByteReader(bytes);
  if (hasLevels) {
    reader.skip(4);
    expectRuns(reader, 1, valueCount);
    expectThat(encoding === ENCODING.PLAIN, 'a column is encoded in a way that no writer of the lake uses');
    return;
  }
  switch (encoding) {
    case ENCODING.PLAIN:
      return;
    case ENCODING.RLE:
      reader.skip(4);
      expectRuns(reader, 1, valueCount);
      return;
    case ENCODING.PLAIN_DICTIONARY:
    case ENCODING.RLE_DICTIONARY:
      if (reader.left > 0) expectRuns(reader, reader.byte(), valueCount);
      return;
    case ENCODING.DELTA_BINARY_PACKED:
    case ENCODING.DELTA_LENGTH_BYTE_ARRAY:
      expectDeltas(reader, valueCount - nullCount);
      return;
    default:
      expectThat(false, 'a column is encoded in a way that no writer of the lake uses');
  }
}

/**
 * Checks the lengths of the hybrid RLE and bit-packed runs of at most `valuesLeft` numbers, each `bits` wide: without
 * bytes behind it, a run of a few bytes may be 2^30 numbers long. Throws WrongBytesError.
 */
function expectRuns(reader: ByteReader, bits: number, valueCount: number): void {
  for (let valuesLeft = valueCount; valuesLeft > 0 && reader.left > 0; ) {
    const head = reader.varint();
    const isPacked = head % 2 === 1;
    const length = isPacked ? ((head - 1) / 2) * 8 : head / 2;
    // A bit-packed run may be padded to a multiple of 8, no further.
    expectThat(length > 0 && length < valuesLeft + (isPacked ? 8 : 1), 'a run has an impossible length');
    reader.skip(isPacked ? (length / 8) * bits : Math.ceil(bits / 8));
    valuesLeft -= length;
  }
}

/** Checks the blocks of this many differences (DELTA_BINARY_PACKED). Throws WrongBytesError. */
function expectDeltas(reader: ByteReader, valueCount: number): void {
  const blockSize = reader.varint();
  const miniblocks = reader.varint();
  const perMiniblock = blockSize / miniblocks;
  const isPossible = blockSize <= MAX_DELTA_BLOCK && perMiniblock > 0 && perMiniblock % 32 === 0;
  expectThat(isPossible && reader.varint() === valueCount, 'a block of differences has an impossible size');
  reader.varint();
  for (let seen = 1; seen < valueCount; ) {
    reader.varint();
    const widths = Array.from({ length: miniblocks }, () => reader.byte());
    for (const bits of widths) {
      if (seen < valueCount) reader.skip((perMiniblock * bits) / 8);
      seen += perMiniblock;
    }
  }
}
