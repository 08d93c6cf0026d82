import { lackOfList, readOn, type UnitHistory } from '../audit/history.ts';
import { CHANGING_DAYS } from '../time/days.ts';

/**
 * The states of a day, worst first. A day may change for 65 days.
 * - missing: no run has exported it.
 * - failed: the last run failed to; what an earlier one stored is still there.
 * - early: it was last read before it had ended, so receipts may have come since.
 * - unstable: its list changed during every reading.
 * - aged: its 65 days are over, but it was last read before that, so it may have changed since. Never called final.
 * - open: its 65 days are not over.
 * - exported: read after its 65 days.
 */
export const DAY_STATES = ['missing', 'failed', 'early', 'unstable', 'aged', 'open', 'exported'] as const;
export type DayState = (typeof DAY_STATES)[number];

/** States of days that have to be exported again. */
const TROUBLED_STATES = ['missing', 'failed', 'early', 'unstable'] as const satisfies readonly DayState[];

/** States that need a look, worst first. Days in other states are as they should be. */
export const MARKED_STATES = [...TROUBLED_STATES, 'aged'] as const satisfies readonly DayState[];

export function isTroubled(state: DayState): boolean {
  return TROUBLED_STATES.some((troubled) => troubled === state);
}

export function isMarked(state: DayState): boolean {
  return MARKED_STATES.some((marked) => marked === state);
}

/** Days are numbers since 1970-01-01. */
export function dayState(
  day: number,
  today: number,
  last: Pick<UnitHistory['last'], 'state' | 'startedAtSeconds' | 'isStable'> | undefined,
): DayState {
  const lack = lackOfList(day, last);
  if (last === undefined || lack === 'never') return 'missing';
  if (lack !== undefined) return lack;
  // False only when the audit says so.
  if (last.isStable === false) return 'unstable';
  if (readOn(last) - day >= CHANGING_DAYS) return 'exported';
  return today - day >= CHANGING_DAYS ? 'aged' : 'open';
}

export type StateCounts = Record<DayState, number>;

export function troubledDays(counts: StateCounts): number {
  return TROUBLED_STATES.reduce((sum, state) => sum + counts[state], 0);
}

export function noStates(): StateCounts {
  return { missing: 0, failed: 0, early: 0, unstable: 0, aged: 0, open: 0, exported: 0 };
}

/** Upper limits of the shades 1, 2, …, as shares of a busy day: closer at the top, where most days are. */
const LIMITS = [0.2, 0.45, 0.7, 0.9, Number.POSITIVE_INFINITY] as const;

/** Shades of a day with receipts; a day without any has shade 0. */
export const SHADES = LIMITS.length;

/** Receipts of a calendar's busy day: its 90th percentile over days with receipts. At least 1. */
export function busyDay(counts: Iterable<number | null>): number {
  const sorted = [...counts].filter((count): count is number => count !== null && count > 0);
  sorted.sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 1;
}

/** 0 for no receipts, else 1 to SHADES, by the share of a busy day, so that one huge day doesn't pale all others. */
export function shadeOf(count: number, busy: number): number {
  return count <= 0 ? 0 : 1 + LIMITS.findIndex((limit) => count / busy <= limit);
}

/** Of more companies than this, an overview comes before the calendars. */
const A_FEW_COMPANIES = 6;

export function areMany(companyCount: number): boolean {
  return companyCount > A_FEW_COMPANIES;
}
