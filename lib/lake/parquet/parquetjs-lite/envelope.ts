import thrift from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import type { Field } from 'parquetjs-lite/lib/schema.js';
import util from 'parquetjs-lite/lib/util.js';
import writer from 'parquetjs-lite/lib/writer.js';
import type { Column } from '../../tables.ts';
import type { ColumnValues } from '../column-values.ts';
import { CREATED_BY } from '../writer.ts';
import { numberOf } from './enumerations.ts';
import { type EncodedColumn, encodeColumn } from './pages.ts';
import { parquetSchema, schemaElements } from './schema.ts';
import { encodedStatistics } from './statistics.ts';

/**
 * The library's envelope (magic bytes, row groups one after another, footer), whose row groups and footer
 * tell what the library does not know of: dictionaries, decimals, local moments and the order of columns.
 */
export class LakeEnvelopeWriter extends writer.ParquetEnvelopeWriter {
  readonly #columns: readonly Column[];

  constructor(columns: readonly Column[], write: (bytes: Buffer) => void) {
    super(parquetSchema(columns), write, () => {}, 0, { pageIndex: false, useDataPageV2: false });
    this.#columns = columns;
  }

  /** Writes a row group; the values of each column are asked for when its turn comes. */
  writeColumns(rowCount: number, valuesOf: (column: Column, columnIndex: number) => ColumnValues): void {
    let byteCount = 0;
    const chunks = this.#columns.map((column, index) => {
      const field = this.schema.fieldList[index];
      if (field === undefined) throw new RangeError(`The schema has no column ${column.name}`);
      const values = valuesOf(column, index);
      const encoded = encodeColumn(field, values);
      const offset = this.offset;
      this.writeSection(encoded.bytes);
      byteCount += encoded.uncompressedByteCount;
      return columnChunk(field, values, encoded, offset);
    });
    this.rowGroups.push(
      new thrift.RowGroup({ columns: chunks, total_byte_size: byteCount, num_rows: rowCount }),
    );
    this.rowCount += rowCount;
  }

  writeLakeFooter(pairs: readonly { key: string; value: string }[]): void {
    const footer = util.serializeThrift(
      new thrift.FileMetaData({
        version: 2,
        schema: schemaElements(this.#columns),
        num_rows: this.rowCount,
        row_groups: this.rowGroups,
        key_value_metadata: pairs.length === 0 ? undefined : pairs.map((pair) => new thrift.KeyValue(pair)),
        created_by: CREATED_BY,
        // Without them readers may not trust min and max.
        column_orders: this.#columns.map(
          () => new thrift.ColumnOrder({ TYPE_ORDER: new thrift.TypeDefinedOrder() }),
        ),
      }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    this.writeSection(Buffer.concat([footer, length, Buffer.from('PAR1')]));
  }
}

function columnChunk(field: Field, values: ColumnValues, encoded: EncodedColumn, offset: number) {
  const { bytes, dictionaryByteCount } = encoded;
  return new thrift.ColumnChunk({
    file_offset: offset,
    meta_data: new thrift.ColumnMetaData({
      type: numberOf(thrift.Type, field.primitiveType),
      encodings: encoded.encodings,
      path_in_schema: field.path,
      codec: numberOf(thrift.CompressionCodec, 'ZSTD'),
      num_values: values.values.length,
      total_uncompressed_size: encoded.uncompressedByteCount,
      total_compressed_size: bytes.length,
      data_page_offset: offset + dictionaryByteCount,
      dictionary_page_offset: dictionaryByteCount === 0 ? undefined : offset,
      statistics: encodedStatistics(field, values),
    }),
  });
}
