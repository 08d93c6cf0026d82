import * as v from 'valibot';

/** Calendar days, such as issue dates. The machine's time zone is never used. */

/** `YYYY-MM-DD`. Other text, such as a RUT, is not a Day to the compiler. `isDay` checks what comes from outside. */
export type Day = `${number}-${number}-${number}`;

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
/** Days that exist in every month of every year. */
const CERTAIN_DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const DAY_MICROS = BigInt(DAY_MS) * 1000n;

const URUGUAY_TIME_ZONE = 'America/Montevideo';

/**
 * Statuses and amounts of a receipt may change for 60 days after its issue date, and some receipts arrive late. The
 * weekly reading covers a day until it is this old.
 */
export const CHANGING_DAYS = 65;

/** Electronic receipts began then. */
export const FIRST_DAY: Day = '2012-01-01';

/** Receipts are dated at most this many days ahead. */
export const MAX_DAYS_AHEAD = 60;

/** Whether the text is a day that exists. */
export function isDay(text: string): text is Day {
  // Each receipt that is read has a day, and making a Date of it takes longer than looking at it.
  if (CERTAIN_DAY.test(text)) return true;
  return hasShapeOfDay(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}

/** The schema of a day that comes from outside; `message` if the text is not a day. */
export function daySchema(message?: string) {
  return v.pipe(v.string(), v.guard(isDay, message));
}

function hasShapeOfDay(text: string): text is Day {
  return DAY.test(text);
}

/** Days since 1970-01-01. */
export function dayNumber(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** Tells whether a local time, as tables have it, in microseconds since 1970-01-01, is of that day. */
export function microsOfDay(day: Day): (micros: bigint) => boolean {
  const start = BigInt(dayNumber(day)) * DAY_MICROS;
  return (micros) => micros >= start && micros < start + DAY_MICROS;
}

export const WEEK_DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

/** The day of the week, as its number in WEEK_DAYS. */
export function weekdayOf(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

/** The day this many days after 1970-01-01. Throws a RangeError outside the years 0 to 9999. */
export function dayFromNumber(number: number): Day {
  const text = new Date(number * DAY_MS).toISOString().slice(0, 10);
  if (!hasShapeOfDay(text)) throw new RangeError(`day ${number} is not within the years 0 to 9999`);
  return text;
}

export function addDays(day: Day, count: number): Day {
  return dayFromNumber(dayNumber(day) + count);
}

/** The days from `from` to `to`, both included; none if `to` is earlier. */
export function daysBetween(from: Day, to: Day): Day[] {
  const count = Math.max(0, widthDays({ from, to }));
  return Array.from({ length: count }, (_, index) => addDays(from, index));
}

const uruguayFormat = new Intl.DateTimeFormat('sv-SE', {
  timeZone: URUGUAY_TIME_ZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** The local date-time in Uruguay, `YYYY-MM-DDTHH:MM:SS`, at a moment in milliseconds since the epoch. */
export function uruguayDateTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  // Many units begin and end in the same second, and formatting takes as long as reading a receipt.
  if (second !== lastFormatted.second) {
    lastFormatted = { second, text: uruguayFormat.format(epochMs).replace(' ', 'T') };
  }
  return lastFormatted.text;
}

let lastFormatted = { second: Number.NaN, text: '' };

/** A date-time in Uruguay that is kept as such, as the audit's are, in seconds: `YYYY-MM-DDTHH:MM:SS`. No zone moves it. */
export function localDateTime(localSeconds: number): string {
  return new Date(localSeconds * 1000).toISOString().slice(0, 19);
}

/** The day in Uruguay at a moment in milliseconds since the epoch. */
export function uruguayDay(epochMs: number): Day {
  const text = uruguayDateTime(epochMs).slice(0, 10);
  if (!hasShapeOfDay(text)) throw new RangeError(`${epochMs} ms is not within the years 0 to 9999`);
  return text;
}

/** Consecutive days, both ends included. */
export interface DayRange {
  from: Day;
  to: Day;
}

/** Days, both ends included; a missing end is open. */
export interface Period {
  from?: Day;
  to?: Day;
}

/** The first and the last day of the month that a day is in. */
export function monthOf(day: Day): DayRange {
  const from = addDays(day, 1 - dayOfMonth(day));
  // 30 days after its first day is its last, or within the next month: of the last December nothing is after it.
  const last = addDays(from, 30);
  return { from, to: dayOfMonth(last) === 31 ? last : addDays(last, -dayOfMonth(last)) };
}

/** The whole month before the one that a day is in. */
export function monthBefore(day: Day): DayRange {
  return monthOf(addDays(monthOf(day).from, -1));
}

function dayOfMonth(day: Day): number {
  return Number(day.slice(8));
}

export function widthDays({ from, to }: DayRange): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

export function isOneDay({ from, to }: DayRange): boolean {
  return from === to;
}

export function isWithin({ from, to }: Period, day: Day): boolean {
  return (from === undefined || from <= day) && (to === undefined || day <= to);
}

/** `2026-11-01..2026-11-03`, or the day alone. */
export function rangeText({ from, to }: Readonly<Record<'from' | 'to', string>>): string {
  return from === to ? from : `${from}..${to}`;
}

/** Days in order, as few ranges as possible: `2026-11-01..2026-11-03`, `2026-11-07`. */
export function dayRanges(days: Iterable<Day>): string[] {
  const ranges: DayRange[] = [];
  for (const day of [...new Set(days)].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && addDays(range.to, 1) === day) range.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(rangeText);
}

/** How old days are, both ends included. */
export interface Ages {
  youngest: number;
  oldest: number;
}

/** With fewer ages than nights in a month, some nights would have no day to read. */
export const MIN_AGES = 31;

/**
 * The days that one night of a month reads: together, its nights read each day once that has one of these ages on the
 * first of the month. The youngest come first, because nothing has read them since they left the weekly reading.
 */
export function monthlySlice(night: Day, { youngest, oldest }: Ages): DayRange {
  const { from: first, to: last } = monthOf(night);
  const nights = widthDays({ from: first, to: last });
  const ageAt = (index: number) => youngest + Math.floor(((oldest - youngest + 1) * index) / nights);
  const index = widthDays({ from: first, to: night }) - 1;
  return { from: addDays(first, 1 - ageAt(index + 1)), to: addDays(first, -ageAt(index)) };
}
