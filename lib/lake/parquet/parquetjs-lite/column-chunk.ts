import thrift, { type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import plain from 'parquetjs-lite/lib/codec/plain.js';
import util from 'parquetjs-lite/lib/util.js';
import type { Column, ColumnType } from '../../tables.ts';
import type { ColumnValues } from '../column-values.ts';
import type { Value } from '../writer.ts';
import { zstd } from '../writer.ts';

// The library's INT64 is exact once its rounding conversion is not asked: values come as bigints already.
export const STORED_AS: Readonly<Record<ColumnType, string>> = {
  int32: 'INT32',
  int64: 'INT64',
  'decimal(17,2)': 'INT64',
  timestamp: 'INT64',
  date: 'INT32',
  boolean: 'BOOLEAN',
  string: 'BYTE_ARRAY',
  json: 'BYTE_ARRAY',
};

/** The number that stands for a name in one of the format's enumerations. */
export function numberOf(enumeration: Readonly<Record<string, number>>, name: string): number {
  const number = enumeration[name];
  if (number === undefined) throw new RangeError(`Parquet has no ${name}`);
  return number;
}

export interface Chunk {
  bytes: Buffer;
  uncompressedByteCount: number;
  metadata: ThriftStruct;
}

/** A column of a row group, which begins at this offset: PLAIN values and ZSTD, which finds what repeats. */
export function columnChunk(column: Column, data: ColumnValues, offset: number): Chunk {
  const pages = pagesOf(data.values).map((values) => dataPage(column, values));
  const bytes = Buffer.concat(pages.map((page) => page.bytes));
  const uncompressedByteCount = pages.reduce((sum, page) => sum + page.uncompressedByteCount, 0);
  const metadata = new thrift.ColumnMetaData({
    type: numberOf(thrift.Type, STORED_AS[column.type]),
    encodings: [encoding('RLE'), encoding('PLAIN')],
    path_in_schema: [column.name],
    codec: numberOf(thrift.CompressionCodec, 'ZSTD'),
    num_values: data.values.length,
    total_uncompressed_size: uncompressedByteCount,
    total_compressed_size: bytes.length,
    data_page_offset: offset,
    statistics: statisticsOf(column, data),
  });
  return {
    bytes,
    uncompressedByteCount,
    metadata: new thrift.ColumnChunk({ file_offset: offset, meta_data: metadata }),
  };
}

const PAGE_BYTES = 1_048_576;

/** Cuts a column where its texts add up to a page; numbers of a row group fit one. */
function pagesOf(values: readonly Value[]): (readonly Value[])[] {
  const pages: (readonly Value[])[] = [];
  let start = 0;
  let byteCount = 0;
  for (const [index, value] of values.entries()) {
    byteCount += typeof value === 'string' ? value.length : 0;
    if (byteCount < PAGE_BYTES && index + 1 < values.length) continue;
    pages.push(values.slice(start, index + 1));
    start = index + 1;
    byteCount = 0;
  }
  return pages;
}

/** A V1 page, since the library's V2 pages miscount. */
function dataPage({ type, required }: Column, values: readonly Value[]) {
  const present = values.filter((value) => value !== null);
  const encoded = plain.encodeValues(STORED_AS[type], present, {});
  const body = required ? encoded : Buffer.concat([definitionLevels(values), encoded]);
  const compressed = zstd(body);
  const header = util.serializeThrift(
    new thrift.PageHeader({
      type: numberOf(thrift.PageType, 'DATA_PAGE'),
      uncompressed_page_size: body.length,
      compressed_page_size: compressed.length,
      data_page_header: new thrift.DataPageHeader({
        num_values: values.length,
        encoding: encoding('PLAIN'),
        definition_level_encoding: encoding('RLE'),
        repetition_level_encoding: encoding('RLE'),
      }),
    }),
  );
  return {
    bytes: Buffer.concat([header, compressed]),
    uncompressedByteCount: header.length + body.length,
  };
}

/**
 * For each value a bit, whether it is there: one bit-packed run, with the length in front that V1 pages have. The
 * library's own encoder takes quadratic time.
 */
function definitionLevels(values: readonly Value[]): Buffer {
  const groups = Math.ceil(values.length / 8);
  const run: number[] = [];
  let header = groups * 2 + 1;
  for (; header > 0x7f; header >>>= 7) run.push((header & 0x7f) | 0x80);
  run.push(header);
  const levels = Buffer.alloc(4 + run.length + groups);
  levels.writeUInt32LE(run.length + groups);
  levels.set(run, 4);
  for (const [index, value] of values.entries()) {
    const at = 4 + run.length + (index >>> 3);
    if (value !== null) levels[at] = (levels[at] ?? 0) | (1 << (index & 7));
  }
  return levels;
}

// Longer bounds would make the footer heavier than what they save in reading.
const MAX_BOUND_BYTES = 64;

/** Null count, least and greatest value; no bounds when they are long texts. */
function statisticsOf({ type }: Column, { nullCount, bounds }: ColumnValues): ThriftStruct {
  const [least, greatest] = [bounds?.least, bounds?.greatest].map((bound) => {
    if (typeof bound === 'string') return Buffer.from(bound);
    return bound === undefined ? undefined : plain.encodeValues(STORED_AS[type], [bound], {});
  });
  const isShort = Math.max(least?.length ?? 0, greatest?.length ?? 0) <= MAX_BOUND_BYTES;
  return new thrift.Statistics({
    null_count: nullCount,
    ...(isShort && { min_value: least, max_value: greatest }),
  });
}

const encoding = (name: string): number => numberOf(thrift.Encoding, name);
