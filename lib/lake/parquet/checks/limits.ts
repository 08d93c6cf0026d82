import { CfeLakeError } from '../../../errors.ts';

/** The bytes are not a valid file of the lake. The message says what is wrong, and shows nothing of the rows. */
export class WrongBytesError extends CfeLakeError {
  override name = 'WrongBytesError';
}

/** The footer of 5,000,000 rows is smaller than 1 MB. */
export const MAX_FOOTER_BYTES = 16 * 2 ** 20;
/** Ten times what the writers put into a row group (ROW_GROUP_ROWS). */
export const MAX_ROW_GROUP_ROWS = 1_000_000;
/** A row group has up to 32 MB of text, plus one last text as large as the largest response body. */
export const MAX_PAGE_BYTES = 128 * 2 ** 20;
/** Inflated pages in memory at once. Older writers put 100,000 details, some 300 MB, into a row group. */
export const MAX_ROW_GROUP_BYTES = 2 ** 30;

/** Counts the work of reading a file, and stops it when a row group takes more than any valid one. */
export class ReadWork {
  /** Bytes of pages, uncompressed. */
  inflatedBytes = 0;
  /** Values of pages, dictionaries included. */
  values = 0;
  private groupBytes = 0;
  private groupCharacters = 0;

  beginRowGroup(): void {
    this.groupBytes = 0;
    this.groupCharacters = 0;
  }

  /** Adds the texts of a column. A text of a dictionary counts each time it is used. Throws WrongBytesError. */
  addTexts(characterCount: number): void {
    this.groupCharacters += characterCount;
    expectThat(this.groupCharacters <= MAX_ROW_GROUP_BYTES, 'its texts are longer than any of the lake');
  }

  /** Call it before the page is inflated or decoded. Throws WrongBytesError. */
  addPage(byteCount: number, valueCount: number): void {
    this.inflatedBytes += byteCount;
    this.groupBytes += byteCount;
    this.values += valueCount;
    expectThat(this.groupBytes <= MAX_ROW_GROUP_BYTES, 'its pages are larger than any of the lake');
  }
}

/** Throws WrongBytesError unless `isSo`. */
export function expectThat(isSo: boolean, whatIsWrong: string): asserts isSo {
  if (!isSo) throw new WrongBytesError(whatIsWrong);
}

/** An integer from 0 to `most`. Throws WrongBytesError. */
export function countOf(value: unknown, most: number, what: string): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0 || count > most) {
    throw new WrongBytesError(`it gives an impossible ${what}`);
  }
  return count;
}
