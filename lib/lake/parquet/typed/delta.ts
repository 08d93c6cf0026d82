import { BitPacker, bitWidth } from './bit-packer.ts';
import type { ByteSink } from './byte-sink.ts';

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Greatest minus least value for which all differences, and theirs, are exact doubles. */
export const MAX_DELTA_RANGE = 2 ** 52;
/** The same for INT32, whose differences must fit 32 bits too: some readers refuse wider ones. */
export const MAX_INT32_DELTA_RANGE = 2 ** 31;

/**
 * DELTA_BINARY_PACKED: the differences from value to value, in blocks, each less the block's least. The values
 * must not span more than MAX_DELTA_RANGE.
 */
export function writeDeltas(into: ByteSink, values: Float64Array): void {
  into.varint(BLOCK);
  into.varint(MINIBLOCKS);
  into.varint(values.length);
  into.zigzag(values[0] ?? 0);
  const deltas = new Float64Array(BLOCK);
  for (let start = 1; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    let least = Number.POSITIVE_INFINITY;
    for (let index = 0; index < count; index += 1) {
      const delta = (values[start + index] ?? 0) - (values[start + index - 1] ?? 0);
      deltas[index] = delta;
      if (delta < least) least = delta;
    }
    into.zigzag(least);
    writeBlock(into, deltas, count, least);
  }
}

function writeBlock(into: ByteSink, deltas: Float64Array, count: number, least: number): void {
  const widths: number[] = [];
  for (let from = 0; from < BLOCK; from += MINIBLOCK) {
    let greatest = 0;
    for (let index = from; index < Math.min(from + MINIBLOCK, count); index += 1) {
      greatest = Math.max(greatest, (deltas[index] ?? 0) - least);
    }
    widths.push(bitWidth(greatest));
    into.byte(widths.at(-1) ?? 0);
  }
  const packer = new BitPacker(into);
  for (const [miniblock, bits] of widths.entries()) {
    if (bits === 0) continue;
    const from = miniblock * MINIBLOCK;
    for (let index = from; index < from + MINIBLOCK; index += 1) {
      packer.put(index < count ? (deltas[index] ?? 0) - least : 0, bits);
    }
  }
}
