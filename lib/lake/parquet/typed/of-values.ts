import type { Column } from '../../tables.ts';
import { RANGES } from '../ranges.ts';
import type { Value } from '../writer.ts';
import type { TypedIntegers, TypedTexts, TypedValues } from './values.ts';

/**
 * Values as the writers take them, in the form that is encoded quickest: for small tables, of which thousands are
 * written. Undefined where there is no such form of them, or a value is not of the column's type.
 */
export function typedOf({ type }: Column, values: readonly Value[]): TypedValues | undefined {
  if (type === 'string') return typedTexts(values);
  const { kind } = RANGES[type];
  return kind === 'number' || kind === 'bigint' ? typedIntegers(kind, values) : undefined;
}

function typedIntegers(kind: 'number' | 'bigint', values: readonly Value[]): TypedIntegers | undefined {
  const numbers = new Float64Array(values.length);
  const large = new Map<number, bigint>();
  for (const [index, value] of values.entries()) {
    numbers[index] = Number.NaN;
    if (value === null) continue;
    if (typeof value !== kind) return undefined;
    if (Number.isSafeInteger(Number(value))) numbers[index] = Number(value);
    else if (typeof value === 'bigint') large.set(index, value);
    else return undefined;
  }
  return { kind: 'integers', values: numbers, large };
}

function typedTexts(values: readonly Value[]): TypedTexts | undefined {
  const codes = new Uint32Array(values.length);
  const texts: (string | null)[] = [null];
  const codeOf = new Map<Value, number>([[null, 0]]);
  for (const [index, value] of values.entries()) {
    if (value !== null && typeof value !== 'string') return undefined;
    let code = codeOf.get(value);
    if (code === undefined) {
      code = texts.push(value) - 1;
      codeOf.set(value, code);
    }
    codes[index] = code;
  }
  return { kind: 'texts', codes, texts };
}
