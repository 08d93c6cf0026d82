import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';

/** The body is larger than anything the contract would give. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** The body is not UTF-8: as text it would be another one. */
export class BodyEncodingError extends Error {
  override name = 'BodyEncodingError';
}

const BYTE_ORDER_MARK = '\u{feff}';

/**
 * The whole body as text, without a byte-order mark. Throws BodyTooLargeError past `maxBytes`, without reading on,
 * and BodyEncodingError.
 */
export async function readBodyText(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    byteCount += bytes.length;
    if (byteCount > maxBytes) {
      body.destroy();
      throw new BodyTooLargeError(`the body is larger than ${maxBytes} bytes`);
    }
    chunks.push(bytes);
  }
  return bodyText(chunks);
}

/** The text of a body that is here, without a byte-order mark. Throws BodyEncodingError. */
export function bodyText(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new BodyEncodingError('it is not UTF-8');
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
