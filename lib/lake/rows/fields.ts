import * as v from 'valibot';
import { canonicalJson, ExactNumber, isJsonObject, readInt64 } from '../../text/exact-json.ts';
import { printableName } from '../../text/printable-name.ts';
import { DAY_MS, uruguayDateTime } from '../../time/days.ts';
import { uruguayTimeOf } from '../../time/zoned.ts';
import type { UnknownFields } from '../../units/unit.ts';
import type { Value } from '../parquet/writer.ts';
import type { Column, ColumnType, Table } from '../tables.ts';
import type { ColumnBuffer } from './buffers.ts';

const SCALE = 2;
/** DECIMAL(17,2): 15 digits before the point and 2 after it, the largest amount that the law allows. */
const LARGEST_SCALED = 10n ** 17n - 1n;
const PAST_DOUBLES = 10 ** 15;
const MAX_EXPONENT = 400;
const LONGEST_DIGITS = MAX_EXPONENT + 17;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The amount in hundredths, exact: a `number` where that is safe, else a `bigint`. Undefined if the value is not a JSON
 * number, or has more than 2 decimals or more than 15 digits before the point.
 */
export function scaledAmount(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') {
    const scaled = Math.round(value * 100);
    // Division rounds correctly, and doubles tell decimals of 15 digits apart: equality proves at most two decimal
    // places. With 16 digits, neighbouring cents can be the same double.
    if (scaled / 100 === value && Math.abs(scaled) < PAST_DOUBLES) return scaled + 0;
    return scaledFromText(String(value));
  }
  return value instanceof ExactNumber ? scaledFromText(value.source) : undefined;
}

function scaledFromText(text: string): number | bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '');
  const exponent = Number(exponentText) - fraction.length + SCALE;
  // An exponent this large would only build a huge number.
  if (Math.abs(exponent) > MAX_EXPONENT) return /^0+$/.test(digits) ? 0 : undefined;
  // Past what any column holds, whatever the exponent: no need to make a number of millions of digits.
  if (digits.length > LONGEST_DIGITS) return undefined;
  let scaled: bigint;
  if (exponent >= 0) scaled = BigInt(digits) * 10n ** BigInt(exponent);
  else {
    const divisor = 10n ** BigInt(-exponent);
    if (BigInt(digits) % divisor !== 0n) return undefined;
    scaled = BigInt(digits) / divisor;
  }
  if (scaled > LARGEST_SCALED) return undefined;
  const signed = sign === '-' ? -scaled : scaled;
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

/** A local date-time in microseconds since 1970-01-01T00:00:00 local time. */
export interface LocalTimestamp {
  /** A `number` where that is safe (years 1685 to 2255), else a `bigint`. */
  micros: number | bigint;
  /** Whether every digit of the text is in `micros`; false for one past the sixth fractional digit that is not 0. */
  isWhole: boolean;
}

const LAST_MICRO = 'YYYY-MM-DDTHH:MM:SS.123456'.length;
/** The length of a moment to the nanosecond. */
const LONGEST = LAST_MICRO + 3;

/**
 * Reads the contract's DateTime (§2): `YYYY-MM-DDTHH:MM:SS`, no zone, up to 9 fractional digits; a date alone
 * stands for its first moment. Undefined for anything else, also for days and hours that do not exist.
 * Digits past the sixth, which are less than a microsecond, are cut off and never rounded.
 */
export function localTimestamp(text: string): LocalTimestamp | undefined {
  // By hand: a regular expression takes longer, and each receipt has two.
  const dayMs = dayMsOf(text);
  if (dayMs === undefined || text.length > LONGEST) return undefined;
  if (text.length === 10) return { micros: microsOf(dayMs, 0), isWhole: true };
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const ms = dayMs + (hour * 3600 + minute * 60 + second) * 1000;
  if (text.length === 19) return { micros: microsOf(ms, 0), isWhole: true };
  if (text[19] !== '.' || text.length === 20) return undefined;
  let micros = 0;
  let isWhole = true;
  for (let place = 20; place < LAST_MICRO || place < text.length; place += 1) {
    const digit = place < text.length ? text.charCodeAt(place) - ZERO : 0;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    if (place < LAST_MICRO) micros = micros * 10 + digit;
    else if (digit !== 0) isWhole = false;
  }
  return { micros: microsOf(ms, micros), isWhole };
}

const ZERO = '0'.charCodeAt(0);

/** The number of two digits at this place; NaN if there are none. */
function twoDigits(text: string, place: number): number {
  const tens = text.charCodeAt(place) - ZERO;
  const ones = text.charCodeAt(place + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function microsOf(ms: number, micros: number): number | bigint {
  const sum = ms * 1000 + micros;
  return Number.isSafeInteger(sum) ? sum : BigInt(ms) * 1000n + BigInt(micros);
}

function dayMsOf(text: string): number | undefined {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (text[4] !== '-' || text[7] !== '-') return undefined;
  const number = daysSinceEpoch(year, month, day);
  return number === undefined ? undefined : number * DAY_MS;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const YEAR_DAYS = 365;
/** Days before each month, beginning with March, so that the leap day is the last day of the year. */
const DAYS_BEFORE = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337];
const EPOCH = 719_468;

/** Days since 1970-01-01 in the Gregorian calendar; undefined if there is no such day. */
export function daysSinceEpoch(year: number, month: number, day: number): number | undefined {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const monthDays = month === 2 && isLeapYear ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  if (!(year >= 1 && day >= 1 && day <= monthDays)) return undefined;
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * YEAR_DAYS + leapDays + (DAYS_BEFORE[(month + 9) % 12] ?? 0) + day - 1 - EPOCH;
}

/** The local time of Uruguay at a moment in milliseconds since the epoch, as a timestamp column holds it. */
export function localMicros(epochMs: number): bigint {
  return BigInt(localTimestamp(uruguayDateTime(epochMs))?.micros ?? 0);
}

/**
 * How a value of the API's object fits its column. `cutOff`: the column holds all but a digit past its precision, and
 * the whole text goes to `otros` too. `converted`: a time with a zone, which the column holds as Uruguay's, and `otros` as
 * it came. `misfit`: another type, or too large; the column is null and the value goes to
 * `otros`.
 */
export type Fit = 'fits' | 'cutOff' | 'converted' | 'misfit';

/** Appends what the column can hold of a value; null for a misfit. */
export type FieldReader = (value: unknown, into: ColumnBuffer) => Fit;

function append(value: number | bigint | string | undefined, into: ColumnBuffer): Fit {
  into.append(value ?? null);
  return value === undefined ? 'misfit' : 'fits';
}

const readText: FieldReader = (value, into) =>
  // A lone surrogate has no UTF-8 form. `otros` keeps it, as the text of its escape.
  append(typeof value === 'string' && value.isWellFormed() ? value : undefined, into);

const readInt32: FieldReader = (value, into) =>
  append(typeof value === 'number' && (value | 0) === value ? value + 0 : undefined, into);

const readTimestamp: FieldReader = (value, into) => {
  const text = typeof value === 'string' ? value : '';
  const local = uruguayTimeOf(text);
  const timestamp = localTimestamp(local ?? text);
  append(timestamp?.micros, into);
  if (timestamp === undefined) return 'misfit';
  if (local !== undefined) return 'converted';
  return timestamp.isWhole ? 'fits' : 'cutOff';
};

/** JSON text with sorted keys. A number that is not safe as a double becomes a string: Athena and DuckDB would change it. */
export function documentText(value: unknown): string {
  return canonicalJson(value, ({ source }) => JSON.stringify(source));
}

const readObject: FieldReader = (value, into) =>
  append(isJsonObject(value) ? documentText(value) : undefined, into);

const readArray: FieldReader = (value, into) =>
  append(Array.isArray(value) ? documentText(value) : undefined, into);

const READERS: Partial<Record<ColumnType, FieldReader>> = {
  int32: readInt32,
  int64: (value, into) => append(readInt64(value), into),
  'decimal(17,2)': (value, into) => append(scaledAmount(value), into),
  timestamp: readTimestamp,
  string: readText,
};

/** The reader of a column's value in the API's object. Throws for a type of which the API has no values. */
export function fieldReader(column: Column): FieldReader {
  const reader = column.type === 'json' ? jsonReader(column) : READERS[column.type];
  if (reader === undefined) throw new TypeError(`column ${column.name}: no wire value is a ${column.type}`);
  return reader;
}

function jsonReader({ shape }: Column): FieldReader | undefined {
  if (shape === undefined) return undefined;
  return shape === 'array' ? readArray : readObject;
}

/** Fields of a unit that are told apart. Whoever sends a new name with each receipt fills no audit. */
const MOST_NAMES = 20;
/** Stands for all others. No name is shown like this. */
export const OTHER_FIELDS = '*';

/** Finds them in `otros`, which also has values that did not fit their column. */
export class UnknownFieldCounter {
  private readonly known: ReadonlySet<string>;
  private readonly receipts = new Map<string, number>();

  constructor({ columns }: Table) {
    this.known = new Set(
      columns.flatMap(({ path }) => (path === undefined ? [] : [path, ...levelsOf(path)])),
    );
  }

  /** `fieldsText`: `otros` of a receipt. */
  add(fieldsText: Value | undefined): void {
    if (typeof fieldsText !== 'string') return;
    const names = new Set<string>();
    for (const path of Object.keys(JSON.parse(fieldsText))) {
      if (this.known.has(path)) continue;
      const name = printableName(path);
      const isTold = this.receipts.has(name) || this.receipts.size < MOST_NAMES;
      if (isTold && !this.receipts.has(name)) this.receipts.set(name, 0);
      names.add(isTold ? name : OTHER_FIELDS);
    }
    for (const name of names) this.receipts.set(name, (this.receipts.get(name) ?? 0) + 1);
  }

  get found(): UnknownFields | undefined {
    return this.receipts.size === 0 ? undefined : this.receipts;
  }
}

/** `a.b.c` is in `a` and `a.b`. */
function levelsOf(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}

/** Both together. Names of details are marked: a field may be known in the one and not in the other. */
export function withDetailFields(
  listFields: UnknownFields | undefined,
  detailFields: UnknownFields | undefined,
): UnknownFields | undefined {
  return together(listFields, 'detalle:', detailFields);
}

/** How names of members of a list's pages begin in the audit. */
export const PAGE_MEMBER = 'pagina:';

/** The same with the members of the list's pages, which are of no receipt. */
export function withPageMembers(
  listFields: UnknownFields | undefined,
  pageMembers: UnknownFields,
): UnknownFields | undefined {
  return together(listFields, PAGE_MEMBER, pageMembers.size === 0 ? undefined : pageMembers);
}

function together(
  fields: UnknownFields | undefined,
  mark: string,
  moreFields: UnknownFields | undefined,
): UnknownFields | undefined {
  if (moreFields === undefined) return fields;
  const marked = [...moreFields].map(([name, receipts]) => [mark + name, receipts] as const);
  return new Map([...(fields ?? []), ...marked]);
}

/** The text that `exportaciones` stores. */
export function unknownFieldsJson(fields: UnknownFields): string {
  return JSON.stringify(Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1))));
}

const FieldsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));

/** The fields that the audit has, if they can be parsed. */
export function parseUnknownFields(json: string | null): (readonly [name: string, receipts: number])[] {
  if (json === null) return [];
  const parsed = v.safeParse(FieldsSchema, json);
  return parsed.success ? Object.entries(parsed.output) : [];
}
