import { HOUR_MS, isDay, MINUTE_MS, uruguayDateTime } from './days.ts';

const ZONED =
  /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(?:[Zz]|([+-])(0\d|1[0-8])(?::?([0-5]\d))?)$/;

/**
 * A date-time with `Z` or an offset (`-03:00`, `-0300`, `-03`) as Uruguay's local time, without zone, its fractional
 * digits kept. The contract's date-times have none (§2). Undefined for any other text, and a day that does not exist.
 */
export function uruguayTimeOf(text: string): string | undefined {
  if (text.length <= SECONDS || !/[Zz+-]/.test(text.slice(SECONDS))) return undefined;
  const [, day = '', time = '', fraction = '', sign = '+', hours = '0', minutes = '0'] =
    ZONED.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const offsetMs = Number(`${sign}1`) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  const epochMs = Date.parse(`${day}${time}Z`) - offsetMs;
  const local = new Date(epochMs + uruguayOffsetMs(epochMs));
  const shown = local.toJSON()?.slice(0, SECONDS) ?? '';
  return isDay(shown.slice(0, 10)) ? shown + fraction : undefined;
}

const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

let last = { hour: Number.NaN, offsetMs: 0 };

/** It changes at full hours only, and most rows of a list are of the same one. */
function uruguayOffsetMs(epochMs: number): number {
  const hour = Math.floor(epochMs / HOUR_MS);
  if (hour !== last.hour) {
    const offsetMs = Date.parse(`${uruguayDateTime(hour * HOUR_MS)}Z`) - hour * HOUR_MS;
    last = { hour, offsetMs: Number.isNaN(offsetMs) ? 0 : offsetMs };
  }
  return last.offsetMs;
}
