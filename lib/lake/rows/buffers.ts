import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { Column } from '../tables.ts';

/** The values of one column, stored compactly while the rows of a unit arrive. */
export interface ColumnBuffer {
  append(value: number | bigint | string | null): void;
  /** Appends all values of a buffer of the same kind. */
  appendAll(buffer: ColumnBuffer): void;
  /** The value of a row as the Parquet writers take it. */
  value(row: number): Value;
  /** Approximate bytes of the text of a row. Only columns of texts have it. */
  textBytes?(row: number): number;
  /** Feeds the values of these rows, in this order, into a hash. Equal values give equal bytes. */
  hash(rows: Uint32Array, into: Hash): void;
}

const FIRST_CAPACITY = 128;

/** A growing list of numbers: a typed array that doubles. */
class Growing<T extends Float64Array | Uint32Array> {
  length = 0;
  private numbers: T;
  private readonly allocate: (length: number) => T;

  /** `empty`: an array of no numbers, which all lists may share. */
  constructor(empty: T, allocate: (length: number) => T) {
    this.numbers = empty;
    this.allocate = allocate;
  }

  push(value: number): void {
    if (this.length === this.numbers.length) {
      const grown = this.allocate(Math.max(FIRST_CAPACITY, this.length * 2));
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[this.length] = value;
    this.length += 1;
  }

  /** 0 past the end. */
  at(index: number): number {
    return this.numbers[index] ?? 0;
  }
}

// Most units of a night are empty, and each has dozens of these lists.
const NO_DOUBLES = new Float64Array(0);
const NO_INTEGERS = new Uint32Array(0);

function growingDoubles(): Growing<Float64Array> {
  return new Growing(NO_DOUBLES, (length) => new Float64Array(length));
}

function growingIntegers(): Growing<Uint32Array> {
  return new Growing(NO_INTEGERS, (length) => new Uint32Array(length));
}

const AT_ONCE = 8192;
const scratch = new Float64Array(AT_ONCE);

/** Feeds one number per row into a hash, in pieces, so that a long unit needs no second copy. */
function hashNumbers(rows: Uint32Array, into: Hash, numberOf: (row: number) => number): void {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const piece = rows.subarray(start, start + AT_ONCE);
    const numbers = scratch.subarray(0, piece.length);
    for (let index = 0; index < piece.length; index += 1) numbers[index] = numberOf(piece[index] ?? 0);
    into.update(numbers);
  }
}

/** Integers of up to 64 bits, stored as doubles if these are exact. The few others are stored separately. */
export class IntegerBuffer implements ColumnBuffer {
  private readonly values = growingDoubles();
  private readonly large = new Map<number, bigint>();
  private readonly isBigInt: boolean;

  /** `isBigInt`: whether the writers take this column's values as bigint. */
  constructor(isBigInt: boolean) {
    this.isBigInt = isBigInt;
  }

  append(value: number | bigint | string | null): void {
    if (typeof value === 'number') this.values.push(value);
    else if (typeof value === 'bigint') {
      const isSafe = Number.isSafeInteger(Number(value));
      if (!isSafe) this.large.set(this.values.length, value);
      this.values.push(isSafe ? Number(value) : Number.NaN);
    } else this.values.push(Number.NaN);
  }

  appendAll(buffer: ColumnBuffer): void {
    if (!(buffer instanceof IntegerBuffer)) throw new TypeError('integers are appended to integers only');
    for (const [row, value] of buffer.large) this.large.set(this.values.length + row, value);
    for (let row = 0; row < buffer.values.length; row += 1) this.values.push(buffer.values.at(row));
  }

  value(row: number): Value {
    const value = this.values.at(row);
    if (Number.isNaN(value)) return this.large.get(row) ?? null;
    return this.isBigInt ? BigInt(value) : value;
  }

  /** Compares for sorting: negative if the value of row `a` is less than that of row `b`. */
  compare(a: number, b: number): number {
    const difference = this.values.at(a) - this.values.at(b);
    if (!Number.isNaN(difference)) return difference;
    const left = this.value(a) ?? 0;
    const right = this.value(b) ?? 0;
    return left < right ? -1 : left > right ? 1 : 0;
  }

  hash(rows: Uint32Array, into: Hash): void {
    hashNumbers(rows, into, (row) => this.values.at(row));
    if (this.large.size === 0) return;
    for (let index = 0; index < rows.length; index += 1) {
      const large = this.large.get(rows[index] ?? 0);
      if (large !== undefined) into.update(`${index}:${large};`);
    }
  }
}

/** Texts, each distinct one stored once. */
class TextBuffer implements ColumnBuffer {
  private readonly codes = growingIntegers();
  private readonly texts: (string | null)[] = [null];
  private readonly codeOf = new Map<string, number>();
  private lastText: string | undefined;
  private lastCode = 0;

  append(value: number | bigint | string | null): void {
    this.codes.push(typeof value === 'string' ? this.code(value) : 0);
  }

  appendAll(buffer: ColumnBuffer): void {
    if (!(buffer instanceof TextBuffer)) throw new TypeError('texts are appended to texts only');
    const codes = buffer.texts.map((text) => (text === null ? 0 : this.code(text)));
    for (let row = 0; row < buffer.codes.length; row += 1) this.codes.push(codes[buffer.codes.at(row)] ?? 0);
  }

  value(row: number): Value {
    return this.texts[this.codes.at(row)] ?? null;
  }

  textBytes(row: number): number {
    return this.texts[this.codes.at(row)]?.length ?? 0;
  }

  hash(rows: Uint32Array, into: Hash): void {
    // Codes depend on the order in which rows arrived: they are renumbered by first appearance.
    const renumbered = new Uint32Array(this.texts.length);
    const texts: string[] = [];
    hashNumbers(rows, into, (row) => {
      const code = this.codes.at(row);
      if (code !== 0 && renumbered[code] === 0) {
        const text = this.texts[code] ?? '';
        texts.push(`${text.length}:${text}`);
        renumbered[code] = texts.length;
      }
      return renumbered[code] ?? 0;
    });
    into.update(texts.join(''));
  }

  private code(text: string): number {
    // Often the text of the previous row: comparing is cheaper than a lookup.
    if (text === this.lastText) return this.lastCode;
    let code = this.codeOf.get(text);
    if (code === undefined) {
      code = this.texts.length;
      this.texts.push(text);
      this.codeOf.set(text, code);
    }
    this.lastText = text;
    this.lastCode = code;
    return code;
  }
}

/** Texts that hardly ever repeat, such as JSON, by row. In lists nearly all are null. */
class LooseTextBuffer implements ColumnBuffer {
  private rowCount = 0;
  private readonly texts = new Map<number, string>();

  append(value: number | bigint | string | null): void {
    if (typeof value === 'string') this.texts.set(this.rowCount, value);
    this.rowCount += 1;
  }

  appendAll(buffer: ColumnBuffer): void {
    if (!(buffer instanceof LooseTextBuffer)) throw new TypeError('texts are appended to texts only');
    for (const [row, text] of buffer.texts) this.texts.set(this.rowCount + row, text);
    this.rowCount += buffer.rowCount;
  }

  value(row: number): Value {
    return this.texts.get(row) ?? null;
  }

  textBytes(row: number): number {
    return Buffer.byteLength(this.texts.get(row) ?? '');
  }

  hash(rows: Uint32Array, into: Hash): void {
    hashNumbers(rows, into, (row) => textLength(this.value(row)));
    for (const row of rows) {
      const text = this.texts.get(row);
      if (text !== undefined) into.update(text, 'utf8');
    }
  }
}

/** The length in bytes plus one; 0 for null. */
function textLength(value: Value): number {
  return typeof value === 'string' ? Buffer.byteLength(value) + 1 : 0;
}

export function newBuffer({ type }: Column): ColumnBuffer {
  if (type === 'string') return new TextBuffer();
  if (type === 'json') return new LooseTextBuffer();
  return new IntegerBuffer(type !== 'int32' && type !== 'date');
}
