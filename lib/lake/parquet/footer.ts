import { type AsyncBuffer, type FileMetaData, parquetMetadata } from 'hyparquet';
import { structEnd } from './thrift.ts';
import { expectThat, WrongBytesError } from './wrong-bytes.ts';

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const END_BYTES = 8;
/** Fetched at once: enough for most footers, and for most whole files. */
const TAIL_BYTES = 512 * 1024;

/** That of 5,000,000 rows is smaller than 1 MB. */
const MAX_FOOTER_BYTES = 16 * 2 ** 20;

/** Where a file's footer is. Its bytes go to the end of the file, with its length and the magic. */
export interface FooterPlace {
  start: number;
  bytes: Uint8Array;
}

/** Throws WrongBytesError, and what the store throws. */
export async function findFooter(
  file: AsyncBuffer,
  mostFooterBytes = MAX_FOOTER_BYTES,
): Promise<FooterPlace> {
  const tail = await bytesOf(file, Math.max(0, file.byteLength - TAIL_BYTES), file.byteLength);
  const end = tail.subarray(-END_BYTES);
  expectThat(
    end.length === END_BYTES && isMagic(end.subarray(-MAGIC.length)),
    'its end is not that of a Parquet file',
  );
  const footerBytes = new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  const start = file.byteLength - END_BYTES - footerBytes;
  expectThat(start >= MAGIC.length && footerBytes <= mostFooterBytes, 'its footer has an impossible length');
  const bytes =
    footerBytes + END_BYTES <= tail.length
      ? tail.subarray(-footerBytes - END_BYTES)
      : await bytesOf(file, start, file.byteLength);
  return { start, bytes };
}

/** Throws WrongBytesError. */
export function parsedFooter({ bytes }: FooterPlace): FileMetaData {
  structEnd(bytes, 0);
  try {
    return parquetMetadata(bytes, { geoparquet: false });
  } catch (error) {
    throw new WrongBytesError('its footer cannot be parsed', { cause: error });
  }
}

/** A copy of these bytes of the file. Throws WrongBytesError if it ends before. */
export async function bytesOf(
  file: AsyncBuffer,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await file.slice(start, end));
  expectThat(bytes.length === end - start, 'it is cut');
  return bytes;
}

function isMagic(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString('latin1') === MAGIC;
}
