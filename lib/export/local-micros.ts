import { localTimestamp } from '../lake/rows/timestamp.ts';
import { uruguayDateTime } from '../time/days.ts';

/** The local time of Uruguay at a moment in milliseconds since the epoch, as a timestamp column holds it. */
export function localMicros(epochMs: number): bigint {
  return BigInt(localTimestamp(uruguayDateTime(epochMs))?.micros ?? 0);
}
