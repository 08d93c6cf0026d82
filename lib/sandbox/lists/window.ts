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
  rules: Pick<SandboxBehaviour, 'upperBound' | 'openWindowDays'>,
): { from: number; to: number } {
  const today = dayOf(now);
  const isExclusive = endpoint === 'list' && rules.upperBound === 'exclusive';
  const to = query.toDay === undefined ? today + DAYS_AHEAD : query.toDay - (isExclusive ? 1 : 0);
  return { from: query.fromDay ?? Math.min(to, today) - rules.openWindowDays, to };
}
