import { expectThat } from './wrong-bytes.ts';

/** Types of Thrift's compact protocol, as Parquet uses them. In a list, a boolean has a byte; as a field, none. */
const [TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12];
const MOST_DEPTH = 16;
const MOST_VARINT_BYTES = 10;

/**
 * Where the struct that begins at `start` ends. Throws WrongBytesError for one that would cost a parser that believes it
 * more than its bytes: lists of more elements than there are bytes, endless numbers, structs in structs without end.
 */
export function structEnd(bytes: Uint8Array, start: number, depth = 0): number {
  expectThat(depth < MOST_DEPTH, 'its structs are too deep');
  for (let at = start; ; ) {
    const byte = byteAt(bytes, at);
    const type = byte & 15;
    at += 1;
    if (type === 0) return at;
    if (byte >> 4 === 0) at = varintAt(bytes, at).end;
    if (type !== TRUE && type !== FALSE) at = valueEnd(bytes, at, type, depth + 1);
  }
}

function valueEnd(bytes: Uint8Array, at: number, type: number, depth: number): number {
  switch (type) {
    case TRUE:
    case FALSE:
    case BYTE:
      return at + 1;
    case I16:
    case I32:
    case I64:
      return varintAt(bytes, at).end;
    case DOUBLE:
      return at + 8;
    case BINARY: {
      const { value: byteCount, end } = varintAt(bytes, at);
      expectThat(byteCount <= bytes.length - end, 'one of its texts is cut');
      return end + byteCount;
    }
    case LIST:
      return listEnd(bytes, at, depth);
    default:
      expectThat(type === STRUCT, 'it has a value of no known type');
      return structEnd(bytes, at, depth);
  }
}

function listEnd(bytes: Uint8Array, at: number, depth: number): number {
  expectThat(depth < MOST_DEPTH, 'its lists are too deep');
  const byte = byteAt(bytes, at);
  const isLong = byte >> 4 === 15;
  const { value: count, end } = isLong ? varintAt(bytes, at + 1) : { value: byte >> 4, end: at + 1 };
  expectThat(count <= bytes.length - end, 'one of its lists has more elements than bytes');
  let next = end;
  for (let index = 0; index < count; index += 1) next = valueEnd(bytes, next, byte & 15, depth + 1);
  return next;
}

function varintAt(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start; at < start + MOST_VARINT_BYTES; at += 1) {
    const byte = byteAt(bytes, at);
    value += (byte & 127) * 128 ** (at - start);
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value: Number.POSITIVE_INFINITY, end: bytes.length };
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  expectThat(byte !== undefined, 'it is cut');
  return byte;
}
