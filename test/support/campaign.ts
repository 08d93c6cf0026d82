import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    isLong: boolean;
    seed: number;
  }
}

/** How far a search goes: a share of it in `npm test`, all of it in `npm run test:long`. */
export function campaign<T>({ quick, long }: { quick: T; long: T }): T {
  return inject('isLong') ? long : quick;
}
