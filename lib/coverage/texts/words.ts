import type { Day } from '../../time/days.ts';
import type { DayState } from '../day.ts';
import { ENGLISH } from './english.ts';
import type { Texts } from './texts.ts';

// Texts default to English, the terminal's language. The page passes its own.

/** A state's name and meaning, for legends. */
export const STATE_NAME: Readonly<Record<DayState, string>> = ENGLISH.states;
export const STATE_MEANING: Readonly<Record<DayState, string>> = ENGLISH.meanings;

/** A day in one line: `2026-11-19 (Thu): 37 receipts, settled`. `receipts` is null if no reading succeeded. */
export function dayText(day: Day, state: DayState, receipts: number | null, texts: Texts = ENGLISH): string {
  const name = texts.weekDay(day);
  if (receipts === null) return `${name}: ${texts.states[state]}`;
  const count = receiptsText(receipts, texts);
  if (state === 'failed') return `${name}: ${texts.failedWith(count)}`;
  return `${name}: ${count}, ${texts.states[state]}`;
}

export function receiptsText(count: number, texts: Texts = ENGLISH): string {
  return texts.receipts(countText(count, texts), count);
}

/** A whole number with thousands separators: `12,345`. */
export function countText(count: number, { thousands }: Pick<Texts, 'thousands'> = ENGLISH): string {
  return grouped(String(count), thousands);
}

/** An exact decimal with thousands separators: `-1,234.50`. No digit is lost. */
export function amountText(
  exact: string,
  { thousands, decimal }: Pick<Texts, 'thousands' | 'decimal'> = ENGLISH,
): string {
  const [whole = '', fraction] = exact.split('.');
  const text = grouped(whole, thousands);
  return fraction === undefined ? text : `${text}${decimal}${fraction}`;
}

function grouped(digits: string, separator: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}
