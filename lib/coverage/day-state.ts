import { CHANGING_DAYS } from '../time/days.ts';

/**
 * What the audit says of a unit, the worst first:
 * missing: no run has exported it. failed: the last run did not; what an earlier one stored is still there.
 * unstable: its list changed at every reading. aged: the last reading came before its 65 days were over, and
 * they are over now, so that it may have changed unseen; such a day is never called final. open: its 65 days are
 * not over, so it may still change. exported: read when its 65 days were over.
 */
export const DAY_STATES = ['missing', 'failed', 'unstable', 'aged', 'open', 'exported'] as const;
export type DayState = (typeof DAY_STATES)[number];

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

export function noStates(): StateCounts {
  return { missing: 0, failed: 0, unstable: 0, aged: 0, open: 0, exported: 0 };
}
