import type { SandboxBehaviour } from '../behaviour.ts';
import { dayOf } from '../generator/calendar.ts';
import type { EndpointKind } from './parameters.ts';
import type { ListQuery } from './query.ts';

/** Receipts may be dated so many days ahead. */
const DAYS_AHEAD = 60;

/**
 * The issue days that a query covers, both included; empty when `from` is after `to`. A bound that the
 * query leaves open is closed, so that no list is endless: see `openWindowDays`.
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
