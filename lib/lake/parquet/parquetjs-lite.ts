import thrift, { type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import plain from 'parquetjs-lite/lib/codec/plain.js';
import schema from 'parquetjs-lite/lib/schema.js';
import util from 'parquetjs-lite/lib/util.js';
import writer from 'parquetjs-lite/lib/writer.js';
import type { Column, ColumnType } from '../tables.ts';
import { Checksum } from './checksum.ts';
import { type ColumnValues, columnValues } from './column-values.ts';
import {
  CREATED_BY,
  footerPairs,
  type ParquetFile,
  paddingBefore,
  rowGroupsOf,
  type Value,
  zstd,
} from './writer.ts';

/**
 * Writes with parquetjs-lite: its envelope (magic bytes, row groups, footer), its PLAIN encoding and its Thrift
 * structures. Its row-by-row path and its footer are not used: they have no DECIMAL, flag timestamps as UTC, round
 * integers past 2^53, refuse dates before 1970, and write no column orders.
 */
export async function* writeWithParquetjsLite(file: ParquetFile): AsyncGenerator<Uint8Array> {
  const checksum = new Checksum();
  const { columns } = file;
  let sections: Buffer[] = [];
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(sections);
    sections = [];
    return bytes;
  };
  const envelope = new writer.ParquetEnvelopeWriter(
    new schema.ParquetSchema({}),
    (bytes) => sections.push(bytes),
    () => {},
    0,
    {},
  );
  envelope.writeHeader();
  for await (const group of rowGroupsOf(file)) {
    if ('bytes' in group) throw new TypeError('this writer copies no row groups');
    const chunks = columns.map((column, index) =>
      columnChunk(column, columnValues(group, column, index, envelope.rowCount)),
    );
    if (envelope.rowGroups.length === 0) {
      const groupBytes = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
      envelope.writeSection(Buffer.alloc(paddingBefore(groupBytes, file)));
    }
    const placed = chunks.map(({ bytes, metadataAt }) => {
      const { offset } = envelope;
      envelope.writeSection(bytes);
      return metadataAt(offset);
    });
    const byteCount = chunks.reduce((sum, { uncompressedByteCount }) => sum + uncompressedByteCount, 0);
    envelope.rowGroups.push(
      new thrift.RowGroup({ columns: placed, total_byte_size: byteCount, num_rows: group.rowCount }),
    );
    envelope.rowCount += group.rowCount;
    yield checksum.noted(take());
  }
  const pairs = footerPairs(file);
  const footer = util.serializeThrift(
    new thrift.FileMetaData({
      version: 2,
      schema: schemaElements(columns),
      num_rows: envelope.rowCount,
      row_groups: envelope.rowGroups,
      key_value_metadata: pairs.length === 0 ? undefined : pairs.map((pair) => new thrift.KeyValue(pair)),
      created_by: CREATED_BY,
      // Without column orders, readers may not use min and max.
      column_orders: columns.map(() => new thrift.ColumnOrder({ TYPE_ORDER: new thrift.TypeDefinedOrder() })),
    }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  envelope.writeSection(Buffer.concat([footer, length, Buffer.from('PAR1')]));
  yield checksum.filledInto(take());
}

function schemaElements(columns: readonly Column[]): ThriftStruct[] {
  const root = new thrift.SchemaElement({ name: 'schema', num_children: columns.length });
  const leaves = columns.map(
    ({ name, type, required }) =>
      new thrift.SchemaElement({
        name,
        type: numberOf(thrift.Type, STORED_AS[type]),
        repetition_type: numberOf(thrift.FieldRepetitionType, required ? 'REQUIRED' : 'OPTIONAL'),
        ...MEANING[type],
      }),
  );
  return [root, ...leaves];
}

const TEXT = {
  converted_type: numberOf(thrift.ConvertedType, 'UTF8'),
  logicalType: new thrift.LogicalType({ STRING: new thrift.StringType() }),
};

function decimalOf(scale: number): object {
  return {
    converted_type: numberOf(thrift.ConvertedType, 'DECIMAL'),
    precision: 17,
    scale,
    logicalType: new thrift.LogicalType({ DECIMAL: new thrift.DecimalType({ precision: 17, scale }) }),
  };
}

const MEANING: Readonly<Record<ColumnType, object>> = {
  int32: {},
  int64: {},
  'decimal(17,2)': decimalOf(2),
  'decimal(17,6)': decimalOf(6),
  // No converted type: TIMESTAMP_MICROS means an instant in UTC.
  timestamp: {
    logicalType: new thrift.LogicalType({
      TIMESTAMP: new thrift.TimestampType({
        isAdjustedToUTC: false,
        unit: new thrift.TimeUnit({ MICROS: new thrift.MicroSeconds() }),
      }),
    }),
  },
  date: {
    converted_type: numberOf(thrift.ConvertedType, 'DATE'),
    logicalType: new thrift.LogicalType({ DATE: new thrift.DateType() }),
  },
  boolean: {},
  string: TEXT,
  // Not annotated as JSON: the Glue column is a string, and readers differ in what they make of JSON.
  json: TEXT,
};

// The library's INT64 is exact here: its conversion, which rounds, is bypassed by passing bigints.
const STORED_AS: Readonly<Record<ColumnType, string>> = {
  int32: 'INT32',
  int64: 'INT64',
  'decimal(17,2)': 'INT64',
  'decimal(17,6)': 'INT64',
  timestamp: 'INT64',
  date: 'INT32',
  boolean: 'BOOLEAN',
  string: 'BYTE_ARRAY',
  json: 'BYTE_ARRAY',
};

/** The number of a name in one of the format's enumerations. */
function numberOf(enumeration: Readonly<Record<string, number>>, name: string): number {
  const number = enumeration[name];
  if (number === undefined) throw new RangeError(`Parquet has no ${name}`);
  return number;
}

interface Chunk {
  bytes: Buffer;
  uncompressedByteCount: number;
  /** What the footer says of it at this offset of the file. */
  metadataAt(offset: number): ThriftStruct;
}

/** A column of a row group: PLAIN values, compressed with ZSTD. */
function columnChunk(column: Column, data: ColumnValues): Chunk {
  const pages = pagesOf(data.values).map((values) => dataPage(column, values));
  const bytes = Buffer.concat(pages.map((page) => page.bytes));
  const uncompressedByteCount = pages.reduce((sum, page) => sum + page.uncompressedByteCount, 0);
  const metadata = {
    type: numberOf(thrift.Type, STORED_AS[column.type]),
    encodings: [encoding('RLE'), encoding('PLAIN')],
    path_in_schema: [column.name],
    codec: numberOf(thrift.CompressionCodec, 'ZSTD'),
    num_values: data.values.length,
    total_uncompressed_size: uncompressedByteCount,
    total_compressed_size: bytes.length,
    statistics: statisticsOf(column, data),
  };
  return {
    bytes,
    uncompressedByteCount,
    metadataAt: (offset) =>
      new thrift.ColumnChunk({
        file_offset: offset,
        meta_data: new thrift.ColumnMetaData({ ...metadata, data_page_offset: offset }),
      }),
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
