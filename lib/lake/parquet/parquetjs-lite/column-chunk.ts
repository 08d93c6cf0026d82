import thrift, { type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import plain from 'parquetjs-lite/lib/codec/plain.js';
import util from 'parquetjs-lite/lib/util.js';
import type { Column, ColumnType } from '../../tables.ts';
import type { ColumnValues } from '../column-values.ts';
import type { Value } from '../writer.ts';
import { zstd } from '../writer.ts';

// The library's INT64 is exact here: its conversion, which rounds, is bypassed by passing bigints.
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

/** The number of a name in one of the format's enumerations. */
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

/** A column of a row group, at this offset of the file: PLAIN values, compressed with ZSTD. */
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

/** Divides a column into pages by the size of its texts. The numbers of a row group fit one page. */
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

/** A V1 page: the library's V2 pages miscount. */
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
 * One bit per value, set if it is not null: a single bit-packed run, prefixed by its length as V1 pages require. The
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

// Longer bounds would cost more in the footer than they save in reading.
const MAX_BOUND_BYTES = 64;

/** Null count and bounds; no bounds where they are long texts. */
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
