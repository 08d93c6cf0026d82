import { MINUTE_MS, parseLocal } from './generator/calendar.ts';

/**
 * The sandbox's clock, in milliseconds of Uruguay's local time. It ticks in whole minutes: what arrives
 * and how statuses stand never change within one, so a minute's answers can be kept.
 */
export interface SandboxClock {
  now(): number;
  /** Stops the clock at a `YYYY-MM-DDTHH:MM:SS`. */
  set(localDateTime: string): void;
}

const MONTEVIDEO = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Montevideo',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
});

/** The local date-time of an instant in Montevideo, to the minute, whatever the machine's zone. */
export function montevideoText(instantMs: number): string {
  const parts = Object.fromEntries(MONTEVIDEO.formatToParts(instantMs).map((p) => [p.type, p.value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:00`;
}

/**
 * @param now a local date-time (the clock stands still), a function that gives one, or nothing: the real
 * clock in America/Montevideo. Throws a RangeError for a text that is no date-time.
 */
export function sandboxClock(now?: string | (() => string)): SandboxClock {
  let stopped = typeof now === 'string' ? minuteOf(now) : undefined;
  let lastMinute = -1;
  let lastLocal = 0;
  return {
    now() {
      if (stopped !== undefined) return stopped;
      if (typeof now === 'function') return minuteOf(now());
      const instant = Date.now();
      const minute = Math.floor(instant / MINUTE_MS);
      if (minute !== lastMinute) {
        lastMinute = minute;
        lastLocal = minuteOf(montevideoText(instant));
      }
      return lastLocal;
    },
    set(localDateTime) {
      stopped = minuteOf(localDateTime);
    },
  };
}

function minuteOf(text: string): number {
  const local = parseLocal(text);
  if (local === undefined) throw new RangeError(`'${text}' is no local date-time: write YYYY-MM-DDTHH:MM:SS`);
  return Math.floor(local / MINUTE_MS) * MINUTE_MS;
}
