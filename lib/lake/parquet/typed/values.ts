/**
 * The values of one column as they lie in memory, for an encoder that makes no object of each. Integers as
 * doubles, NaN for null, all of them safe; texts by their place in a list, of which place 0 is null.
 */
export type TypedValues =
  | { kind: 'integers'; values: Float64Array }
  | { kind: 'texts'; codes: Uint32Array; texts: readonly (string | null)[] };
