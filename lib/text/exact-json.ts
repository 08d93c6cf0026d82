import { randomBytes } from 'node:crypto';

/**
 * JSON without loss: a number that a double cannot hold exactly is kept as its own text.
 * Amounts have up to 17 digits and ids 64 bits (domain facts); JSON.parse alone would round both.
 */

/** A JSON number that is not safe as a double: more than 15 significant digits, or an exponent. */
export class ExactNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }

  /** Its digits, also in a template string. */
  toString(): string {
    return this.source;
  }

  /** JSON.stringify writes its digits, as a number. */
  toJSON(): unknown {
    return JSON.rawJSON(this.source);
  }
}

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text. Standard, but not among TypeScript's types yet. */
    rawJSON(text: string): unknown;
  }
}

// A double keeps any decimal of up to 15 significant digits, and whole numbers up to 2^53. A longer number has at least
// 17 characters, or 16 beginning with a 9, or an exponent. Digits inside strings match too, which only costs time. Two
// expressions without quantifiers: as one expression they take three times as long.
const DIGIT_OR_POINT = '[\\d.]';
const MAY_BE_LONG = new RegExp(`(?:9|${DIGIT_OR_POINT.repeat(2)})${DIGIT_OR_POINT.repeat(15)}`);
const MAY_HAVE_EXPONENT = /\de[-+\d]/i;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/**
 * Marks a long number that passes through JSON.parse as a string. It is random, so that no body can contain it, and
 * short, as a body may have a million long numbers.
 */
const LONG_NUMBER = randomBytes(6).toString('base64url');

/** Parses JSON; numbers are `number` where a double is exact, `ExactNumber` elsewhere. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  if (!MAY_BE_LONG.test(text) && !MAY_HAVE_EXPONENT.test(text)) {
    const parsed: unknown = JSON.parse(text);
    // If the whole text is a number, the expression may miss it.
    if (typeof parsed !== 'number' || isExactAsDouble(text.trim())) return parsed;
  }
  // Ten times as fast as a reviver with source texts, which runs for every value.
  return withExactNumbers(JSON.parse(withMarks(text)));
}

/** Pieces of text that are joined at once: a million would take far more memory than the text. */
const MAX_PIECES = 10_000;

/**
 * The text with its long numbers marked. A loop, since a regular expression that skips strings runs out of its stack in
 * a string of millions of escapes. Invalid JSON stays invalid: what no number may stand before is left alone.
 */
function withMarks(text: string): string {
  const joined: string[] = [];
  let pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  // Past the end of the outermost value nothing is JSON.
  for (let index = 0; index < text.length && depth >= 0; ) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = afterString(text, index);
    else if (code !== MINUS && !isDigit(code)) {
      if ((code | BRACE) === OPENING) depth += 1;
      else if ((code | BRACE) === CLOSING) depth -= 1;
      index += 1;
    } else {
      const end = afterNumber(text, index);
      if (end - index > 1 && mayEndValue(text, end) && isLongNumber(text.slice(index, end))) {
        pieces.push(text.slice(copied, index), '"', LONG_NUMBER, text.slice(index, end), '"');
        copied = end;
        if (pieces.length > MAX_PIECES) {
          joined.push(pieces.join(''));
          pieces = [];
        }
      }
      index = end;
    }
  }
  return [...joined, ...pieces, text.slice(copied)].join('');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
// Brackets and braces differ in this bit only.
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The place after the string that begins here; the end of the text if it has no end. */
function afterString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    index += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

const IN_NUMBER = new Set(Array.from('.eE+-', (character) => character.charCodeAt(0)));

/** The place after a number that begins here, and after what no number holds but looks like its part. */
function afterNumber(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (!isDigit(code) && !IN_NUMBER.has(code)) break;
    index += 1;
  }
  return index;
}

/** Whether a value may end here: next is the end of its array, object or text, or a comma. */
function mayEndValue(text: string, end: number): boolean {
  let index = end;
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index += 1;
  return index === text.length || ',]}'.includes(text.charAt(index));
}

function isLongNumber(token: string): boolean {
  return !isExactAsDouble(token) && JSON_NUMBER.test(token);
}

// Zeros after the point are not significant, but a double can't be smaller than 10^-308.
const MAX_EXACT_LENGTH = 300;

function isExactAsDouble(source: string): boolean {
  if (/[eE]/.test(source) || source.length > MAX_EXACT_LENGTH) return false;
  if (source.length <= 15) return true;
  if (!source.includes('.')) return Number.isSafeInteger(Number(source));
  return source.replace(/^-?0*\.?0*/, '').replace('.', '').length <= 15;
}

/** The parsed value, its marked strings replaced in place. */
function withExactNumbers(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(LONG_NUMBER) ? new ExactNumber(value.slice(LONG_NUMBER.length)) : value;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = withExactNumbers(value[index]);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      // Only values that can hold a marked string. `__proto__` is an own property here, and is set as one.
      if (typeof member === 'object' && member !== null) withExactNumbers(member);
      else if (typeof member === 'string' && member.startsWith(LONG_NUMBER)) {
        Object.defineProperty(members, name, { ...OWN, value: withExactNumbers(member) });
      }
    }
  }
  return value;
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;

/**
 * The value as JSON text with sorted keys, so that the same value always gives the same text. `exactText` returns the
 * text of a number that a double cannot hold; default: its own digits.
 */
export function canonicalJson(value: unknown, exactText = sourceOf): string {
  if (value instanceof ExactNumber) return exactText(value);
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member, exactText)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return canonicalJsonObject(Object.entries(value), exactText);
  }
  return typeof value === 'string' ? textJson(value) : (JSON.stringify(value) ?? 'null');
}

const LONE_SURROGATE = /\p{Surrogate}/gu;
/** A text of lone surrogates alone has one call and one piece for each: so many at a time take little memory. */
const PART_LENGTH = 65_536;

/**
 * A text as JSON. A lone surrogate, as in a name that was cut inside a pair, becomes the six characters of its escape:
 * DuckDB refuses a document that holds one, and with it every query that reads the document.
 */
function textJson(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + PART_LENGTH;
    // A pair stays in one part.
    const part = text.slice(start, (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end);
    parts.push(part.replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`));
    start += part.length;
  }
  return JSON.stringify(parts.join(''));
}

/** The same for an object given as its members. */
export function canonicalJsonObject(
  members: Iterable<readonly [string, unknown]>,
  exactText = sourceOf,
): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const texts = sorted.map(([key, member]) => `${textJson(key)}:${canonicalJson(member, exactText)}`);
  return `{${texts.join(',')}}`;
}

function sourceOf({ source }: ExactNumber): string {
  return source;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, not an array or an exact number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** A 64-bit integer: a `number` where that is exact, a `bigint` past 2^53; undefined for anything else. */
export function readInt64(value: unknown): number | bigint | undefined {
  // Not -0, which no column keeps.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
  const text = value instanceof ExactNumber ? value.source : value;
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return undefined;
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) !== integer) return undefined;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}
