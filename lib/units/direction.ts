/** Receipts that a company received, or issued; the API's own words. */
export type Direction = 'recibidos' | 'emitidos';

export const DIRECTIONS = ['recibidos', 'emitidos'] as const satisfies readonly Direction[];
