import type { Day } from '../../time/days.ts';
import type { DayState } from '../day.ts';
import type { ENGLISH } from './english.ts';

export type Texts = typeof ENGLISH;

/** What follows a number: `day`, `days`. */
export type Several = readonly [one: string, many: string];

/** A day in one line: `2026-11-19 (Thu): 37 receipts, settled`. `receipts` is null if no reading succeeded. */
export function dayText(day: Day, state: DayState, receipts: number | null, texts: Texts): string {
  const name = texts.weekDay(day);
  if (receipts === null) return `${name}: ${texts.states[state]}`;
  const count = receiptsText(receipts, texts);
  if (state === 'failed') return `${name}: ${texts.failedWith(count)}`;
  return `${name}: ${count}, ${texts.states[state]}`;
}

export function receiptsText(count: number, texts: Texts): string {
  return texts.receipts(countText(count, texts), count);
}

/** A whole number with thousands separators: `12,345`. */
export function countText(count: number, { thousands }: Pick<Texts, 'thousands'>): string {
  return grouped(String(count), thousands);
}

/** An exact decimal with thousands separators: `-1,234.50`. No digit is lost. */
export function amountText(
  exact: string,
  { thousands, decimal }: Pick<Texts, 'thousands' | 'decimal'>,
): string {
  const [whole = '', fraction] = exact.split('.');
  const text = grouped(whole, thousands);
  return fraction === undefined ? text : `${text}${decimal}${fraction}`;
}

function grouped(digits: string, separator: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}
