import { expectThat } from './limits.ts';

/** A struct of Thrift's compact protocol: values by field id. Strings are skipped: nothing here needs them. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
export type ThriftValue = number | bigint | boolean | ThriftStruct | readonly ThriftValue[] | undefined;

/** A footer nests structs and lists 7 deep. */
const MAX_DEPTH = 12;
const MAX_BYTES_OF_32_BITS = 5;
/** Of 64 bits. */
const MAX_VARINT_BYTES = 10;

/**
 * Reads the struct at `offset`, in time and memory bounded by its bytes. hyparquet's own reader is not bounded: it takes
 * varints of any length, in quadratic time, and any depth. Throws WrongBytesError.
 */
export function readThriftStruct(bytes: Uint8Array, offset: number): { struct: ThriftStruct; end: number } {
  const reader = new ThriftReader(bytes, offset);
  const struct = reader.struct(0);
  return { struct, end: reader.offset };
}

class ThriftReader {
  offset: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, offset: number) {
    this.bytes = bytes;
    this.offset = offset;
  }

  struct(depth: number): ThriftStruct {
    expectThat(depth < MAX_DEPTH, 'its structure is too deep');
    const struct = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === 0) return struct;
      id = head >> 4 === 0 ? this.int32() : id + (head >> 4);
      expectThat(!struct.has(id), 'a field comes twice');
      struct.set(id, this.value(type, depth));
    }
  }

  private value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
        return true;
      case 2:
        return false;
      case 3:
        return (this.byte() << 24) >> 24;
      case 4:
      case 5:
        return this.int32();
      case 6:
        return this.int64();
      case 7:
        this.skip(8);
        return undefined;
      case 8:
        this.skip(this.varint(MAX_BYTES_OF_32_BITS));
        return undefined;
      case 9:
        return this.list(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        expectThat(false, 'a field has an unknown type');
    }
  }

  private list(depth: number): readonly ThriftValue[] {
    expectThat(depth < MAX_DEPTH, 'its structure is too deep');
    const head = this.byte();
    const type = head & 0x0f;
    const count = head >> 4 === 15 ? this.varint(MAX_BYTES_OF_32_BITS) : head >> 4;
    // Every element takes at least one byte.
    expectThat(count <= this.bytes.length - this.offset, 'a list is longer than its bytes');
    const isOfBooleans = type === 1 || type === 2;
    return Array.from({ length: count }, () => this.value(isOfBooleans ? 3 : type, depth + 1));
  }

  private byte(): number {
    const byte = this.bytes[this.offset];
    expectThat(byte !== undefined, 'it is cut');
    this.offset += 1;
    return byte;
  }

  private skip(count: number): void {
    expectThat(count <= this.bytes.length - this.offset, 'it is cut');
    this.offset += count;
  }

  private int32(): number {
    const number = this.varint(MAX_BYTES_OF_32_BITS);
    expectThat(number < 2 ** 32, 'a number is too large');
    return (number >>> 1) ^ -(number & 1);
  }

  private int64(): bigint {
    const number = this.varint(MAX_VARINT_BYTES);
    return BigInt(number % 2 === 0 ? number / 2 : -(number + 1) / 2);
  }

  private varint(maxBytes: number): number {
    const { value, end } = varintAt(this.bytes, this.offset, maxBytes);
    this.offset = end;
    return value;
  }
}

/** Not exact past 2^53, which no count reaches. */
export function varintAt(
  bytes: Uint8Array,
  offset: number,
  maxBytes = MAX_VARINT_BYTES,
): { value: number; end: number } {
  let value = 0;
  for (let index = 0; index < maxBytes; index += 1) {
    const byte = bytes[offset + index];
    expectThat(byte !== undefined, 'it is cut');
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  expectThat(false, 'a number is too long');
}
