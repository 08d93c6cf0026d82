/**
 * The values of one column as they lie in memory, for an encoder that makes no object of each. Integers as
 * doubles, NaN for null, all of them safe. Texts that repeat, by their place in a list, of which place 0 is null.
 * Other texts
 * as their UTF-8.
 */
export type TypedValues =
  | { kind: 'integers'; values: Float64Array }
  | { kind: 'texts'; codes: Uint32Array; texts: readonly (string | null)[] }
  | { kind: 'utf8'; texts: readonly (Buffer | undefined)[] };

export type TypedIntegers = Extract<TypedValues, { kind: 'integers' }>;
export type TypedTexts = Extract<TypedValues, { kind: 'texts' }>;
export type TypedUtf8 = Extract<TypedValues, { kind: 'utf8' }>;
