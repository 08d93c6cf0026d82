import { DAY_MS, isDay, uruguayDateTime } from '../../lib/time/days.ts';

/** Days and local date-times of the sandbox: numbers inside, the contract's texts outside. */

export const MINUTE_MS = 60_000;

/** Electronic receipts begin in 2012; days before this one are empty. */
const FIRST_DAY_MS = Date.parse('2012-01-01T00:00:00Z');
/** A day's number takes 15 bits of an id: days up to 2101-09 can hold receipts. */
export const DAYS = 2 ** 15 - 1;

/** Days since FIRST_DAY of a `YYYY-MM-DD`; undefined if there is no such day. */
export function dayNumber(day: string): number | undefined {
  return isDay(day) ? dayOf(Date.parse(`${day}T00:00:00Z`)) : undefined;
}

export function dayText(day: number): string {
  return localText(startOfDay(day)).slice(0, 10);
}

/** 0 is Sunday. FIRST_DAY was a Sunday. */
export function weekday(day: number): number {
  return ((day % 7) + 7) % 7;
}

/** Milliseconds of the local clock at which a day begins. */
export function startOfDay(day: number): number {
  return FIRST_DAY_MS + day * DAY_MS;
}

export function dayOf(localMs: number): number {
  return Math.floor((localMs - FIRST_DAY_MS) / DAY_MS);
}

/** A local date-time to the second, `YYYY-MM-DDTHH:MM:SS`. */
export function localText(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}

/** Local milliseconds of a `YYYY-MM-DDTHH:MM:SS`; undefined if it is not one. */
export function parseLocal(text: string): number | undefined {
  const localMs = Date.parse(`${text}Z`);
  return Number.isNaN(localMs) || localText(localMs) !== text ? undefined : localMs;
}

/**
 * The sandbox's clock, in milliseconds of Uruguay's local time. It ticks in whole minutes.
 * @param now a local date-time, at which the clock is stopped; absent: the real clock in America/Montevideo. Throws a
 * RangeError for a text that is not a date-time.
 */
export function sandboxClock(now?: string) {
  let stopped = now === undefined ? undefined : minuteOf(now);
  return {
    now: (): number => stopped ?? minuteOf(uruguayDateTime(Date.now())),
    /** Stops the clock at a `YYYY-MM-DDTHH:MM:SS`. */
    set(localDateTime: string): void {
      stopped = minuteOf(localDateTime);
    },
  };
}

function minuteOf(text: string): number {
  const local = parseLocal(text);
  if (local === undefined) throw new RangeError(`'${text}' is not a date-time: write YYYY-MM-DDTHH:MM:SS`);
  return Math.floor(local / MINUTE_MS) * MINUTE_MS;
}
