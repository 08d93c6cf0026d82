import { CHANGING_DAYS, type DayState } from './day-state.ts';

/** What a state means, in a few words; for legends. */
export const STATE_MEANING: Readonly<Record<DayState, string>> = {
  missing: 'no run has exported it',
  failed: 'the last reading failed; an earlier one is kept',
  unstable: 'its list changed at every reading',
  aged: `last read before its ${CHANGING_DAYS} days were over`,
  open: `may still change: its ${CHANGING_DAYS} days are not over`,
  exported: `read when its ${CHANGING_DAYS} days were over`,
};

const STATE_TEXT: Readonly<Record<DayState, string>> = {
  missing: 'missing',
  failed: 'failed',
  unstable: 'unstable',
  aged: 'aged',
  open: 'exported, may still change',
  exported: 'exported',
};

/** A day in one line: `2026-11-19: 37 receipts, exported`. `receipts` is null when no reading succeeded. */
export function dayText(day: string, state: DayState, receipts: number | null): string {
  if (receipts === null) return `${day}: ${STATE_TEXT[state]}`;
  if (state === 'failed') return `${day}: failed, ${receiptsText(receipts)} from an earlier reading`;
  return `${day}: ${receiptsText(receipts)}, ${STATE_TEXT[state]}`;
}

export function receiptsText(count: number): string {
  return count === 0 ? 'no receipts' : `${countText(count)} ${count === 1 ? 'receipt' : 'receipts'}`;
}

/** A whole number with its thousands apart: `12,345`. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** An exact decimal's text with its thousands apart: `-1,234.50`. No digit is lost on the way. */
export function amountText(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
