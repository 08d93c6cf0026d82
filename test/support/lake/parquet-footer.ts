import { createHash } from 'node:crypto';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { NO_CHECKSUM_YET } from '../../../lib/lake/parquet/checksum.ts';

/** The file's rows with this in the place of its footer. */
export function endedBy(file: Buffer, footer: Uint8Array): Buffer {
  const { metadata_length } = parquetMetadata(new Uint8Array(file).buffer);
  const end = Buffer.alloc(8, 'PAR1');
  end.writeUInt32LE(footer.length);
  return Buffer.concat([file.subarray(0, file.length - 8 - metadata_length), footer, end]);
}

/** The file with the checksum that its writer would have given it. */
export function signed(file: Buffer): Buffer {
  const { key_value_metadata } = parquetMetadata(new Uint8Array(file).buffer);
  const given = key_value_metadata?.find(({ key }) => key === NO_CHECKSUM_YET.key)?.value ?? '';
  const at = file.lastIndexOf(given);
  const unsigned = Buffer.from(file).fill('0', at, at + given.length);
  unsigned.write(createHash('sha256').update(unsigned).digest('hex'), at);
  return unsigned;
}

/** The file with another size in the header of the page that has this one, decoded. Both are from 64 to 8,191. */
export function withPageSize(file: Buffer, byteCount: number, claimedByteCount: number): Buffer {
  const [given = '', claimed = ''] = [byteCount, claimedByteCount].map((count) =>
    // A field of 32 bits after the page's type, as Thrift's compact protocol has it.
    Buffer.from([0x15, ((2 * count) & 127) | 128, (2 * count) >> 7]).toString('latin1'),
  );
  return Buffer.from(file.toString('latin1').replace(given, claimed), 'latin1');
}

/** A Parquet file with a footer that says something else. */
export function withFooter(file: Buffer, change: (footer: FileMetaData) => void): Buffer {
  const footer = parquetMetadata(new Uint8Array(file).buffer);
  change(footer);
  const writer = new ByteWriter();
  writer.appendBytes(file.subarray(0, file.length - 8 - footer.metadata_length));
  writeMetadata(writer, footer);
  writer.appendBytes(Buffer.from('PAR1'));
  return Buffer.from(writer.getBytes());
}

/** The file with a column that cannot be decoded. */
export function withDamagedColumn(file: Buffer, name: string): Buffer {
  const { row_groups } = parquetMetadata(new Uint8Array(file).buffer);
  const { meta_data } =
    row_groups[0]?.columns.find((column) => column.meta_data?.path_in_schema[0] === name) ?? {};
  const start = Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset);
  return Buffer.from(file).fill(0xff, start, start + Number(meta_data?.total_compressed_size));
}
