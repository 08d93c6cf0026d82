import type { AuditRow } from '../audit/columns.ts';
import { CHANGING_DAYS } from '../time/days.ts';

/** What a reading counted, in the order of a person's questions. */
export const READING_COUNTS = [
  'receipts',
  'appeared',
  'changed',
  'vanished',
  'misfits',
  'isStable',
  'pages',
  'requests',
  'retries',
  'bytes',
] as const satisfies readonly (keyof AuditRow)[];

/** All fields. */
export const READING_FIELDS = [
  'startedAtSeconds',
  'endedAtSeconds',
  'runId',
  'state',
  ...READING_COUNTS,
  'error',
] as const satisfies readonly (keyof AuditRow)[];

/** One row of the audit, as the calendar shows it. */
export type Reading = Pick<AuditRow, (typeof READING_FIELDS)[number]>;

/**
 * What the audit says of a unit, the worst first:
 * missing: no run has exported it. failed: the last run did not; what an earlier one stored is still there.
 * unstable: its list changed at every reading. aged: the last reading came before its 65 days were over, and
 * they are over now, so that it may have changed unseen; such a day is never called final. open: its 65 days are
 * not over, so it may still change. exported: read when its 65 days were over.
 */
export const DAY_STATES = ['missing', 'failed', 'unstable', 'aged', 'open', 'exported'] as const;
export type DayState = (typeof DAY_STATES)[number];

/** What a run did not do, or could not vouch for: another one has to. */
const TROUBLED_STATES = ['missing', 'failed', 'unstable'] as const satisfies readonly DayState[];
export type TroubledState = (typeof TROUBLED_STATES)[number];

/** The states that need a look, the worst first; days of the others are as they should be. */
export const MARKED_STATES = [...TROUBLED_STATES, 'aged'] as const satisfies readonly DayState[];

export function isTroubled(state: DayState): state is TroubledState {
  return TROUBLED_STATES.some((troubled) => troubled === state);
}

export function isMarked(state: DayState): boolean {
  return MARKED_STATES.some((marked) => marked === state);
}

/** What the state of a day depends on; days are counted since 1970-01-01. */
export interface DayFacts {
  day: number;
  /** The day that it is in Uruguay. */
  today: number;
  hasReading: boolean;
  hasLastFailed: boolean;
  /** Whether the last successful reading was proved free of drift; false only when the audit says so. */
  isStable: boolean;
  /** When the last successful reading began; undefined when the audit doesn't say. */
  readOn: number | undefined;
}

export function dayState(facts: DayFacts): DayState {
  if (!facts.hasReading) return 'missing';
  if (facts.hasLastFailed) return 'failed';
  if (!facts.isStable) return 'unstable';
  if (facts.readOn !== undefined && facts.readOn - facts.day >= CHANGING_DAYS) return 'exported';
  return facts.today - facts.day >= CHANGING_DAYS ? 'aged' : 'open';
}

export type StateCounts = Record<DayState, number>;

export function troubledDays(counts: StateCounts): number {
  return TROUBLED_STATES.reduce((sum, state) => sum + counts[state], 0);
}

export function noStates(): StateCounts {
  return { missing: 0, failed: 0, unstable: 0, aged: 0, open: 0, exported: 0 };
}

/** The shares of a busy day up to which a day has shade 1, 2, …: closer at the top, where most days are. */
const LIMITS = [0.2, 0.45, 0.7, 0.9, Number.POSITIVE_INFINITY] as const;

/** Shades of a day with receipts; a day without any has shade 0. */
export const SHADES = LIMITS.length;

/** A calendar's own measure: nine in ten of its days with receipts have at most so many. At least 1. */
export function busyDay(counts: Iterable<number | null>): number {
  const sorted = [...counts].filter((count): count is number => count !== null && count > 0);
  sorted.sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 1;
}

/** 0 for none, else 1 to SHADES: the share of a busy day, so that one great day doesn't pale all others. */
export function shadeOf(count: number, busy: number): number {
  return count <= 0 ? 0 : 1 + LIMITS.findIndex((limit) => count / busy <= limit);
}

/** Of more companies than these an overview comes first: their calendars would be too many to look through. */
const A_FEW_COMPANIES = 6;

export function areMany(companyCount: number): boolean {
  return companyCount > A_FEW_COMPANIES;
}
