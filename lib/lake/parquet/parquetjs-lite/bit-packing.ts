/**
 * Small unsigned integers (dictionary indices, null flags) in Parquet's "RLE / bit-packed hybrid". The
 * library's own encoder writes runs of values above 255 wrongly and takes quadratic time.
 */

/** All values in one bit-packed run; the compressor finds the repetitions. */
export function bitPacked(values: ArrayLike<number>, bitWidth: number): Buffer {
  const groups = Math.ceil(values.length / 8);
  const packed = Buffer.alloc(groups * bitWidth);
  let pending = 0;
  let pendingBits = 0;
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    pending |= (values[i] ?? 0) << pendingBits;
    pendingBits += bitWidth;
    while (pendingBits >= 8) {
      packed[at++] = pending & 0xff;
      pending >>>= 8;
      pendingBits -= 8;
    }
  }
  if (pendingBits > 0) packed[at] = pending;
  return Buffer.concat([varint((groups << 1) | 1), packed]);
}

/** One value below 256, `count` times. */
export function repeated(value: number, count: number): Buffer {
  return Buffer.concat([varint(count << 1), Buffer.from([value])]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
