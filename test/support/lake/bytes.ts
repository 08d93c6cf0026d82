/** Varied bytes, the same ones for the same seed. */
export function someBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
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
