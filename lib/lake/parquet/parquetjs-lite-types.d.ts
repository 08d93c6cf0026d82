/** Types of what is used of parquetjs-lite 0.8.7, which is CommonJS and has none. */

declare module 'parquetjs-lite/lib/schema.js' {
  class ParquetSchema {
    constructor(fields: object);
  }
  const schema: { ParquetSchema: typeof ParquetSchema };
  export default schema;
  export type { ParquetSchema };
}

declare module 'parquetjs-lite/lib/codec/plain.js' {
  const plain: {
    /** Overwrites the texts of the list with their bytes. */
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
      options: object,
    );
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
  type StructClass = new (fields?: object) => ThriftStruct;
  type Enumeration = Readonly<Record<string, number>>;
  type Structs =
    | 'ColumnChunk'
    | 'ColumnMetaData'
    | 'ColumnOrder'
    | 'DataPageHeader'
    | 'DateType'
    | 'DecimalType'
    | 'FileMetaData'
    | 'KeyValue'
    | 'LogicalType'
    | 'MicroSeconds'
    | 'PageHeader'
    | 'RowGroup'
    | 'SchemaElement'
    | 'Statistics'
    | 'StringType'
    | 'TimestampType'
    | 'TimeUnit'
    | 'TypeDefinedOrder';
  type Enumerations =
    | 'CompressionCodec'
    | 'ConvertedType'
    | 'Encoding'
    | 'FieldRepetitionType'
    | 'PageType'
    | 'Type';
  const thrift: Readonly<Record<Structs, StructClass> & Record<Enumerations, Enumeration>>;
  export default thrift;
}
