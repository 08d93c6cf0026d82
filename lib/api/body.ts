import { isUtf8 } from 'node:buffer';
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib';
import { CfeLakeError } from '../system/errors.ts';
import { parseExactJson } from '../text/exact-json.ts';
import { isTwelveDigits } from '../units/rut.ts';

/** The body can't be used. The message says why, and quotes nothing of it. */
export class BodyError extends CfeLakeError {
  override name = 'BodyError';
  /** Whether another answer may be better. One that is too large, or nested too deep, is not asked for again. */
  readonly isWorthAgain: boolean;
  constructor(reason: string, isWorthAgain = true) {
    super(reason);
    this.isWorthAgain = isWorthAgain;
  }
}

type InflateOptions = Pick<ZlibOptions, 'maxOutputLength' | 'finishFlush'>;
type Inflate = (bytes: Buffer, options: InflateOptions) => Buffer;

/** Content codings (RFC 9110 §8.4.1). None is asked for, which leaves a server free to use any of them (§12.5.3). */
const CODINGS: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflatedOrRaw],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** Some servers send deflate without zlib's two bytes at its beginning (RFC 9110 §8.4.1.2). */
function inflatedOrRaw(bytes: Buffer, options: InflateOptions): Buffer {
  const isZlib = bytes.length > 1 && bytes.readUInt16BE() % 31 === 0 && ((bytes[0] ?? 0) & 0x0f) === 8;
  return (isZlib ? inflateSync : inflateRawSync)(bytes, options);
}

/**
 * Receipts compress to a thirtieth or so. What inflates to far more is none of them, and would take the time and memory of
 * its whole size before it is known to be none. Smaller bodies may be as dense as they like.
 */
const MOST_INFLATION = 200;
const LITTLE_BYTES = 4 * 1024 * 1024;

/** A body in one piece, as it was before it was compressed. Throws a BodyError. */
export function inflated(chunks: readonly Buffer[], coding: string | undefined, maxBytes: number): Buffer {
  const name = coding?.trim().toLowerCase() ?? '';
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (name === '' || name === 'identity') return bytes;
  const inflate = CODINGS.get(name);
  if (inflate === undefined) throw new BodyError('it is encoded in a way that is not known here');
  const mostInflated = Math.max(LITTLE_BYTES, MOST_INFLATION * bytes.length);
  try {
    return inflate(bytes, { maxOutputLength: Math.min(maxBytes, mostInflated) });
  } catch (error) {
    if (error instanceof RangeError && mostInflated < maxBytes) {
      throw new BodyError(`it inflates from ${bytes.length} to more than ${mostInflated} bytes`, false);
    }
    if (error instanceof RangeError) throw new BodyError(`it is larger than ${maxBytes} bytes`, false);
    throw new BodyError(`it can't be decompressed (${name})`);
  }
}

/** Not the end is expected: what there is of a body that was cut. The number is the same for each library. */
const AS_FAR_AS_IT_GOES = constants.BROTLI_OPERATION_FLUSH;

/** What bytes may be that were cut, or are encoded otherwise than was said: as they are, and by each coding that fits. */
export function possibleBodies(bytes: Buffer): Buffer[] {
  const inflations = [...new Set(CODINGS.values())].flatMap((inflate) => {
    try {
      return [inflate(bytes, { maxOutputLength: LITTLE_BYTES, finishFlush: AS_FAR_AS_IT_GOES })];
    } catch {
      return [];
    }
  });
  return [bytes, ...inflations];
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
 * The text of a body, without a byte-order mark. Throws a BodyError if it is no UTF-8, has more than `maxValues` JSON
 * values, or too many for its size.
 */
export function bodyText(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): string {
  if (!isUtf8(bytes)) throw new BodyError('it is not UTF-8');
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
      if (depth > MAX_DEPTH) throw new BodyError(`it is nested more than ${MAX_DEPTH} deep`, false);
    } else if ((byte | BRACE) === CLOSING) depth -= 1;
  }
  if (values > most) throw new BodyError(`it holds more than ${most} values`, false);
}

/** Where the string that begins at `start` ends: most bytes are in strings, and this loop is the fastest for them. */
function endOfString(bytes: Buffer, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** What no answer may hold: it would be stored. */
export interface Secret {
  text: string;
  /** A password may be a word that receipts have: only a whole text, name or number is taken for it. */
  isWord?: boolean;
}

/** A shorter secret may occur in a body by chance. */
const LEAST_CHARACTERS = 8;

/** What most tokens are made of, and the escapes of these characters: few bodies have one. */
const USUAL_TOKEN = /^[\w.-]*$/;
const ESCAPE = /\\[u/]/;
const ESCAPE_OF_USUAL_TOKEN = /\\u00(?:2[de]|3\d|[46][1-9a-f]|5[\daf]|7[\da])/i;

/**
 * Whether a JSON body contains the secret, plain or escaped. A RUT is none, and every receipt contains one. Throws a
 * SyntaxError.
 */
export function holdsSecret(body: string, { text, isWord = false }: Secret): boolean {
  if (text.length < LEAST_CHARACTERS || isTwelveDigits(text)) return false;
  const inJson = JSON.stringify(text).slice(1, -1);
  const isIn = (json: string) => json.includes(inJson) && (!isWord || hasWhole(json, text));
  if (isIn(body)) return true;
  const mayBeEscaped = (USUAL_TOKEN.test(text) ? ESCAPE_OF_USUAL_TOKEN : ESCAPE).test(body);
  if (!mayBeEscaped) return false;
  return isIn(JSON.stringify(JSON.parse(body)));
}

/** Whether a text, a name or a number of the JSON is this one, and nothing else. Throws a SyntaxError. */
function hasWhole(json: string, text: string): boolean {
  let isFound = false;
  JSON.parse(json, (key: string, value: unknown, { source }: { source?: string } = {}) => {
    isFound ||= value === text || key === text || source === text;
    return value;
  });
  return isFound;
}

/** Tells a web page, such as a gateway's or a login form, from JSON that was cut. Quotes nothing of the body. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (contentType?.startsWith('text/html') === true && /^\s*</.test(text)) {
    throw new BodyError('it is a web page, not JSON');
  }
  return parseExactJson(text);
}
