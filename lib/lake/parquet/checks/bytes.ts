import { CfeLakeError } from '../../../system/errors.ts';

/** The bytes are not a valid file of the lake. The message says what is wrong, and shows nothing of the rows. */
export class WrongBytesError extends CfeLakeError {
  override name = 'WrongBytesError';
}

/** Throws WrongBytesError unless `isSo`. */
export function expectThat(isSo: boolean, whatIsWrong: string): asserts isSo {
  if (!isSo) throw new WrongBytesError(whatIsWrong);
}

/** An integer from 0 to `most`. Throws WrongBytesError. */
export function countOf(value: unknown, most: number, what: string): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= most;
  expectThat(isCount, `it gives an impossible ${what}`);
  return count;
}

/** Of 64 bits. */
const MAX_VARINT_BYTES = 10;

/** Reads bytes in order. Throws WrongBytesError rather than go past their end. */
export class ByteReader {
  offset = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  byte(): number {
    const byte = this.bytes[this.offset];
    expectThat(byte !== undefined, 'it is cut');
    this.offset += 1;
    return byte;
  }

  skip(count: number): void {
    expectThat(count <= this.left, 'it is cut');
    this.offset += count;
  }

  /** Not exact past 2^53, which no count reaches. */
  varint(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    expectThat(false, 'a number is too long');
  }
}

/** A struct of Thrift's compact protocol, by field id: numbers, booleans and structs. Texts and lists are skipped. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
export type ThriftValue = number | boolean | ThriftStruct | undefined;

/** A footer nests structs and lists 7 deep. */
const MAX_DEPTH = 12;
const MAX_FIELD_ID = 63;

/**
 * Reads a struct, in time and memory bounded by its bytes. hyparquet's own reader is not bounded: it takes numbers of any
 * length, in quadratic time, and any depth. Throws WrongBytesError.
 */
export function thriftStruct(reader: ByteReader, depth = 0): ThriftStruct {
  expectThat(depth < MAX_DEPTH, 'its structure is too deep');
  const struct = new Map<number, ThriftValue>();
  for (let last = 0; ; ) {
    const head = reader.byte();
    if ((head & 0x0f) === 0) return struct;
    const id = head >> 4 === 0 ? zigzag(reader.varint()) : last + (head >> 4);
    expectThat(id > last && id <= MAX_FIELD_ID, 'a field is not in its place');
    struct.set(id, thriftValue(reader, head & 0x0f, depth));
    last = id;
  }
}

function thriftValue(reader: ByteReader, type: number, depth: number): ThriftValue {
  switch (type) {
    case 1:
    case 2:
      return type === 1;
    case 3:
      return reader.byte();
    case 4:
    case 5:
    case 6:
      return zigzag(reader.varint());
    case 7:
      reader.skip(8);
      return undefined;
    case 8:
      reader.skip(reader.varint());
      return undefined;
    case 9:
      skipList(reader, depth + 1);
      return undefined;
    case 12:
      return thriftStruct(reader, depth + 1);
    default:
      expectThat(false, 'a field has an unknown type');
  }
}

function skipList(reader: ByteReader, depth: number): void {
  expectThat(depth < MAX_DEPTH, 'its structure is too deep');
  const head = reader.byte();
  const type = head & 0x0f;
  const count = head >> 4 === 15 ? reader.varint() : head >> 4;
  // Every element takes at least one byte, so that a count past the end ends too.
  const isOfBooleans = type === 1 || type === 2;
  for (let index = 0; index < count; index += 1) thriftValue(reader, isOfBooleans ? 3 : type, depth);
}

function zigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
