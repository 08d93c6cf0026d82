import { DAY_MS, HOUR_MS } from '../../lib/time/days.ts';
import { MINUTE_MS, startOfDay } from './calendar.ts';
import { fractionOf, mix } from './hash.ts';
import { isTicket } from './types.ts';

/**
 * When receipts are signed and when they appear. A day's receipts are indexed in the order in which they appear, so the
 * receipts that have arrived by any moment are a prefix of the list, and a binary search finds its length.
 */

/** Shops open at 7; the day's last receipt comes just before midnight. */
const OPENING_MS = 7 * HOUR_MS;
const OPEN_MS = 17 * HOUR_MS - 1000;

/** Shares of the received receipts that arrive before their issue day, and after it. */
const EARLY_SHARE = 0.005;
const LATE_SHARE = 0.07;
/** The longest time that a received receipt arrives before its issue day begins, and after it ends. */
const EARLIEST_MS = 5 * DAY_MS;
const LATEST_MS = 6 * DAY_MS;

const SALT_SPREAD = 11;
const SALT_SIGNED = 12;
/** On days with at least this many receipts, the last issued one is signed half a second before midnight. */
const LAST_MOMENT_FROM = 20;

/** A receipt's day and index, the day's number of receipts, and the receipt's hash. */
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

/**
 * Local milliseconds at which a received receipt was signed, before it arrived. Half of the late ones are signed late.
 */
export function receivedSignedAt(moment: Moment, arrivedAt: number): number {
  const chance = mix(moment.hash, SALT_SIGNED);
  const dayEnd = startOfDay(moment.day) + DAY_MS;
  const latest = arrivedAt >= dayEnd && chance % 2 === 0 ? dayEnd : arrivedAt;
  return latest - 1 - (chance % (3 * MINUTE_MS));
}

/** How many of a day's receipts have appeared by now; they appear in the order of their indexes. */
export function appearedBy(
  now: number,
  day: number,
  count: number,
  appearsAt: (index: number) => number,
): number {
  if (now >= startOfDay(day) + DAY_MS + LATEST_MS) return count;
  if (now < startOfDay(day) - EARLIEST_MS) return 0;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (appearsAt(middle) <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}

function shareOf(index: number, count: number, hash: number): number {
  return (index + fractionOf(mix(hash, SALT_SPREAD))) / count;
}

const FRACTION_DIGITS = [0, 0, 0, 0, 3, 3, 3, 7, 7, 1, 2, 6, 3, 4, 5, 0] as const;

/** The fraction of a second in a signature as sent: empty, or a point and 1 to 7 digits. */
export function fractionText(signedAt: number, hash: number): string {
  const digits = FRACTION_DIGITS[hash & 15] ?? 0;
  if (digits === 0) return '';
  const ticks = (signedAt % 1000) * 10_000 + (mix(hash, 21) % 10_000);
  return `.${String(ticks).padStart(7, '0').slice(0, digits)}`;
}

/**
 * How statuses stand at a moment. The tax authority's verdict comes within minutes, or never; a rejection may become an
 * acceptance, and an accepted receipt may be annulled, within `flipDays`; the recipient answers within 20 days, or never.
 */

const ANSWER_DAYS = 20;
const VERDICT_MS = 10 * MINUTE_MS;
const SALT_VERDICT = 31;
const SALT_DELAY = 32;
const SALT_ANSWER = 33;

/** Among 1,000 receipts, those below `upTo` get the verdict, which may later be `turned` into another. */
const COURSES: readonly (readonly [upTo: number, verdict: string, turned: string])[] = [
  [984, 'AE', 'AE'],
  [986, 'BE', 'BE'],
  [988, 'BE', 'AE'],
  [990, 'AE', 'BE'],
  [1000, 'CE', 'CE'],
];

/** The tax authority's verdict on a receipt, or undefined while there is none. */
export function verdictAt(hash: number, since: number, now: number, flipDays: number): string | undefined {
  const chance = mix(hash, SALT_VERDICT);
  if (now < since + 5_000 + (chance % VERDICT_MS)) return undefined;
  const [, verdict, turned] = COURSES.find(([upTo]) => chance % 1000 < upTo) ?? [];
  const delayHours = 24 + (mix(hash, SALT_DELAY) % Math.max(1, (flipDays - 1) * 24));
  return now < since + delayHours * HOUR_MS ? verdict : turned;
}

/** `estado_dgi.codigo` of an issued receipt: NE until the verdict; some unnamed e-Tickets stay NE forever. */
export function authorityStatus(
  hash: number,
  receipt: { type: number; isNamed: boolean; signedAt: number },
  now: number,
  flipDays: number,
): string {
  if (!receipt.isNamed && isTicket(receipt.type) && mix(hash, SALT_ANSWER) % 6 === 0) return 'NE';
  return verdictAt(hash, receipt.signedAt, now, flipDays) ?? 'NE';
}

/** `estado_receptor.codigo` of an issued receipt; null without an answer, which one in forty never gives. */
export function recipientStatus(
  hash: number,
  receipt: { answers: boolean; signedAt: number },
  now: number,
): string | null {
  const chance = mix(hash, SALT_ANSWER);
  if (!receipt.answers || chance % 40 === 0) return null;
  const delayHours = (chance >>> 8) % (ANSWER_DAYS * 24);
  if (now < receipt.signedAt + delayHours * HOUR_MS) return null;
  return chance % 251 === 0 ? 'RECHAZADO' : 'ACEPTADO';
}
