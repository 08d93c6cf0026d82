/** A local date-time in microseconds since 1970-01-01T00:00:00 of the same clock. */
export interface LocalTimestamp {
  /** A `number` where that is safe (years 1685 to 2255), else a `bigint`. */
  micros: number | bigint;
  /** Whether every digit of the text is in `micros`; false for a seventh fractional digit that is not 0. */
  isWhole: boolean;
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?)?$/;
const DAY_MS = 86_400_000;

/**
 * Reads the contract's DateTime (§2): `YYYY-MM-DDTHH:MM:SS`, no zone, up to 7 fractional digits; a date alone
 * stands for its first moment. Undefined for anything else, also for days and hours that do not exist.
 * The seventh digit, a tenth of a microsecond, is cut off and never rounded.
 */
export function localTimestamp(text: string): LocalTimestamp | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = ''] = match;
  const dayNumber = daysSinceEpoch(Number(year), Number(month), Number(day));
  if (dayNumber === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  const ms = dayNumber * DAY_MS + (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000;
  const digits = fraction.padEnd(7, '0');
  const fractionMicros = Number(digits.slice(0, 6));
  const micros = ms * 1000 + fractionMicros;
  return {
    micros: Number.isSafeInteger(micros) ? micros : BigInt(ms) * 1000n + BigInt(fractionMicros),
    isWhole: digits[6] === '0',
  };
}

/** Days since 1970-01-01 in the Gregorian calendar; undefined when there is no such day. */
export function daysSinceEpoch(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / DAY_MS;
}
