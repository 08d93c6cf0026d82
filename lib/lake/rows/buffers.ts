import type { Hash } from 'node:crypto';
import type { TypedValues } from '../parquet/typed/values.ts';
import type { Value } from '../parquet/writer.ts';

/** The values of one column, kept compactly while the rows of a unit come in. */
export interface ColumnBuffer {
  append(value: number | bigint | string | null): void;
  /** The value of a row as the Parquet writers take it. */
  value(row: number): Value;
  /** The values of these rows, in this order. */
  valuesOf(rows: Uint32Array): Value[];
  /** The same without an object for each; undefined where there is no such form. */
  typedValuesOf(rows: Uint32Array): TypedValues | undefined;
  /** Feeds the values of these rows, in this order, into a hash: equal values always give equal bytes. */
  hash(rows: Uint32Array, into: Hash): void;
}

const FIRST_CAPACITY = 128;

/** Integers of up to 64 bits: doubles where they are exact, the few larger ones beside them. */
export class IntegerBuffer implements ColumnBuffer {
  private values = new Float64Array(FIRST_CAPACITY);
  private readonly large = new Map<number, bigint>();
  private length = 0;
  private readonly isBigInt: boolean;

  /** `isBigInt`: whether the writers take this column's values as bigint. */
  constructor(isBigInt: boolean) {
    this.isBigInt = isBigInt;
  }

  append(value: number | bigint | string | null): void {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Float64Array(this.length * 2));
    if (typeof value === 'number') this.values[this.length] = value;
    else {
      this.values[this.length] = Number.NaN;
      if (typeof value === 'bigint') {
        if (Number.isSafeInteger(Number(value))) this.values[this.length] = Number(value);
        else this.large.set(this.length, value);
      }
    }
    this.length += 1;
  }

  value(row: number): Value {
    const value = this.values[row] ?? Number.NaN;
    if (Number.isNaN(value)) return this.large.get(row) ?? null;
    return this.isBigInt ? BigInt(value) : value;
  }

  valuesOf(rows: Uint32Array): Value[] {
    const values = new Array<Value>(rows.length);
    for (let index = 0; index < rows.length; index += 1) values[index] = this.value(rows[index] ?? 0);
    return values;
  }

  typedValuesOf(rows: Uint32Array): TypedValues | undefined {
    if (this.large.size > 0) return undefined;
    const values = new Float64Array(rows.length);
    for (let index = 0; index < rows.length; index += 1)
      values[index] = this.values[rows[index] ?? 0] ?? Number.NaN;
    return { kind: 'integers', values };
  }

  /** For sorting: negative when the value of row `a` is less than that of row `b`. */
  compare(a: number, b: number): number {
    const difference = (this.values[a] ?? 0) - (this.values[b] ?? 0);
    if (!Number.isNaN(difference)) return difference;
    const left = this.value(a) ?? 0;
    const right = this.value(b) ?? 0;
    return left < right ? -1 : left > right ? 1 : 0;
  }

  hash(rows: Uint32Array, into: Hash): void {
    const inOrder = new Float64Array(rows.length);
    const large: string[] = [];
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const value = this.values[row] ?? Number.NaN;
      inOrder[index] = value;
      if (Number.isNaN(value) && this.large.has(row)) large.push(`${index}:${this.large.get(row)}`);
    }
    into.update(inOrder);
    into.update(`${large.join()};`);
  }
}

/** Texts, each different one kept once. */
export class TextBuffer implements ColumnBuffer {
  private codes = new Uint32Array(FIRST_CAPACITY);
  private readonly texts: (string | null)[] = [null];
  private readonly codeOf = new Map<string, number>();
  private length = 0;
  private lastText: string | undefined;
  private lastCode = 0;

  append(value: number | bigint | string | null): void {
    if (this.length === this.codes.length) this.codes = grown(this.codes, new Uint32Array(this.length * 2));
    this.codes[this.length] = typeof value === 'string' ? this.code(value) : 0;
    this.length += 1;
  }

  value(row: number): Value {
    return this.texts[this.codes[row] ?? 0] ?? null;
  }

  valuesOf(rows: Uint32Array): Value[] {
    const values = new Array<Value>(rows.length);
    for (let index = 0; index < rows.length; index += 1) values[index] = this.value(rows[index] ?? 0);
    return values;
  }

  typedValuesOf(rows: Uint32Array): TypedValues {
    const codes = new Uint32Array(rows.length);
    for (let index = 0; index < rows.length; index += 1) codes[index] = this.codes[rows[index] ?? 0] ?? 0;
    return { kind: 'texts', codes, texts: this.texts };
  }

  hash(rows: Uint32Array, into: Hash): void {
    // Codes are numbered again by first appearance, since they depend on the order in which rows came.
    const renumbered = new Uint32Array(this.texts.length);
    const inOrder = new Uint32Array(rows.length);
    const texts: string[] = [];
    for (let index = 0; index < rows.length; index += 1) {
      const code = this.codes[rows[index] ?? 0] ?? 0;
      if (code === 0) continue;
      if (renumbered[code] === 0) {
        const text = this.texts[code] ?? '';
        texts.push(`${text.length}:${text}`);
        renumbered[code] = texts.length;
      }
      inOrder[index] = renumbered[code] ?? 0;
    }
    into.update(texts.join(''));
    into.update(inOrder);
  }

  private code(text: string): number {
    // Many a text is that of the row before: comparing is cheaper than looking up.
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

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
