import { createHash } from 'node:crypto';
import type { AsyncBuffer } from 'hyparquet';
import { assertNotEnding } from '../../system/under-way.ts';
import { bytesOf, type FooterPlace } from './footer.ts';

/**
 * A file's checksum: the SHA-256 of all its bytes, in hexadecimal, as a pair of its own footer. The digits themselves
 * are taken for zeros. Any changed byte shows before a page is decoded, which matters because decoders trust lengths.
 */

const KEY = 'cfe-lake.sha256';
const DIGITS = 64;

/** A pair that the footer of a file has which is then given to `Checksum`. */
export const NO_CHECKSUM_YET = { key: KEY, value: '0'.repeat(DIGITS) };

/** The pair as Thrift's compact protocol has it: the key, then field 2, a text of 64 bytes. */
const BEFORE_DIGITS = Buffer.concat([Buffer.from(KEY), Uint8Array.of(0x18, DIGITS)]);

/** How much is read and hashed at a time. */
const PIECE_BYTES = 16 * 2 ** 20;
/** What is read within a second or two is read to its end, also by a run that ends. */
const LONG_BYTES = 2 ** 30;

/** Makes the checksum of a file while its bytes are written, in order. */
export class Checksum {
  private readonly hash = createHash('sha256');

  /** The same bytes. */
  noted(bytes: Uint8Array): Uint8Array {
    this.hash.update(bytes);
    return bytes;
  }

  /** The file's last bytes, with its whole footer: with the checksum filled in. */
  filledInto(footer: Uint8Array): Uint8Array {
    const filled = Buffer.from(footer);
    const digitsAt = digitsIn(filled);
    if (digitsAt === undefined) throw new TypeError('a footer without a place for its checksum');
    filled.write(this.hash.update(footer).digest('hex'), digitsAt, 'latin1');
    return filled;
  }
}

/** Whether the file has the bytes that it was written with; not if it says no checksum. */
export async function isIntact(file: AsyncBuffer, { start, bytes }: FooterPlace): Promise<boolean> {
  const footer = Buffer.from(bytes);
  const digitsAt = digitsIn(footer);
  if (digitsAt === undefined) return false;
  const written = footer.toString('latin1', digitsAt, digitsAt + DIGITS);
  footer.fill('0', digitsAt, digitsAt + DIGITS);
  const hash = createHash('sha256');
  for (let from = 0; from < start; from += PIECE_BYTES) {
    if (from >= LONG_BYTES) assertNotEnding();
    hash.update(await bytesOf(file, from, Math.min(from + PIECE_BYTES, start)));
  }
  return hash.update(footer).digest('hex') === written;
}

/** Where the digits begin. The last such place: texts of receipts come before the pairs, as bounds of columns. */
function digitsIn(footer: Buffer): number | undefined {
  const at = footer.lastIndexOf(BEFORE_DIGITS) + BEFORE_DIGITS.length;
  return at < BEFORE_DIGITS.length || at + DIGITS > footer.length ? undefined : at;
}
