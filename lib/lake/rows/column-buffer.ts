import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';

/** The values of one column, stored compactly while the rows of a unit arrive. */
export interface ColumnBuffer {
  append(value: number | bigint | string | null): void;
  /** Appends all values of a buffer of the same kind. */
  appendAll(other: ColumnBuffer): void;
  /** The value of a row as the Parquet writers take it. */
  value(row: number): Value;
  /** Approximate bytes of the text of a row. Absent for columns without texts. */
  textBytes?(row: number): number;
  /** Feeds the values of these rows, in this order, into a hash. Equal values give equal bytes. */
  hash(rows: Uint32Array, into: Hash): void;
}

const FIRST_CAPACITY = 128;
const CHUNK_BITS = 16;
const CHUNK = 2 ** CHUNK_BITS;
const CHUNK_MASK = CHUNK - 1;

type NumberArray = Float64Array | Uint32Array;

/**
 * A growing list of numbers: one small array that doubles, then chunks of 65,536. A single array that doubles would take
 * most memory when there are most rows: half of it empty, and the old copy beside it.
 */
class Chunked<T extends NumberArray> {
  length = 0;
  private readonly allocate: (length: number) => T;
  private readonly chunks: T[];
  private last: T;
  private lastStart = 0;

  /** `empty`: an array of no numbers, which all lists may share. */
  constructor(empty: T, allocate: (length: number) => T) {
    this.allocate = allocate;
    this.last = empty;
    this.chunks = [empty];
  }

  push(value: number): void {
    if (this.length - this.lastStart === this.last.length) this.grow();
    this.last[this.length - this.lastStart] = value;
    this.length += 1;
  }

  /** 0 past the end. */
  at(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & CHUNK_MASK] ?? 0;
  }

  /** Fills the array with the numbers at these indexes, in this order. */
  pick(indexes: Uint32Array, into: NumberArray): void {
    if (isRun(indexes)) this.pickRun(indexes[0] ?? 0, into.subarray(0, indexes.length));
    else for (let place = 0; place < indexes.length; place += 1) into[place] = this.at(indexes[place] ?? 0);
  }

  /** The same for consecutive indexes, a chunk at a time. */
  private pickRun(start: number, into: NumberArray): void {
    for (let done = 0; done < into.length; ) {
      const chunk = this.chunks[(start + done) >>> CHUNK_BITS];
      const from = (start + done) & CHUNK_MASK;
      const part = chunk?.subarray(from, from + into.length - done) ?? [];
      if (part.length === 0) throw new RangeError(`there is no number ${start + done}`);
      into.set(part, done);
      done += part.length;
    }
  }

  private grow(): void {
    if (this.last.length < CHUNK) {
      const grown = this.allocate(Math.max(FIRST_CAPACITY, Math.min(CHUNK, this.last.length * 2)));
      grown.set(this.last);
      this.last = grown;
      this.chunks[this.chunks.length - 1] = grown;
      return;
    }
    this.lastStart += CHUNK;
    this.last = this.allocate(CHUNK);
    this.chunks.push(this.last);
  }
}

function isRun(indexes: Uint32Array): boolean {
  const first = indexes[0] ?? 0;
  for (let place = 1; place < indexes.length; place += 1) if (indexes[place] !== first + place) return false;
  return true;
}

// Most units of a night are empty, and each has dozens of these lists.
const NO_DOUBLES = new Float64Array(0);
const NO_INTEGERS = new Uint32Array(0);
const newDoubles = (length: number) => new Float64Array(length);
const newIntegers = (length: number) => new Uint32Array(length);

export function chunkedDoubles(): Chunked<Float64Array> {
  return new Chunked(NO_DOUBLES, newDoubles);
}

export function chunkedIntegers(): Chunked<Uint32Array> {
  return new Chunked(NO_INTEGERS, newIntegers);
}

const AT_ONCE = 8192;
const scratch = new Float64Array(AT_ONCE);

/**
 * Feeds one number per row into a hash, in pieces, so that a long unit needs no second copy. `fill` puts the numbers of
 * some rows into an array.
 */
export function hashNumbers(
  rows: Uint32Array,
  into: Hash,
  fill: (rows: Uint32Array, numbers: Float64Array) => void,
): void {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const piece = rows.subarray(start, start + AT_ONCE);
    const numbers = scratch.subarray(0, piece.length);
    fill(piece, numbers);
    into.update(numbers);
  }
}
