import type { Hash } from 'node:crypto';

const AT_ONCE = 8192;
const scratch = new Float64Array(AT_ONCE);

/**
 * Feeds a number for each of these rows into a hash, in pieces, so that a long unit needs no second copy. `fill`
 * puts those of some rows into an array.
 */
export function hashNumbers(
  rows: Uint32Array,
  into: Hash,
  fill: (rows: Uint32Array, numbers: Float64Array) => void,
): void {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const piece = rows.subarray(start, start + AT_ONCE);
    const numbers = scratch.subarray(0, piece.length);
    fill(piece, numbers);
    into.update(numbers);
  }
}
