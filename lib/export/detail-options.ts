import type { Direction } from '../api/directions.ts';

/** Which receipts are read whole, one request each. Nothing is where this is absent. */
export interface DetailOptions {
  directions: readonly Direction[];
  /** Units with more listed receipts are left out, and the audit says so. */
  maxPerUnit: number;
  /** A detail that was read longer ago is read again, though the receipt's row in the list is the same; absent: never. */
  maxAgeDays?: number;
}

/** Some minutes of requests. */
export const DEFAULT_MAX_DETAILS_PER_UNIT = 10_000;
