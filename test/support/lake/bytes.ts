/** A prime, so that no part of an object begins with the same bytes as another one. */
const PERIOD = 500_009;

/** Varied bytes, the same ones for the same seed. They repeat after a while: that is faster. */
export function someBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < Math.min(length, PERIOD); index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
  for (let filled = PERIOD; filled < length; filled *= 2) bytes.copyWithin(filled, 0, filled);
  return bytes;
}

/** The bytes in chunks of this size. */
export async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}

/** The same, failing after this many chunks. */
export async function* failingAfter(
  chunkCount: number,
  bytes: Uint8Array,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  let given = 0;
  for await (const chunk of inChunks(bytes, chunkBytes)) {
    if (given === chunkCount) throw new Error('the encoder failed');
    given += 1;
    yield chunk;
  }
}
