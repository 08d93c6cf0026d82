/**
 * A JSON number that is not safe as a double: more than 15 significant digits, or an exponent. Amounts have up to 17
 * digits and ids 64 bits (domain facts); JSON.parse alone would round both.
 */
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
// 17 characters, or 16 beginning with a 9, or an exponent. Without quantifiers, which take longer.
const DIGIT_OR_POINT = '[\\d.]';
const MAY_BE_LONG = new RegExp(`(?:9|${DIGIT_OR_POINT.repeat(2)})${DIGIT_OR_POINT.repeat(15)}`);
const MAY_HAVE_EXPONENT = /\de[-+\d]/i;
/** Tells these from digits inside a string. */
const LONG_VALUE = /(?:^|[:,[\s])-?\d(?:[\d.]{15}|[\d.]*e)/i;

/** Parses JSON; numbers are `number` where a double is exact, `ExactNumber` elsewhere. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  const mayRound = (MAY_BE_LONG.test(text) || MAY_HAVE_EXPONENT.test(text)) && LONG_VALUE.test(text);
  // A reviver runs for every value, which takes long.
  return mayRound ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isRounded = typeof value === 'number' && source !== undefined && !isExactAsDouble(source);
  return isRounded ? new ExactNumber(source) : value;
}

// Zeros after the point are not significant, but a double can't be smaller than 10^-308.
const MAX_EXACT_LENGTH = 300;

function isExactAsDouble(source: string): boolean {
  if (source.length > MAX_EXACT_LENGTH || /e/i.test(source)) return false;
  if (source.length <= 15) return true;
  if (!source.includes('.')) return Number.isSafeInteger(Number(source));
  return source.replace(/^-?0*\.?0*/, '').replace('.', '').length <= 15;
}

/** The value as JSON text with sorted keys. `exactText`: of a number that a double cannot hold; default: its digits. */
export function canonicalJson(value: unknown, exactText: (number: ExactNumber) => string = String): string {
  if (value instanceof ExactNumber) return exactText(value);
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member, exactText)).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return canonicalJsonObject(Object.entries(value), exactText);
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
  exactText: (number: ExactNumber) => string = String,
): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const texts = sorted.map(([key, member]) => `${textJson(key)}:${canonicalJson(member, exactText)}`);
  return `{${texts.join(',')}}`;
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
