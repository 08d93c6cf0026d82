import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { ColumnBuffer } from './column-buffer.ts';
import { chunkedDoubles, chunkedIntegers, hashNumbers } from './column-buffer.ts';

/** A text's place is its block's index times this, plus its offset in the block. */
const BLOCK_PLACE = 2 ** 32;
const FIRST_BYTES = 4096;
const BLOCK_BYTES = 2 ** 20;
/** Most bytes of UTF-8 for one UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Texts that hardly ever repeat, such as JSON: their UTF-8, one after another, in blocks. */
export class LooseTextBuffer implements ColumnBuffer {
  private readonly blocks: Buffer[] = [Buffer.alloc(0)];
  private lastBytes = 0;
  private readonly places = chunkedDoubles();
  /** Bytes plus one; 0 for null. */
  private readonly lengths = chunkedIntegers();

  append(value: number | bigint | string | null): void {
    if (typeof value !== 'string') {
      this.places.push(0);
      this.lengths.push(0);
      return;
    }
    const block = this.blockFor(value.length * BYTES_PER_UNIT);
    const written = block.write(value, this.lastBytes, 'utf8');
    this.noteWritten(written);
  }

  appendAll(other: ColumnBuffer): void {
    if (!(other instanceof LooseTextBuffer)) throw new TypeError('texts are appended to texts only');
    for (let row = 0; row < other.lengths.length; row += 1) {
      const bytes = other.bytesOf(row);
      if (bytes === undefined) this.append(null);
      else {
        bytes.copy(this.blockFor(bytes.length), this.lastBytes);
        this.noteWritten(bytes.length);
      }
    }
  }

  value(row: number): Value {
    return this.bytesOf(row)?.toString('utf8') ?? null;
  }

  valuesOf(rows: Uint32Array): Value[] {
    return Array.from(rows, (row) => this.value(row));
  }

  textBytes(row: number): number {
    return Math.max(0, this.lengths.at(row) - 1);
  }

  hash(rows: Uint32Array, into: Hash): void {
    hashNumbers(rows, into, (piece, numbers) => this.lengths.pick(piece, numbers));
    // Adjacent texts are hashed as one piece: a call takes longer than hashing a short text.
    let start = 0;
    let end = 0;
    const flush = () => {
      const bytes = this.bytesAt(start, end - start + 1);
      if (bytes !== undefined) into.update(bytes);
    };
    for (const row of rows) {
      const length = this.lengths.at(row);
      if (length === 0) continue;
      const place = this.places.at(row);
      if (place !== end) {
        flush();
        start = place;
      }
      end = place + length - 1;
    }
    flush();
  }

  private bytesOf(row: number): Buffer | undefined {
    return this.bytesAt(this.places.at(row), this.lengths.at(row));
  }

  /** The text at this place. `length` is its bytes plus one; undefined for null. */
  private bytesAt(place: number, length: number): Buffer | undefined {
    if (length === 0) return undefined;
    const block = Math.floor(place / BLOCK_PLACE);
    const start = place - block * BLOCK_PLACE;
    return this.blocks[block]?.subarray(start, start + length - 1);
  }

  /** A last block with room for this many more bytes. */
  private blockFor(more: number): Buffer {
    const last = this.blocks.at(-1) ?? Buffer.alloc(0);
    if (this.lastBytes + more <= last.length) return last;
    if (last.length < BLOCK_BYTES) {
      const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, last.length * 4, this.lastBytes + more));
      last.copy(grown, 0, 0, this.lastBytes);
      this.blocks[this.blocks.length - 1] = grown;
      return grown;
    }
    const next = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, more));
    this.blocks.push(next);
    this.lastBytes = 0;
    return next;
  }

  private noteWritten(byteCount: number): void {
    this.places.push((this.blocks.length - 1) * BLOCK_PLACE + this.lastBytes);
    this.lengths.push(byteCount + 1);
    this.lastBytes += byteCount;
  }
}
