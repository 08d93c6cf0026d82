import type { Value } from '../writer.ts';

export interface Dictionary {
  /** The distinct values in order of appearance. */
  distinct: NonNullable<Value>[];
  /** For each value its place in `distinct`. */
  indices: Uint32Array;
  bitWidth: number;
}

/** The dictionary of these values, or undefined when it would not be worth its bytes. */
export function dictionaryOf(values: readonly NonNullable<Value>[]): Dictionary | undefined {
  if (values.length === 0) return undefined;
  const places = new Map<NonNullable<Value>, number>();
  const indices = new Uint32Array(values.length);
  const most = values.length / 4;
  for (const [i, value] of values.entries()) {
    let place = places.get(value);
    if (place === undefined) {
      place = places.size;
      if (place > most) return undefined;
      places.set(value, place);
    }
    indices[i] = place;
  }
  return { distinct: [...places.keys()], indices, bitWidth: Math.max(1, 32 - Math.clz32(places.size - 1)) };
}
