import { CfeLakeError } from '../../../errors.ts';

/** The bytes are not those of a whole file of the lake; the message says what is wrong, with nothing of its rows. */
export class WrongBytesError extends CfeLakeError {
  override name = 'WrongBytesError';
}

/** A footer of 5,000,000 rows has less than 1 MB. */
export const MAX_FOOTER_BYTES = 16 * 2 ** 20;
/** Ten times what the writers put into a row group (ROW_GROUP_ROWS). */
export const MAX_ROW_GROUP_ROWS = 1_000_000;
/** The writers put 32 MB of text into a row group, and a text of the largest body of an answer may come last. */
export const MAX_PAGE_BYTES = 128 * 2 ** 20;
/** What is in memory at once, before it is values; older writers put 100,000 details into a row group, some 300 MB. */
export const MAX_ROW_GROUP_BYTES = 2 ** 30;

/** What reading a file took; and it ends where a row group takes more than any of the lake has. */
export class ReadWork {
  /** Bytes of pages, as they are before compression. */
  inflatedBytes = 0;
  /** Values, those of dictionaries too, that pages were said and found to hold. */
  values = 0;
  private groupBytes = 0;
  private groupCharacters = 0;

  beginRowGroup(): void {
    this.groupBytes = 0;
    this.groupCharacters = 0;
  }

  /** The texts that a column's values are; many may be one text of a dictionary. Throws WrongBytesError. */
  addTexts(characterCount: number): void {
    this.groupCharacters += characterCount;
    expectThat(this.groupCharacters <= MAX_ROW_GROUP_BYTES, 'its texts are longer than any of the lake');
  }

  /** Called before the page is inflated, or its values are made. Throws WrongBytesError. */
  addPage(byteCount: number, valueCount: number): void {
    this.inflatedBytes += byteCount;
    this.groupBytes += byteCount;
    this.values += valueCount;
    expectThat(this.groupBytes <= MAX_ROW_GROUP_BYTES, 'its pages are larger than any of the lake');
  }
}

/** Throws WrongBytesError unless it is so. */
export function expectThat(isSo: boolean, whatIsWrong: string): asserts isSo {
  if (!isSo) throw new WrongBytesError(whatIsWrong);
}

/** The number of something: a whole one, from 0 to `most`. Throws WrongBytesError. */
export function countOf(value: unknown, most: number, what: string): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0 || count > most) {
    throw new WrongBytesError(`it says an impossible ${what}`);
  }
  return count;
}
