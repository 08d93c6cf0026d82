import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { CfeLakeError } from '../errors.ts';
import { parseExactJson } from '../exact-json.ts';

/** The body is JSON, but not of the shape that the contract describes. */
export class BodyShapeError extends CfeLakeError {
  override name = 'BodyShapeError';
}

/** The body is larger, has more values or is nested deeper than anything the contract describes. */
export class BodyTooLargeError extends CfeLakeError {
  override name = 'BodyTooLargeError';
}

/** The body is not UTF-8, or compressed in a way that can't be undone. Decoding it anyway would change it. */
export class BodyEncodingError extends CfeLakeError {
  override name = 'BodyEncodingError';
}

type Inflate = (bytes: Buffer, limit: { maxOutputLength: number }) => Buffer;

/** Content codings (RFC 9110 §8.4.1). None is asked for, which leaves a server free to use any of them (§12.5.3). */
const CODINGS: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** A body in one piece, as it was before it was compressed. Throws BodyEncodingError and BodyTooLargeError. */
export function inflated(chunks: readonly Buffer[], coding: string | undefined, maxBytes: number): Buffer {
  const name = coding?.trim().toLowerCase() ?? '';
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (name === '' || name === 'identity') return bytes;
  const inflate = CODINGS.get(name);
  if (inflate === undefined) throw new BodyEncodingError('it is encoded in a way that is not known here');
  try {
    return inflate(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw new BodyTooLargeError(`it is larger than ${maxBytes} bytes`);
    throw new BodyEncodingError(`it can't be decompressed (${name})`);
  }
}

const BYTE_ORDER_MARK = '\u{feff}';

/** Receipts nest about 5 levels deep. Code that walks a value recurses once per level. */
const MAX_DEPTH = 100;

/**
 * A value takes up to some 110 bytes of memory, however short its text. Receipts have some 20 bytes a value, so that a
 * large body with less than these is none of them, and would take more than a small multiple of its size.
 */
const LEAST_BYTES_PER_VALUE = 8;
/** Bodies with fewer values may be as dense as they like. */
const FEW_VALUES = 50_000;

/**
 * The text of a body, without a byte-order mark. Throws BodyEncodingError, and BodyTooLargeError if it has more than
 * `maxValues` JSON values, or too many for its size.
 */
export function bodyText(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): string {
  if (!isUtf8(bytes)) throw new BodyEncodingError('it is not UTF-8');
  checkExtent(bytes, maxValues);
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
// Brackets and braces differ in this bit only.
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Runs before parsing: 27 MB of short members would become several hundred MB of objects. What is no JSON may pass, but
 * has no more values either.
 */
function checkExtent(bytes: Buffer, maxValues: number): void {
  const most = Math.min(maxValues, Math.max(FEW_VALUES, Math.floor(bytes.length / LEAST_BYTES_PER_VALUE)));
  let depth = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) values += 1;
    else if ((byte | BRACE) === OPENING) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw new BodyTooLargeError(`it is nested more than ${MAX_DEPTH} deep`);
    } else if ((byte | BRACE) === CLOSING) depth -= 1;
  }
  if (values > most) throw new BodyTooLargeError(`it holds more than ${most} values`);
}

/** Where the string that begins at `start` ends: most bytes are in strings, and this loop is the fastest for them. */
function endOfString(bytes: Buffer, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** A shorter token may occur in a body by chance. */
const LEAST_CHARACTERS = 8;

/** Whether a body contains the token that its request was sent with, plain or JSON-escaped. */
export function holdsToken(body: Buffer, token: string): boolean {
  if (token.length < LEAST_CHARACTERS) return false;
  const wanted = Buffer.from(token);
  if (body.includes(wanted)) return true;
  return body.includes(BACKSLASH) && unescaped(body).includes(wanted);
}

const LETTER_U = 0x75;

/** In no UTF-8, and so in no token. */
const NO_CHARACTER = 0xff;

/** The bytes with each escape replaced by the character that it stands for, of those that a header may hold. */
function unescaped(bytes: Buffer): Buffer {
  // No escape is shorter than its character in UTF-8. A loop over bytes: a call for each of millions of escapes would
  // take gigabytes.
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    let byte = bytes[index] ?? 0;
    if (byte === BACKSLASH) {
      index += 1;
      byte = bytes[index] ?? 0;
      const code = byte === LETTER_U ? codeUnit(bytes, index + 1) : undefined;
      if (code !== undefined) {
        index += 4;
        byte = code;
        if (code > 0xff) byte = NO_CHARACTER;
        else if (code > 0x7f) {
          plain[length] = 0xc0 | (code >> 6);
          length += 1;
          byte = 0x80 | (code & 0x3f);
        }
      }
    }
    plain[length] = byte;
    length += 1;
  }
  return plain.subarray(0, length);
}

/** The number of the four hexadecimal digits at this place; undefined if they are none. */
function codeUnit(bytes: Buffer, start: number): number | undefined {
  let code = 0;
  for (let index = start; index < start + 4; index += 1) {
    const digit = hexDigit(bytes[index] ?? 0);
    if (digit < 0) return undefined;
    code = code * 16 + digit;
  }
  return code;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Tells a web page, such as a gateway's or a login form, from JSON that was cut. Quotes nothing of the body. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (contentType?.startsWith('text/html') === true && /^\s*</.test(text)) {
    throw new BodyShapeError('it is a web page, not JSON');
  }
  return parseExactJson(text);
}
