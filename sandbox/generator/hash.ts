/**
 * The only source of chance in the sandbox. Everything is a function of a seed and a position, so that any receipt of
 * any day can be made by itself, always the same.
 */

/** Mixes two 32-bit values into one unsigned 32-bit value. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 13;
  h = Math.imul(h, 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A 32-bit value of a text. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h, text.length);
}

/** A 32-bit value as a fraction in [0, 1). */
export function fractionOf(hash: number): number {
  return hash / 0x1_0000_0000;
}

export function pick<T>(list: readonly T[], hash: number): T {
  const element = list[hash % list.length];
  if (element === undefined) throw new RangeError('cannot pick from an empty list');
  return element;
}

/** The numbers 0 to length - 1, shuffled by the seed. */
export function shuffledIndexes(length: number, seed: number): number[] {
  const keys = Float64Array.from({ length }, (_, i) => mix(seed, i));
  return Array.from(keys.keys()).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
}
