import { zstdCompressSync } from 'node:zlib';
import type { ColumnMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

/** A field of a Thrift struct: 32 bits, 64 bits, a boolean or a struct; undefined leaves it out. */
export type Field = number | bigint | boolean | Fields | undefined;
export type Fields = { readonly [id: number]: Field };

/** A page to write into a file, sound or not. */
export interface CraftedPage {
  header: Fields;
  /** What follows the header. */
  bytes: Uint8Array;
}

export interface CraftedFile {
  pages: readonly CraftedPage[];
  rowCount?: number;
  element?: Partial<SchemaElement>;
  meta?: Partial<ColumnMetaData>;
  group?: Partial<RowGroup>;
  totalRows?: bigint;
}

/** A file of one column `v` and one row group of these pages; by default, 8 optional 64-bit integers. */
export function craftedFile({ pages, rowCount = 8, element, meta, group, totalRows }: CraftedFile): Buffer {
  const output = new ByteWriter();
  const column: SchemaElement = { name: 'v', type: 'INT64', repetition_type: 'OPTIONAL', ...element };
  const schema = [{ name: 'schema', num_children: 1 }, column];
  const writer = new ParquetWriter({ writer: output, schema, codec: 'ZSTD' });
  const start = output.offset;
  for (const { header, bytes } of pages) {
    output.appendBytes(structBytes(header));
    output.appendBytes(bytes);
  }
  const meta_data: ColumnMetaData = {
    type: column.type ?? 'INT64',
    encodings: ['PLAIN'],
    path_in_schema: ['v'],
    codec: 'ZSTD',
    num_values: BigInt(rowCount),
    total_compressed_size: BigInt(output.offset - start),
    total_uncompressed_size: 0n,
    data_page_offset: BigInt(start),
    ...meta,
  };
  writer.row_groups.push({
    columns: [{ file_offset: 0n, meta_data }],
    total_byte_size: 0n,
    num_rows: BigInt(rowCount),
    ...group,
  });
  writer.num_rows = totalRows ?? BigInt(rowCount);
  writer.finish();
  return Buffer.from(output.getBytes());
}

/** Definition levels of a V2 page without nulls, for up to 63 values. */
export const allPresent = (count: number): Uint8Array => Uint8Array.of(2 * count, 1);

interface DataPage {
  values: Uint8Array;
  count?: number;
  encoding?: number;
  levels?: Uint8Array;
  nulls?: number;
  /** Overrides fields of the page's header; `v2`, those of the data page's header in it. */
  header?: Fields;
  v2?: Fields;
  isCompressed?: boolean;
}

/** A V2 page, sound except for what is overridden. */
export function dataPage({
  values,
  count = 8,
  encoding = 0,
  nulls = 0,
  header,
  v2,
  ...rest
}: DataPage): CraftedPage {
  const { levels = allPresent(count), isCompressed = true } = rest;
  const body = isCompressed ? zstdCompressSync(values) : values;
  return {
    header: {
      1: 3,
      2: levels.length + values.length,
      3: levels.length + body.length,
      8: { 1: count, 2: nulls, 3: count, 4: encoding, 5: levels.length, 6: 0, 7: isCompressed, ...v2 },
      ...header,
    },
    bytes: Buffer.concat([levels, body]),
  };
}

/** A V1 page, sound except for what is overridden. `levels` include their length prefix. */
export function oldDataPage(
  values: Uint8Array,
  levels: Uint8Array,
  v1?: Fields,
  header?: Fields,
): CraftedPage {
  const plain = Buffer.concat([levels, values]);
  const bytes = zstdCompressSync(plain);
  return {
    header: { 1: 0, 2: plain.length, 3: bytes.length, 5: { 1: 8, 2: 0, 3: 3, 4: 3, ...v1 }, ...header },
    bytes,
  };
}

export function dictionaryPage(values: Uint8Array, count: number, header?: Fields): CraftedPage {
  const bytes = zstdCompressSync(values);
  return { header: { 1: 2, 2: values.length, 3: bytes.length, 7: { 1: count, 2: 0 }, ...header }, bytes };
}

/** This many 64-bit integers, counting up from 1. */
export function integers(count: number): Uint8Array {
  return new Uint8Array(BigInt64Array.from({ length: count }, (_, index) => BigInt(index + 1)).buffer);
}

/** The bytes, prefixed by their length in four bytes. */
export function withLength(bytes: Uint8Array, length = bytes.length): Uint8Array {
  return Buffer.concat([new Uint8Array(Uint32Array.of(length).buffer), bytes]);
}

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

/** A delta-encoded block: its header, then `rest`. */
export function deltas(blockSize: number, miniblocks: number, total: number, rest: Uint8Array): Uint8Array {
  return Buffer.concat([varint(blockSize), varint(miniblocks), varint(total), varint(0), rest]);
}

function structBytes(fields: Fields): Uint8Array {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const id = Number(name);
    parts.push(...fieldBytes(id - last, value));
    last = id;
  }
  return Buffer.concat([...parts, Uint8Array.of(0)]);
}

function fieldBytes(delta: number, value: NonNullable<Field>): Uint8Array[] {
  const head = (type: number) => Uint8Array.of((delta << 4) | type);
  if (typeof value === 'boolean') return [head(value ? 1 : 2)];
  if (typeof value === 'object') return [head(12), structBytes(value)];
  const zigzag = (BigInt(value) << 1n) ^ (BigInt(value) < 0n ? -1n : 0n);
  return [head(typeof value === 'number' ? 5 : 6), varint(zigzag)];
}

/** A file of nothing but this footer. */
export function withFooter(footer: Uint8Array): Buffer {
  const length = Uint32Array.of(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), footer, new Uint8Array(length.buffer), Buffer.from('PAR1')]);
}
