import type { SandboxBehaviour } from '../behaviour.ts';
import { DAYS, dayOf } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipt-list.ts';
import type { EndpointKind, ListQuery } from './query.ts';
import type { Block, RowChanges } from './row-changes.ts';

/** The rows of a company's list over a range of days as of now, in order of id, by offset. */
export interface DayRange {
  length: number;
  /** Changes whenever the rows of the range change. */
  fingerprint: number;
  /** The receipt's day and index, without making the receipt. */
  placeAt(offset: number): { day: number; index: number };
  receiptAt(offset: number): SandboxReceipt;
  /** The offset of a day and index; undefined if the range does not have it now. */
  offsetOf(day: number, index: number): number | undefined;
}

interface DayRows {
  day: number;
  start: number;
  length: number;
  hidden: readonly Block[];
}

/** Both days are included. */
export function dayRange(
  list: ReceiptList,
  days: { from: number; to: number },
  now: number,
  changes: RowChanges,
): DayRange {
  const rows: DayRows[] = [];
  let length = 0;
  let fingerprint = 0;
  for (let day = Math.max(0, days.from); day <= Math.min(DAYS - 1, days.to); day++) {
    const appeared = list.appeared(day, now);
    if (appeared === 0) continue;
    const hidden = changes.hidden({ rut: list.rut, direction: list.direction, day }, appeared);
    const shown = hidden.reduce((sum, block) => sum - (block.end - block.start), appeared);
    rows.push({ day, start: length, length: shown, hidden });
    length += shown;
    fingerprint = mix(mix(fingerprint, day), shown);
    for (const block of hidden) fingerprint = mix(mix(fingerprint, block.start), block.end);
  }

  const placeAt = (offset: number): { day: number; index: number } => {
    const found = rows[lastStartingBy(rows, offset)];
    if (found === undefined) throw new RangeError(`there is no row ${offset}`);
    return { day: found.day, index: shownIndex(found.hidden, offset - found.start) };
  };
  return {
    length,
    fingerprint,
    placeAt,
    receiptAt(offset) {
      const { day, index } = placeAt(offset);
      return list.receipt(day, index, now);
    },
    offsetOf(day, index) {
      const found = rows.find((r) => r.day === day);
      if (found === undefined) return undefined;
      const before = found.hidden.filter((block) => block.start <= index);
      if (before.some((block) => index < block.end)) return undefined;
      const offset = before.reduce((sum, block) => sum - (block.end - block.start), index);
      return offset < found.length ? found.start + offset : undefined;
    },
  };
}

function shownIndex(hidden: readonly Block[], offset: number): number {
  let index = offset;
  for (const block of hidden) if (index >= block.start) index += block.end - block.start;
  return index;
}

function lastStartingBy(rows: readonly DayRows[], offset: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((rows[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Receipts may be dated this many days ahead. */
const DAYS_AHEAD = 60;

/**
 * The issue days that a query covers, both included; none if `from` is after `to`. An open bound is closed, so that no
 * list is endless: see `openWindowDays`.
 */
export function daysOf(
  query: ListQuery,
  endpoint: EndpointKind,
  now: number,
  rules: Pick<SandboxBehaviour, 'upperBound' | 'openWindowDays' | 'maxRangeDays' | 'overRange'>,
): { from: number; to: number } {
  const today = dayOf(now);
  const isExclusive = endpoint === 'list' && rules.upperBound === 'exclusive';
  const to = query.toDay === undefined ? today + DAYS_AHEAD : query.toDay - (isExclusive ? 1 : 0);
  const days = { from: query.fromDay ?? Math.min(to, today) - rules.openWindowDays, to };
  if (!isTooWide(days, rules)) return days;
  switch (rules.overRange) {
    case 'empty':
      return { from: days.from, to: days.from - 1 };
    case 'last':
      return { from: days.to - rules.maxRangeDays + 1, to: days.to };
    case 'first':
      return { from: days.from, to: days.from + rules.maxRangeDays - 1 };
    default:
      return days;
  }
}

export function isTooWide(
  { from, to }: { from: number; to: number },
  { maxRangeDays }: Pick<SandboxBehaviour, 'maxRangeDays'>,
): boolean {
  return maxRangeDays > 0 && to - from + 1 > maxRangeDays;
}
