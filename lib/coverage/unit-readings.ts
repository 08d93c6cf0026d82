import { compareReadings, isGood } from './parse-reading.ts';
import type { Reading } from './reading.ts';

/** Of older readings of a unit only their number is kept; the audit has them all. */
export const READINGS_KEPT = 8;

/** What the audit says of one unit. */
export interface UnitReadings {
  /** The newest, newest first; and the last good one, should it be older than these. Never empty. */
  shown: readonly Reading[];
  /** All of them, those not shown too. */
  count: number;
  last: Reading;
  /** The newest that did not fail. */
  lastGood: Reading | undefined;
}

/** Takes the readings of a unit in any order and keeps few of them. */
export class ReadingKeeper {
  private count = 0;
  private newest: Reading[] = [];
  private lastGood: Reading | undefined;

  /** Goes on from what another keeper had kept of the unit. */
  constructor(known?: Pick<UnitReadings, 'shown' | 'count'>) {
    for (const reading of known?.shown ?? []) this.add(reading);
    if (known !== undefined) this.count = known.count;
  }

  add(reading: Reading): void {
    this.count += 1;
    const place = this.newest.findIndex((known) => compareReadings(reading, known) > 0);
    this.newest.splice(place === -1 ? this.newest.length : place, 0, reading);
    this.newest.length = Math.min(this.newest.length, READINGS_KEPT);
    const isNewestGood = this.lastGood === undefined || compareReadings(reading, this.lastGood) > 0;
    if (isGood(reading) && isNewestGood) this.lastGood = reading;
  }

  /** Undefined when there was none. */
  readings(): UnitReadings | undefined {
    const { newest, lastGood, count } = this;
    const [last] = newest;
    if (last === undefined) return undefined;
    const isShown = lastGood === undefined || newest.includes(lastGood);
    return { shown: isShown ? newest : [...newest, lastGood], count, last, lastGood };
  }
}
