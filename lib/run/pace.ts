import { LakeDays } from '../export/reading/lake-witnesses.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Day, MINUTE_MS } from '../time/days.ts';
import { DIRECTIONS } from '../units/unit.ts';

/** Pages of 100 rows overlap: 1,143 of them have 100,000 rows (docs/decisions/0001-overlapping-pages.md). */
const ROWS_PER_REQUEST = 100_000 / 1_143;

/** A line for each direction whose largest day is too large for the pace. Never rejects. */
export type SlowDays = (ruts: readonly string[], lastDay: Day) => Promise<string[]>;

/** What one worker may send, and for how long. */
export interface WorkerPace {
  /** Requests a second of all workers together, and how many share them. */
  requestsPerSecond: number;
  places: number;
  /** How long one invocation reads. */
  readingMs: number;
}

/**
 * One line for each direction whose largest day in the lake, of its newest seventy, one invocation can't read at this
 * pace, with the arithmetic. A list that time cuts is read from its beginning by the next invocation.
 */
export async function slowDays(
  store: LakeStore,
  ruts: readonly string[],
  lastDay: Day,
  { requestsPerSecond, places, readingMs }: WorkerPace,
): Promise<string[]> {
  const lines: string[] = [];
  for (const direction of DIRECTIONS) {
    const largest = await new LakeDays(store, direction, ruts, () => undefined).largest(lastDay);
    const requests = Math.ceil((largest?.rowCount ?? 0) / ROWS_PER_REQUEST);
    const sent = Math.floor((requestsPerSecond / places) * (readingMs / 1000));
    if (largest === undefined || requests <= sent) continue;
    const minutes = Math.round(readingMs / MINUTE_MS);
    lines.push(
      `${direction} of ${largest.rut}, day ${largest.day}: ${largest.rowCount.toLocaleString('en')} receipts take some ` +
        `${requests.toLocaleString('en')} requests, but a worker sends ${sent.toLocaleString('en')} in its ${minutes} minutes ` +
        `(apiRequestsPerSecond ${requestsPerSecond} ÷ ${places} that may ask at once × ${minutes} × 60 s), so such a day fails. ` +
        'Raise apiRequestsPerSecond, or lower companiesAtOnce.',
    );
  }
  return lines;
}
