import type { TypedTexts } from './values.ts';

/** A column's distinct values, and for every value that is not null its place among them. */
export interface Dictionary<T> {
  distinct: T[];
  indexes: Uint32Array;
}

/** Bytes of a dictionary are worth it when they are at most half of what they stand for. */
const WORTH = 2;

/** Undefined when a dictionary would not be worth it. */
export function integerDictionary(values: Float64Array): Dictionary<number> | undefined {
  const places = new Map<number, number>();
  const distinct: number[] = [];
  const indexes = new Uint32Array(values.length);
  const mostDistinct = values.length / WORTH;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    let place = places.get(value);
    if (place === undefined) {
      place = distinct.length;
      if (place + 1 > mostDistinct) return undefined;
      distinct.push(value);
      places.set(value, place);
    }
    indexes[index] = place;
  }
  return { distinct, indexes };
}

export function textDictionary({ codes, texts }: TypedTexts): Dictionary<string> | undefined {
  // Places plus one, by code; numbered by first appearance, so that equal rows give equal bytes.
  const places = new Uint32Array(texts.length);
  const distinct: string[] = [];
  const indexes = new Uint32Array(codes.length);
  let count = 0;
  let distinctLength = 0;
  let totalLength = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) continue;
    const text = texts[code] ?? '';
    totalLength += text.length;
    if (places[code] === 0) {
      distinct.push(text);
      distinctLength += text.length;
      places[code] = distinct.length;
    }
    indexes[count] = (places[code] ?? 1) - 1;
    count += 1;
  }
  if (distinctLength * WORTH > totalLength) return undefined;
  return { distinct, indexes: indexes.subarray(0, count) };
}
