import { constants, zstdCompressSync } from 'node:zlib';
import type { RowGroup } from 'hyparquet';
import type { Column } from '../tables.ts';
import { NO_CHECKSUM_YET } from './checksum.ts';

/**
 * A value as the writers take it, by the column's type.
 * int32: number; int64: bigint; decimal(17,2): bigint, in hundredths; decimal(17,6): bigint, in millionths; timestamp: bigint, microseconds since
 * 1970-01-01T00:00:00 local time; date: number, days since 1970-01-01; boolean; string and json: string.
 */
export type Value = bigint | number | boolean | string | null;

/** Rows to write, column by column: a writer takes one row group at a time. */
export interface RowSource {
  rowCount: number;
  /** Values of the column at this index of `columns`, from row `start` (included) to row `end` (excluded). */
  values(columnIndex: number, start: number, end: number): readonly Value[];
  /** Approximate bytes of a row's texts. Without it they are so few that counting rows bounds a row group. */
  textBytes?(row: number): number;
}

/** A row group of a stored file, to be copied as it is (stored-row-groups.ts). */
export interface StoredRowGroup {
  rowCount: number;
  /** Positions count from the start of its bytes; the writer moves them. */
  group: RowGroup;
  bytes(): Promise<Uint8Array>;
}

export interface ParquetFile {
  columns: readonly Column[];
  /** Rows, which the writer divides into row groups; or the row groups themselves. Not every writer copies stored ones. */
  rows: RowSource | AsyncIterable<RowSource | StoredRowGroup>;
  metadata: FooterMetadata;
  /** How many zero bytes are between the leading PAR1 and the first row group, if that is large. */
  paddingBytes?: number;
}

/** A day with a larger first row group may have, with the footer, more than 64 KB, which engines rarely read at once. */
const PADDED_FROM_BYTES = 32 * 2 ** 10;

/** The zero bytes to put before the first row group, which has this many bytes. */
export function paddingBefore(firstGroupBytes: number, { paddingBytes = 0 }: ParquetFile): number {
  return firstGroupBytes > PADDED_FROM_BYTES ? paddingBytes : 0;
}

/** Key-value pairs of the footer; a function is called when all rows are written. */
export type FooterMetadata = Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);

/**
 * Encodes a file and yields its bytes in order. The same file gives the same bytes: they hold nothing of the clock,
 * the machine or the run. Throws rather than write an approximate value.
 */
export type ParquetWriter = (file: ParquetFile) => AsyncIterable<Uint8Array>;

/** The footer's `created_by`: constant, so that bytes are too, and in a form that Java readers can parse. */
export const CREATED_BY = 'cfe-lake version 1';

/** The footer's key-value pairs, sorted by key; its checksum among them. */
export function footerPairs({ metadata }: ParquetFile): { key: string; value: string }[] {
  return [
    NO_CHECKSUM_YET,
    ...Object.entries(typeof metadata === 'function' ? metadata() : metadata).map(([key, value]) => ({
      key,
      value,
    })),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Consecutive rows of a file: `columns[i]` has the values of the i-th column asked for. */
export interface RowBatch {
  rowCount: number;
  columns: readonly (readonly Value[])[];
}

/** A row by column name, for tables with few rows. */
export type Row = Readonly<Record<string, Value>>;

/** Rows as the writers take them. A column that a row lacks is null. */
export function rowsOf(columns: readonly Column[], rows: readonly Row[]): RowSource {
  return {
    rowCount: rows.length,
    values: (columnIndex, start, end) => {
      const name = columns[columnIndex]?.name ?? '';
      return rows.slice(start, end).map((row) => row[name] ?? null);
    },
  };
}

/** Most rows of a row group, so that files of any size are written and read in bounded memory. */
export const ROW_GROUP_ROWS = 100_000;

/** Most bytes of text in a row group: a detail has some 10 KB. A row group ends before the row that would exceed it. */
export const ROW_GROUP_TEXT_BYTES = 32 * 2 ** 20;

export async function* rowGroupsOf({ rows }: ParquetFile): AsyncGenerator<RowSource | StoredRowGroup> {
  if (!('rowCount' in rows)) {
    yield* rows;
    return;
  }
  for (let start = 0; start < rows.rowCount; ) {
    const end = rowGroupEnd(rows, start);
    yield partOf(rows, start, end);
    start = end;
  }
}

/** The rows from `start` (included) to `end` (excluded). */
export function partOf(rows: RowSource, start: number, end: number): RowSource {
  return {
    rowCount: end - start,
    values: (columnIndex, from, to) => rows.values(columnIndex, start + from, start + to),
    ...(rows.textBytes && { textBytes: (row: number) => rows.textBytes?.(start + row) ?? 0 }),
  };
}

function rowGroupEnd(rows: RowSource, start: number): number {
  if (rows.textBytes === undefined) return Math.min(start + ROW_GROUP_ROWS, rows.rowCount);
  const size = new RowGroupSize();
  let end = start;
  while (end < rows.rowCount && size.add(rows.textBytes(end))) end += 1;
  return end;
}

/** Decides, row by row, where a row group ends. */
export class RowGroupSize {
  private rowCount = 0;
  private textBytes = 0;

  /** Adds a row with this many bytes of text. False: it begins a new group. */
  add(textBytes: number): boolean {
    const isRoom = this.rowCount < ROW_GROUP_ROWS && this.textBytes + textBytes <= ROW_GROUP_TEXT_BYTES;
    const belongs = isRoom || this.rowCount === 0;
    this.rowCount = belongs ? this.rowCount + 1 : 1;
    this.textBytes = belongs ? this.textBytes + textBytes : textBytes;
    return belongs;
  }
}

/** The rows of all batches, divided into row groups. */
export async function* inRowGroups(
  batches: AsyncIterable<RowBatch>,
  columnCount: number,
): AsyncGenerator<RowSource> {
  const newColumns = () => Array.from({ length: columnCount }, (): Value[] => []);
  const size = new RowGroupSize();
  let columns = newColumns();
  for await (const batch of batches) {
    // Without an array per row: they would be most of what is thrown away here.
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (!size.add(textLength(batch, row))) {
        yield groupOf(columns);
        columns = newColumns();
      }
      for (let index = 0; index < columnCount; index += 1) {
        columns[index]?.push(batch.columns[index]?.[row] ?? null);
      }
    }
  }
  if (columns.some(({ length }) => length > 0)) yield groupOf(columns);
}

function textLength({ columns }: RowBatch, row: number): number {
  let length = 0;
  for (const column of columns) {
    const value = column[row];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}

function groupOf(columns: readonly (readonly Value[])[]): RowSource {
  return {
    rowCount: columns[0]?.length ?? 0,
    values: (columnIndex, start, end) => columns[columnIndex]?.slice(start, end) ?? [],
  };
}

// zstd's own default: higher levels save little, and take longer.
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** A page up to this size hardly shrinks, and setting up the compressor costs more than all the rest. */
const STORED_BYTES = 64;
/** Header of a single-segment frame with a one-byte content size (RFC 8878 §3.1.1.1). */
const FRAME_HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0x20];
const LAST_RAW_BLOCK = 1;

/** Compresses bytes into one ZSTD frame. */
export function zstd(bytes: Uint8Array): Uint8Array {
  return bytes.length > STORED_BYTES ? zstdCompressSync(bytes, OPTIONS) : stored(bytes);
}

/** A frame of one raw block: the bytes uncompressed (RFC 8878 §3.1.1.2). */
function stored(bytes: Uint8Array): Uint8Array {
  const blockHeader = LAST_RAW_BLOCK | (bytes.length << 3);
  const frame = new Uint8Array(FRAME_HEADER.length + 4 + bytes.length);
  frame.set(FRAME_HEADER);
  frame.set([bytes.length, blockHeader & 0xff, blockHeader >> 8, 0], FRAME_HEADER.length);
  frame.set(bytes, FRAME_HEADER.length + 4);
  return frame;
}

/** The bytes of a frame that `zstd` stored uncompressed; undefined for any other frame. */
export function storedIn(frame: Uint8Array): Uint8Array | undefined {
  const [byteCount = 0, low = 0, high = 0, last = 0] = frame.subarray(FRAME_HEADER.length);
  const start = FRAME_HEADER.length + 4;
  const isStored =
    FRAME_HEADER.every((byte, index) => frame[index] === byte) &&
    (low | (high << 8) | (last << 16)) === (LAST_RAW_BLOCK | (byteCount << 3)) &&
    frame.length === start + byteCount;
  return isStored ? frame.subarray(start) : undefined;
}
