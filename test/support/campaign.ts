import { inject, it } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    isLong: boolean;
    seed: number;
  }
}

/** The size of a random or exhaustive test: `quick` in `npm test`, `long` in `npm run test:long`. */
export function campaign<T>({ quick, long }: { quick: T; long: T }): T {
  return inject('isLong') ? long : quick;
}

/** Variants of a test: one in `count` of them in `npm test`, all of them in `npm run test:long`. */
export function oneIn<T>(count: number, variants: readonly T[]): T[] {
  return variants.filter((_, index) => index % campaign({ quick: count, long: 1 }) === 0);
}

/** A test that only `npm run test:long` runs: `npm test` has a shorter one of the same. */
export const itLong: ReturnType<typeof it.runIf> = it.runIf(inject('isLong'));
