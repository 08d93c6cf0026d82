/** Of the many columns of a small unit, each has a few. */
const FIRST_CAPACITY = 256;

/** Bytes that grow as they are written, little-endian. */
export class ByteSink {
  length = 0;
  private bytes = new Uint8Array(FIRST_CAPACITY);

  /** What was written so far; a window, not a copy. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length] = value;
    this.length += 1;
  }

  int32(value: number): void {
    this.reserve(4);
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >> 8;
    bytes[length + 2] = value >> 16;
    bytes[length + 3] = value >> 24;
    this.length += 4;
  }

  /** The bytes of an array of numbers, in the machine's own order. */
  bytesOf(numbers: Int32Array): void {
    this.reserve(numbers.byteLength);
    this.bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), this.length);
    this.length += numbers.byteLength;
  }

  /** LEB128 of a safe integer that is not negative. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  /** Zigzag LEB128 of any 64-bit integer. */
  zigzag(value: number | bigint): void {
    let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
    while (rest >= 128n) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  /** The text's length in UTF-8 as 32 bits, and the text. */
  text(text: string): void {
    this.reserve(4 + text.length * 3);
    const { written } = encoder.encodeInto(text, this.bytes.subarray(this.length + 4));
    this.int32(written);
    this.length += written;
  }

  /** The length of a text's UTF-8 as 32 bits, and its bytes. */
  block(utf8: Uint8Array): void {
    this.reserve(4 + utf8.length);
    this.int32(utf8.length);
    this.bytes.set(utf8, this.length);
    this.length += utf8.length;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

const encoder = new TextEncoder();
