import type { ParquetType } from 'hyparquet';
import { expectThat } from './limits.ts';
import { type ThriftValue, varintAt } from './thrift.ts';

/** Encodings that the lake's writers use or have used (parquet.thrift). */
const ENCODING = {
  PLAIN: 0,
  PLAIN_DICTIONARY: 2,
  RLE: 3,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  RLE_DICTIONARY: 8,
} as const;

/** Row groups, and so dictionaries, have fewer than 2^24 values. */
const MAX_INDEX_BITS = 24;
const MAX_DELTA_BLOCK = 65_536;

/** An inflated page, and what it should hold. */
export interface EncodedPage {
  bytes: Uint8Array;
  type: ParquetType | undefined;
  encoding: ThriftValue;
  /** Whether it begins with definition levels, prefixed by their length, as V1 pages do. */
  hasLevels: boolean;
  /** Nulls included. */
  valueCount: number;
  /** Without nulls; undefined where only the levels tell. */
  presentCount: number | undefined;
  /** Values of the dictionary; undefined without one. */
  dictionaryCount: number | undefined;
}

/**
 * Checks that the values of a page end within it. It looks only at what hyparquet's decoder trusts, the lengths of runs
 * and blocks: wrong ones would make it loop forever or fill the memory. Throws WrongBytesError.
 */
export function expectValues(page: EncodedPage): void {
  const { bytes, type, encoding, valueCount, dictionaryCount } = page;
  let offset = 0;
  let presentCount = page.presentCount ?? valueCount;
  if (page.hasLevels) {
    const end = 4 + lengthAt(bytes, 0);
    expectThat(end <= bytes.length, 'levels go past their page');
    presentCount = walkRuns(bytes.subarray(4, end), 1, valueCount);
    offset = end;
  }
  const values = bytes.subarray(offset);
  switch (encoding) {
    case ENCODING.PLAIN:
      expectThat(plainBytes(type, presentCount) <= values.length, 'a page is shorter than its values');
      return;
    case ENCODING.RLE:
      expectThat(type === 'BOOLEAN', 'a column has an encoding that is not for its type');
      expectThat(4 + lengthAt(values, 0) <= values.length, 'runs go past their page');
      walkRuns(values.subarray(4), 1, presentCount);
      return;
    case ENCODING.PLAIN_DICTIONARY:
    case ENCODING.RLE_DICTIONARY: {
      expectThat(dictionaryCount !== undefined && type !== 'BOOLEAN', 'a column lacks its dictionary');
      if (presentCount === 0) return;
      const [bits = MAX_INDEX_BITS + 1] = values;
      expectThat(dictionaryCount > 0 && bits <= MAX_INDEX_BITS, 'a column has an impossible dictionary');
      // With a width of 0 bits the runs may be left out.
      if (bits === 0 && values.length === 1) return;
      walkRuns(values.subarray(1), bits, presentCount, dictionaryCount);
      return;
    }
    case ENCODING.DELTA_BINARY_PACKED:
      expectThat(type === 'INT32' || type === 'INT64', 'a column has an encoding that is not for its type');
      walkDeltas(values, presentCount);
      return;
    case ENCODING.DELTA_LENGTH_BYTE_ARRAY:
      expectThat(type === 'BYTE_ARRAY', 'a column has an encoding that is not for its type');
      walkDeltas(values, presentCount);
      return;
    default:
      expectThat(false, 'a column is encoded in a way that no writer of the lake uses');
  }
}

/** Checks that the levels are of this many values, with this many nulls. Throws WrongBytesError. */
export function expectLevels(levels: Uint8Array, valueCount: number, nullCount: number): void {
  const presentCount = walkRuns(levels, 1, valueCount);
  expectThat(presentCount === valueCount - nullCount, 'it does not have as many nulls as it says');
}

/** The least bytes of this many PLAIN values. Each text is prefixed by its length. */
function plainBytes(type: ParquetType | undefined, count: number): number {
  switch (type) {
    case 'BOOLEAN':
      return Math.ceil(count / 8);
    case 'INT32':
    case 'BYTE_ARRAY':
      return 4 * count;
    case 'INT64':
      return 8 * count;
    default:
      expectThat(false, 'a column has a type that no table of the lake has');
  }
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  expectThat(bytes.length >= offset + 4, 'a page is cut');
  return new DataView(bytes.buffer, bytes.byteOffset + offset).getUint32(0, true);
}

/**
 * Walks the hybrid RLE and bit-packed runs of `count` numbers, each `bits` wide and less than `limit`. Returns how many
 * are not 0.
 */
function walkRuns(bytes: Uint8Array, bits: number, count: number, limit = 2 ** bits): number {
  const width = Math.ceil(bits / 8);
  let offset = 0;
  let seen = 0;
  let notZero = 0;
  while (seen < count) {
    const { value: head, end } = varintAt(bytes, offset);
    offset = end;
    const left = count - seen;
    // A bit-packed run may be padded to a multiple of 8, no further.
    const runLength = head % 2 === 0 ? head / 2 : ((head - 1) / 2) * 8;
    expectThat(
      runLength > 0 && runLength < left + (head % 2 === 0 ? 1 : 8),
      'a run has an impossible length',
    );
    const taken = Math.min(runLength, left);
    const byteCount = head % 2 === 0 ? width : (runLength / 8) * bits;
    expectThat(byteCount <= bytes.length - offset, 'a run goes past its page');
    if (head % 2 === 0) {
      let value = 0;
      for (let index = 0; index < width; index += 1) value += (bytes[offset + index] ?? 0) * 2 ** (8 * index);
      expectThat(value < limit, 'a value is not in its dictionary');
      if (value !== 0) notZero += taken;
    } else notZero += walkPacked(bytes, offset, bits, taken, limit);
    offset += byteCount;
    seen += taken;
  }
  return notZero;
}

function walkPacked(bytes: Uint8Array, start: number, bits: number, count: number, limit: number): number {
  if (bits === 0) return 0;
  const mask = 2 ** bits - 1;
  let offset = start;
  let buffer = 0;
  let buffered = 0;
  let notZero = 0;
  for (let index = 0; index < count; index += 1) {
    while (buffered < bits) {
      buffer |= (bytes[offset] ?? 0) << buffered;
      offset += 1;
      buffered += 8;
    }
    const value = buffer & mask;
    expectThat(value < limit, 'a value is not in its dictionary');
    if (value !== 0) notZero += 1;
    buffer >>>= bits;
    buffered -= bits;
  }
  return notZero;
}

/** Walks the blocks of this many differences (DELTA_BINARY_PACKED). */
function walkDeltas(bytes: Uint8Array, count: number): void {
  const blockSize = varintAt(bytes, 0);
  const miniblocks = varintAt(bytes, blockSize.end);
  const total = varintAt(bytes, miniblocks.end);
  const perMiniblock = blockSize.value / miniblocks.value;
  const isPossible =
    blockSize.value <= MAX_DELTA_BLOCK &&
    Number.isInteger(perMiniblock) &&
    perMiniblock > 0 &&
    perMiniblock % 8 === 0;
  expectThat(isPossible && total.value === count, 'a block of differences has an impossible size');
  let { end: offset } = varintAt(bytes, total.end);
  for (let seen = 1; seen < count; ) {
    const widths = varintAt(bytes, offset).end;
    expectThat(widths + miniblocks.value <= bytes.length, 'a page is cut');
    offset = widths + miniblocks.value;
    for (let index = 0; index < miniblocks.value && seen < count; index += 1) {
      const bits = bytes[widths + index] ?? 0;
      expectThat(bits <= 64, 'a difference has an impossible size');
      offset += (perMiniblock * bits) / 8;
      seen += perMiniblock;
    }
    expectThat(offset <= bytes.length, 'a block of differences goes past its page');
  }
}
