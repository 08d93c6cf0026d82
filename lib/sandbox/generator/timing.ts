import { HOUR_MS, MINUTE_MS, startOfDay } from './calendar.ts';
import { fractionOf, mix } from './hash.ts';

/**
 * When receipts are signed and when they appear. Within a day's list the index grows with the moment of
 * appearing, so what has arrived by any moment is a prefix of the list, and its length a binary search.
 */

const DAY_MS = 24 * HOUR_MS;
/** Shops open at 7; the day's last receipt comes just before midnight. */
const OPENING_MS = 7 * HOUR_MS;
const OPEN_MS = 17 * HOUR_MS - 1000;

/** Shares of the received receipts that arrive before their issue day, and after it. */
const EARLY_SHARE = 0.005;
const LATE_SHARE = 0.07;
/** Received receipts arrive from so long before their issue day's start to so long after its end. */
const EARLIEST_MS = 5 * DAY_MS;
const LATEST_MS = 6 * DAY_MS;

const SALT_SPREAD = 11;
const SALT_SIGNED = 12;
/** In larger days the last issued receipt is signed half a second before midnight. */
const LAST_MOMENT_FROM = 20;

/** Where a receipt stands within its day: its day, place, number of receipts, and its own chance. */
export interface Moment {
  day: number;
  index: number;
  count: number;
  hash: number;
}

/** Local milliseconds at which an issued receipt is signed, and so appears. */
export function issuedAt({ day, index, count, hash }: Moment): number {
  if (index === count - 1 && count >= LAST_MOMENT_FROM) return startOfDay(day) + DAY_MS - 500;
  return startOfDay(day) + OPENING_MS + Math.floor(OPEN_MS * shareOf(index, count, hash));
}

/** Local milliseconds at which a received receipt appears in the recipient's list. */
export function receivedAt(moment: Moment, hasLateArrivals: boolean): number {
  const { day, index, count, hash } = moment;
  const share = shareOf(index, count, hash);
  const start = startOfDay(day);
  if (!hasLateArrivals) return start + OPENING_MS + Math.floor(OPEN_MS * share);
  if (share < EARLY_SHARE) return Math.floor(start - EARLIEST_MS * (1 - share / EARLY_SHARE));
  const late = (share - (1 - LATE_SHARE)) / LATE_SHARE;
  if (late >= 0) return Math.floor(start + DAY_MS + LATEST_MS * late * late);
  return Math.floor(start + OPENING_MS + (OPEN_MS * (share - EARLY_SHARE)) / (1 - LATE_SHARE - EARLY_SHARE));
}

/** Local milliseconds at which a received receipt was signed: before it arrived; of late ones half also late. */
export function receivedSignedAt(moment: Moment, arrivedAt: number): number {
  const chance = mix(moment.hash, SALT_SIGNED);
  const dayEnd = startOfDay(moment.day) + DAY_MS;
  const latest = arrivedAt >= dayEnd && chance % 2 === 0 ? dayEnd : arrivedAt;
  return latest - 1 - (chance % (3 * MINUTE_MS));
}

/** How many of the receipts, ordered by appearing, have appeared by now. */
export function appearedBy(now: number, count: number, appearsAt: (index: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (appearsAt(middle) <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Nothing of a day appears before this moment… */
export function nothingBefore(day: number): number {
  return startOfDay(day) - EARLIEST_MS;
}

/** … and nothing after this one. */
export function nothingAfter(day: number): number {
  return startOfDay(day) + DAY_MS + LATEST_MS;
}

function shareOf(index: number, count: number, hash: number): number {
  return (index + fractionOf(mix(hash, SALT_SPREAD))) / count;
}

const FRACTION_DIGITS = [0, 0, 0, 0, 3, 3, 3, 7, 7, 1, 2, 6, 3, 4, 5, 0] as const;

/** The fraction of a second of a signature as sent: nothing, or a point and 1 to 7 digits. */
export function fractionText(signedAt: number, hash: number): string {
  const digits = FRACTION_DIGITS[hash & 15] ?? 0;
  if (digits === 0) return '';
  const ticks = (signedAt % 1000) * 10_000 + (mix(hash, 21) % 10_000);
  return `.${String(ticks).padStart(7, '0').slice(0, digits)}`;
}
