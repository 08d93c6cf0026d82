/**
 * The values of one column as they lie in memory, for an encoder that makes no object of each.
 *
 * Integers as doubles, NaN for null; the few that a double can't hold exactly stand, by their index, in `large`.
 * Texts that repeat, by their place in a list, of which place 0 is null. Other texts as their UTF-8 in blocks: where
 * each begins, as block × BLOCK_PLACE + place, and its bytes plus one, of which 0 is null.
 */
export type TypedValues =
  | { kind: 'integers'; values: Float64Array; large: ReadonlyMap<number, bigint> }
  | { kind: 'texts'; codes: Uint32Array; texts: readonly (string | null)[] }
  | { kind: 'utf8'; blocks: readonly Buffer[]; places: Float64Array; lengths: Uint32Array };

export const BLOCK_PLACE = 2 ** 32;

export type TypedIntegers = Extract<TypedValues, { kind: 'integers' }>;
export type TypedTexts = Extract<TypedValues, { kind: 'texts' }>;
export type TypedUtf8 = Extract<TypedValues, { kind: 'utf8' }>;

/** The text that begins at this place, of so many bytes plus one; undefined for null. */
export function utf8At(blocks: readonly Buffer[], place: number, length: number): Buffer | undefined {
  if (length === 0) return undefined;
  const block = Math.floor(place / BLOCK_PLACE);
  const start = place - block * BLOCK_PLACE;
  return blocks[block]?.subarray(start, start + length - 1);
}
