import thrift, { type ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import schema from 'parquetjs-lite/lib/schema.js';
import util from 'parquetjs-lite/lib/util.js';
import writer from 'parquetjs-lite/lib/writer.js';
import type { Column, ColumnType } from '../tables.ts';
import { columnValues } from './column-values.ts';
import { columnChunk, numberOf, STORED_AS } from './parquetjs-lite/column-chunk.ts';
import { CREATED_BY, footerPairs, type ParquetFile, rowGroupsOf } from './writer.ts';

/**
 * Writes with parquetjs-lite: its envelope (magic bytes, row groups, footer), its PLAIN encoding and its Thrift
 * structures. Its row-by-row path and its footer are not used: they have no DECIMAL, flag timestamps as UTC, round
 * integers past 2^53, refuse dates before 1970, and write no column orders.
 */
export async function* writeWithParquetjsLite(file: ParquetFile): AsyncGenerator<Uint8Array> {
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
    let byteCount = 0;
    const chunks = columns.map((column, index) => {
      const chunk = columnChunk(
        column,
        columnValues(group, column, index, envelope.rowCount),
        envelope.offset,
      );
      envelope.writeSection(chunk.bytes);
      byteCount += chunk.uncompressedByteCount;
      return chunk.metadata;
    });
    envelope.rowGroups.push(
      new thrift.RowGroup({ columns: chunks, total_byte_size: byteCount, num_rows: group.rowCount }),
    );
    envelope.rowCount += group.rowCount;
    yield take();
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
  yield take();
}

/** The schema in the footer. */
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

const MEANING: Readonly<Record<ColumnType, object>> = {
  int32: {},
  int64: {},
  'decimal(17,2)': {
    converted_type: numberOf(thrift.ConvertedType, 'DECIMAL'),
    precision: 17,
    scale: 2,
    logicalType: new thrift.LogicalType({ DECIMAL: new thrift.DecimalType({ precision: 17, scale: 2 }) }),
  },
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
