import type { ByteSink } from './byte-sink.ts';

const CHUNK_BITS = 24;
const TWO_24 = 2 ** CHUNK_BITS;

/** Packs values of a fixed number of bits one after another, the least bit first. */
export class BitPacker {
  private readonly into: ByteSink;
  private pending = 0;
  private pendingBits = 0;

  constructor(into: ByteSink) {
    this.into = into;
  }

  /** A safe integer that is not negative and fits `bits`. */
  put(value: number, bits: number): void {
    let rest = value;
    let left = bits;
    // 24 bits and the 7 that may be pending fit the 32 of the bitwise operators.
    while (left > CHUNK_BITS) {
      const low = rest % TWO_24;
      this.putChunk(low, CHUNK_BITS);
      rest = (rest - low) / TWO_24;
      left -= CHUNK_BITS;
    }
    this.putChunk(rest, left);
  }

  /** Fills the last byte with zeros. */
  finish(): void {
    if (this.pendingBits > 0) this.into.byte(this.pending & 0xff);
    this.pending = 0;
    this.pendingBits = 0;
  }

  private putChunk(value: number, bits: number): void {
    this.pending |= value << this.pendingBits;
    this.pendingBits += bits;
    while (this.pendingBits >= 8) {
      this.into.byte(this.pending & 0xff);
      this.pending >>>= 8;
      this.pendingBits -= 8;
    }
  }
}

/** Bits that a safe integer takes; 0 takes none. */
export function bitWidth(value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value);
}
