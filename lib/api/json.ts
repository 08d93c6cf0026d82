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
}

// A double gives back any decimal of up to 15 significant digits; a run of 16 characters may hold more.
const MAY_HOLD_LONG_NUMBER = /[:,[\s]-?(?:\d[\d.]{15}|[\d.]+[eE])/;

/** Parses JSON; numbers are `number` where a double is exact, `ExactNumber` elsewhere. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  if (MAY_HOLD_LONG_NUMBER.test(text)) return JSON.parse(text, keepLongNumbers);
  const parsed: unknown = JSON.parse(text);
  // A number that is the whole text has nothing before it for the expression to find.
  return typeof parsed === 'number' ? JSON.parse(text, keepLongNumbers) : parsed;
}

function keepLongNumbers(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  return isExactAsDouble(context.source) ? value : new ExactNumber(context.source);
}

function isExactAsDouble(source: string): boolean {
  // Past 300 zeros after the point a double comes near its smallest values.
  if (source.length > 300 || /[eE]/.test(source)) return false;
  return source.replace(/^-?0*\.?0*/, '').replace('.', '').length <= 15;
}

/** The value as JSON text with sorted keys, so that the same value always gives the same text. */
export function canonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalJsonObject(Object.entries(value));
  return JSON.stringify(value) ?? 'null';
}

/** The same for an object that is given by its members. */
export function canonicalJsonObject(members: Iterable<readonly [string, unknown]>): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

/** A 64-bit integer: a `number` where that is exact, a `bigint` past 2^53; undefined for anything else. */
export function readInt64(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  const text = value instanceof ExactNumber ? value.source : value;
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return undefined;
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) !== integer) return undefined;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}
