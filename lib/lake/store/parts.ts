/**
 * The same bytes in parts of one size, the last one shorter. No bytes at all are one empty part. Holds one part and
 * one chunk of the source at a time.
 */
export async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let pieces: Uint8Array[] = [];
  let waitingBytes = 0;
  let partsGiven = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    // Given only when more follows, so that a part of just the size is known to be the last one.
    while (waitingBytes + rest.length > partBytes) {
      pieces.push(rest.subarray(0, partBytes - waitingBytes));
      rest = rest.subarray(partBytes - waitingBytes);
      yield Buffer.concat(pieces, partBytes);
      partsGiven += 1;
      pieces = [];
      waitingBytes = 0;
    }
    if (rest.length > 0) pieces.push(rest);
    waitingBytes += rest.length;
  }
  if (waitingBytes > 0 || partsGiven === 0) yield Buffer.concat(pieces, waitingBytes);
}
