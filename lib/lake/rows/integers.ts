import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { ColumnBuffer } from './buffers.ts';
import { chunkedDoubles } from './chunked.ts';
import { hashNumbers } from './hash-numbers.ts';

/** Integers of up to 64 bits: doubles where they are exact, the few larger ones beside them. */
export class IntegerBuffer implements ColumnBuffer {
  private readonly values = chunkedDoubles();
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

  appendAll(other: ColumnBuffer): void {
    if (!(other instanceof IntegerBuffer)) throw new TypeError('integers are appended to integers only');
    for (const [row, value] of other.large) this.large.set(this.values.length + row, value);
    for (let row = 0; row < other.values.length; row += 1) this.values.push(other.values.at(row));
  }

  value(row: number): Value {
    const value = this.values.at(row);
    if (Number.isNaN(value)) return this.large.get(row) ?? null;
    return this.isBigInt ? BigInt(value) : value;
  }

  valuesOf(rows: Uint32Array): Value[] {
    const values = new Array<Value>(rows.length);
    for (let index = 0; index < rows.length; index += 1) values[index] = this.value(rows[index] ?? 0);
    return values;
  }

  /** For sorting: negative when the value of row `a` is less than that of row `b`. */
  compare(a: number, b: number): number {
    const difference = this.values.at(a) - this.values.at(b);
    if (!Number.isNaN(difference)) return difference;
    const left = this.value(a) ?? 0;
    const right = this.value(b) ?? 0;
    return left < right ? -1 : left > right ? 1 : 0;
  }

  hash(rows: Uint32Array, into: Hash): void {
    hashNumbers(rows, into, (piece, numbers) => this.values.pick(piece, numbers));
    if (this.large.size === 0) return;
    for (let index = 0; index < rows.length; index += 1) {
      const large = this.large.get(rows[index] ?? 0);
      if (large !== undefined) into.update(`${index}:${large};`);
    }
  }
}
