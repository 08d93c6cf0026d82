/** What is used of parquetjs-lite 0.8.7, which is CommonJS and brings no types. */

declare module 'parquetjs-lite/lib/schema.js' {
  export interface FieldOptions {
    type: string;
    optional: boolean;
    compression: string;
    statistics: false;
  }
  export interface Field {
    name: string;
    path: string[];
    primitiveType: string;
    dLevelMax: number;
  }
  class ParquetSchema {
    constructor(schema: Readonly<Record<string, FieldOptions>>);
    readonly fieldList: readonly Field[];
  }
  const schema: { ParquetSchema: typeof ParquetSchema };
  export default schema;
  export type { ParquetSchema };
}

declare module 'parquetjs-lite/lib/compression.js' {
  const compression: {
    PARQUET_COMPRESSION_METHODS: Record<
      string,
      { deflate(bytes: Uint8Array): Buffer; inflate(bytes: Uint8Array): Buffer }
    >;
    deflate(method: string, bytes: Uint8Array): Buffer;
  };
  export default compression;
}

declare module 'parquetjs-lite/lib/codec/plain.js' {
  const plain: {
    /** Overwrites the elements of a list of texts with their bytes. */
    encodeValues(primitiveType: string, values: unknown[], options: object): Buffer;
  };
  export default plain;
}

declare module 'parquetjs-lite/lib/util.js' {
  import type { ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';

  const util: { serializeThrift(struct: ThriftStruct): Buffer };
  export default util;
}

declare module 'parquetjs-lite/lib/writer.js' {
  import type { ThriftStruct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
  import type { ParquetSchema } from 'parquetjs-lite/lib/schema.js';

  class ParquetEnvelopeWriter {
    constructor(
      schema: ParquetSchema,
      write: (bytes: Buffer) => void,
      close: () => void,
      fileOffset: number,
      options: { pageIndex: false; useDataPageV2: false },
    );
    readonly schema: ParquetSchema;
    /** Bytes written so far. */
    readonly offset: number;
    rowCount: number;
    readonly rowGroups: ThriftStruct[];
    writeSection(bytes: Buffer): void;
    writeHeader(): void;
  }
  const writer: { ParquetEnvelopeWriter: typeof ParquetEnvelopeWriter };
  export default writer;
}

declare module 'parquetjs-lite/gen-nodejs/parquet_types.js' {
  export interface ThriftStruct {
    write(protocol: object): void;
  }
  type StructClass<Fields> = new (fields?: Partial<Fields>) => ThriftStruct;
  export interface Statistics {
    null_count: number;
    min_value: Buffer;
    max_value: Buffer;
  }
  export interface SchemaElement {
    name: string;
    type: number;
    repetition_type: number;
    num_children: number;
    converted_type: number;
    precision: number;
    scale: number;
    logicalType: ThriftStruct;
  }
  interface ColumnMetaData {
    type: number;
    encodings: readonly number[];
    path_in_schema: readonly string[];
    codec: number;
    num_values: number;
    total_uncompressed_size: number;
    total_compressed_size: number;
    data_page_offset: number;
    dictionary_page_offset: number | undefined;
    statistics: ThriftStruct;
  }
  export interface PageHeader {
    type: number;
    uncompressed_page_size: number;
    compressed_page_size: number;
    data_page_header: ThriftStruct;
    dictionary_page_header: ThriftStruct;
  }
  interface DataPageHeader {
    num_values: number;
    encoding: number;
    definition_level_encoding: number;
    repetition_level_encoding: number;
  }
  interface FileMetaData {
    version: number;
    schema: readonly ThriftStruct[];
    num_rows: number;
    row_groups: readonly ThriftStruct[];
    key_value_metadata: readonly ThriftStruct[] | undefined;
    created_by: string;
    column_orders: readonly ThriftStruct[];
  }
  type Enumeration = Readonly<Record<string, number>>;
  const thrift: {
    Type: Enumeration;
    ConvertedType: Enumeration;
    FieldRepetitionType: Enumeration;
    Encoding: Enumeration;
    PageType: Enumeration;
    CompressionCodec: Enumeration;
    Statistics: StructClass<Statistics>;
    SchemaElement: StructClass<SchemaElement>;
    PageHeader: StructClass<PageHeader>;
    DataPageHeader: StructClass<DataPageHeader>;
    DictionaryPageHeader: StructClass<{ num_values: number; encoding: number }>;
    ColumnMetaData: StructClass<ColumnMetaData>;
    ColumnChunk: StructClass<{ file_offset: number; meta_data: ThriftStruct }>;
    RowGroup: StructClass<{ columns: readonly ThriftStruct[]; total_byte_size: number; num_rows: number }>;
    KeyValue: StructClass<{ key: string; value: string }>;
    FileMetaData: StructClass<FileMetaData>;
    ColumnOrder: StructClass<{ TYPE_ORDER: ThriftStruct }>;
    TypeDefinedOrder: StructClass<object>;
    LogicalType: StructClass<{
      STRING: ThriftStruct;
      DECIMAL: ThriftStruct;
      DATE: ThriftStruct;
      TIMESTAMP: ThriftStruct;
    }>;
    StringType: StructClass<object>;
    DecimalType: StructClass<{ precision: number; scale: number }>;
    DateType: StructClass<object>;
    TimestampType: StructClass<{ isAdjustedToUTC: boolean; unit: ThriftStruct }>;
    TimeUnit: StructClass<{ MICROS: ThriftStruct }>;
    MicroSeconds: StructClass<object>;
  };
  export default thrift;
}
