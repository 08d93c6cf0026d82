import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

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
