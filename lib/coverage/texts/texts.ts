import type { Day } from '../../time/days.ts';
import { DAY_STATES, type DayState, MARKED_STATES, type StateCounts } from '../day.ts';
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

/** `3 missing, 1 failed`; states without days are left out. */
export function statesText(
  counts: StateCounts,
  texts: Texts,
  states: readonly DayState[] = DAY_STATES,
): string {
  const said = states.filter((state) => counts[state] > 0);
  return said.map((state) => `${countText(counts[state], texts)} ${texts.states[state]}`).join(', ');
}

/** The states that need a look, in a row of the page or the terminal: `3 missing, 1 failed`. */
export function lookText(counts: StateCounts, texts: Texts): string {
  return statesText(counts, texts, MARKED_STATES) || texts.noTrouble;
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
