import { SPANISH, weekday } from '../coverage/texts/spanish.ts';
import { amountText as exactText } from '../coverage/texts/words.ts';

/** `19/11/2026` of `2026-11-19`. */
export const dayText = SPANISH.shortDay;

/** `jueves` of `2026-11-19`. */
export const weekdayText = weekday;

/** `octubre de 2026` of any day of it. */
export const monthText = SPANISH.longMonth;

/** `-1.234,50` of `-1234.50`; no digit is lost on the way. */
export function amountText(decimal: string): string {
  return exactText(decimal, SPANISH);
}

/** `1 día`, `1.234 días`. */
export function counted(count: number, one: string, many: string): string {
  return `${amountText(String(count))} ${count === 1 ? one : many}`;
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string): string {
  return `${dayText(timestamp.slice(0, 10))} ${timestamp.slice(11, 16)}`.trim();
}
