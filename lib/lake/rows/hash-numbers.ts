import type { Hash } from 'node:crypto';

const AT_ONCE = 8192;
const scratch = new Float64Array(AT_ONCE);

/** Feeds a number for each of these rows into a hash, in pieces, so that a long unit needs no second copy. */
export function hashNumbers(rows: Uint32Array, into: Hash, numberOf: (row: number) => number): void {
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const count = Math.min(AT_ONCE, rows.length - start);
    for (let index = 0; index < count; index += 1) scratch[index] = numberOf(rows[start + index] ?? 0);
    into.update(scratch.subarray(0, count));
  }
}
