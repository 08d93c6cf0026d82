import { BitPacker } from './bit-packer.ts';
import type { ByteSink } from './byte-sink.ts';

const GROUP = 8;

/** The RLE and bit-packing hybrid of the Parquet format: levels, and indexes into a dictionary. */
export function writeHybrid(into: ByteSink, values: Uint8Array | Uint32Array, bits: number): void {
  let packedFrom = 0;
  let at = 0;
  while (at < values.length) {
    let end = at + 1;
    while (end < values.length && values[end] === values[at]) end += 1;
    if (end - at >= GROUP) {
      writePacked(into, values, packedFrom, at, bits);
      writeRun(into, values[at] ?? 0, end - at, bits);
      at = end;
      packedFrom = at;
    } else at = Math.min(at + GROUP, values.length);
  }
  writePacked(into, values, packedFrom, at, bits);
}

/** The same for one value that comes so many times. */
export function writeRun(into: ByteSink, value: number, count: number, bits: number): void {
  into.varint(count * 2);
  for (let shift = 0; shift < bits; shift += 8) into.byte((value >>> shift) & 0xff);
}

/** Whole groups of eight; only the last of all may lack values, and is filled with zeros. */
function writePacked(
  into: ByteSink,
  values: Uint8Array | Uint32Array,
  from: number,
  to: number,
  bits: number,
): void {
  if (from === to) return;
  const groups = Math.ceil((to - from) / GROUP);
  into.varint(groups * 2 + 1);
  const packer = new BitPacker(into);
  for (let at = from; at < from + groups * GROUP; at += 1) packer.put(at < to ? (values[at] ?? 0) : 0, bits);
  packer.finish();
}
