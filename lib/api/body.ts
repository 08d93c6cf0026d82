import { isUtf8 } from 'node:buffer';

/** The body is larger than anything the contract would give. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** The body is not UTF-8: as text it would be another one. */
export class BodyEncodingError extends Error {
  override name = 'BodyEncodingError';
}

const BYTE_ORDER_MARK = '\u{feff}';

/** The text of a body, without a byte-order mark. Throws BodyEncodingError. */
export function bodyText(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new BodyEncodingError('it is not UTF-8');
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
