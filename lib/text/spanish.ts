import type { Day } from '../time/days.ts';

/** How pages, books and workbooks write numbers and days: in Spanish, as in Uruguay. */

/** What follows a number: `día`, `días`. */
export type Several = readonly [one: string, many: string];

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** An exact decimal with thousands separators: `-1.234,50`. No digit is lost. What is no decimal stays as it is. */
export function amountText(exact: string): string {
  const [, sign, whole = '', fraction] = DECIMAL.exec(exact) ?? [];
  if (sign === undefined) return exact;
  // From the front: a pattern that looks ahead to the end takes a minute for a long text.
  const first = ((whole.length - 1) % 3) + 1;
  const grouped = sign + whole.slice(0, first) + whole.slice(first).replace(/\d{3}/g, '.$&');
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

/** A whole number with thousands separators: `12.345`. */
export function countText(count: number): string {
  return amountText(String(count));
}

/** `1 día`, `1.234 días`. */
export function counted(count: number, [singular, plural]: Several): string {
  return `${countText(count)} ${count === 1 ? singular : plural}`;
}

/** `19/11/2026`. */
export function shortDay(day: Day): string {
  return day.split('-').reverse().join('/');
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string): string {
  const [, year, month, day, time = ''] = /^(\d+)-(\d\d)-(\d\d)[ T]?(\d\d:\d\d)?/.exec(timestamp) ?? [];
  return year === undefined ? timestamp : `${day}/${month}/${year} ${time}`.trim();
}

function written(options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat('es-UY', { timeZone: 'UTC', ...options });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}

/** The names of January to December in Uruguay. */
export const MONTH_NAMES =
  'enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre'.split(' ');

/** `setiembre de 2026`. */
export const longMonth = written({ month: 'long', year: 'numeric' });
const weekday = written({ weekday: 'long' });

/** `set 2026`. */
export function shortMonth(day: Day): string {
  return `${longMonth(day).slice(0, 3)} ${day.slice(0, 4)}`;
}

/** `sábado 05/09/2026`. */
export function weekDay(day: Day): string {
  return `${weekday(day)} ${shortDay(day)}`;
}
