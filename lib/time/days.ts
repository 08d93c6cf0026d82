/** Calendar days as `YYYY-MM-DD`, such as issue dates. The machine's time zone is never used. */

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const URUGUAY_TIME_ZONE = 'America/Montevideo';

/**
 * Statuses and amounts of a receipt may change for 60 days after its issue date, and some receipts arrive late. The
 * weekly run reads a day again until it is this old.
 */
export const CHANGING_DAYS = 65;

/** Receipts are dated at most this many days ahead. */
export const MAX_DAYS_AHEAD = 60;

/** Whether the text is a day that exists. */
export function isDay(text: string): boolean {
  return DAY.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}

/** Days since 1970-01-01. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** The days from `from` to `to`, both included; none if `to` is earlier. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.max(0, dayNumber(to) - dayNumber(from) + 1);
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

/** The day in Uruguay at a moment in milliseconds since the epoch. */
export function uruguayDay(epochMs: number): string {
  return uruguayDateTime(epochMs).slice(0, 10);
}

/** Consecutive days, `YYYY-MM-DD`, both ends included. */
export interface DayRange {
  from: string;
  to: string;
}

export function widthDays({ from, to }: DayRange): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

export function isOneDay({ from, to }: DayRange): boolean {
  return from === to;
}

export function isWithin({ from, to }: DayRange, day: string): boolean {
  return from <= day && day <= to;
}

/** `2026-11-01..2026-11-03`, or the day alone. */
export function rangeText({ from, to }: DayRange): string {
  return from === to ? from : `${from}..${to}`;
}

/** Days in order, as few ranges as possible: `2026-11-01..2026-11-03`, `2026-11-07`. */
export function dayRanges(days: Iterable<string>): string[] {
  const ranges: DayRange[] = [];
  for (const day of [...new Set(days)].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && addDays(range.to, 1) === day) range.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(rangeText);
}
