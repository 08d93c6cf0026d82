import { inject } from 'vitest';

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
