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

/** A body as it was before it was compressed. Throws BodyEncodingError and BodyTooLargeError. */
export function inflated(
  chunks: readonly Buffer[],
  coding: string | undefined,
  maxBytes: number,
): readonly Buffer[] {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return chunks;
  const inflate = CODINGS.get(name);
  if (inflate === undefined) throw new BodyEncodingError('it is encoded in a way that is not known here');
  try {
    return [inflate(Buffer.concat(chunks), { maxOutputLength: maxBytes })];
  } catch (error) {
    if (error instanceof RangeError) throw new BodyTooLargeError(`it is larger than ${maxBytes} bytes`);
    throw new BodyEncodingError(`it can't be decompressed (${name})`);
  }
}

const BYTE_ORDER_MARK = '\u{feff}';

/** Receipts nest about 5 levels deep. Code that walks a value recurses once per level. */
const MAX_DEPTH = 100;

/**
 * The text of a body, without a byte-order mark. Throws BodyEncodingError, and BodyTooLargeError if it has more than
 * `maxValues` JSON values.
 */
export function bodyText(chunks: readonly Buffer[], maxValues = Number.POSITIVE_INFINITY): string {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
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

/** Runs before parsing: 27 MB of short members would become several hundred MB of objects. */
function checkExtent(bytes: Buffer, maxValues: number): void {
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
  if (values > maxValues) throw new BodyTooLargeError(`it holds more than ${maxValues} values`);
}

/** Where the string that begins at `start` ends: most bytes are in strings, and this loop is the fastest for them. */
function endOfString(bytes: Buffer, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** A shorter token may occur in a body by chance. */
const LEAST_CHARACTERS = 8;

const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|(.))/g;

/** Whether a body contains the token that its request was sent with, plain or JSON-escaped. */
export function holdsToken(body: string, token: string): boolean {
  if (token.length < LEAST_CHARACTERS) return false;
  if (body.includes(token)) return true;
  if (!body.includes('\\')) return false;
  return body
    .replace(ESCAPED, (_escape, code: string | undefined, character: string) =>
      code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .includes(token);
}

/** Tells a web page, such as a gateway's or a login form, from JSON that was cut. Quotes nothing of the body. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (contentType?.startsWith('text/html') === true && /^\s*</.test(text)) {
    throw new BodyShapeError('it is a web page, not JSON');
  }
  return parseExactJson(text);
}
