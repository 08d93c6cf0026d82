import type { Direction } from '../api/directions.ts';
import type { AuditRow } from '../audit/columns.ts';
import { DONE } from '../audit/history.ts';
import { dayNumber } from '../time/days.ts';
import { type DayState, dayState, noStates, READING_FIELDS, type Reading, type StateCounts } from './day.ts';

/** Of older readings of a unit only their number is kept; the audit has them all. */
const READINGS_KEPT = 8;

/** What the audit says of one unit. */
export interface UnitReadings {
  /** The newest, newest first; and the last good one, should it be older than these. Never empty. */
  shown: readonly Reading[];
  /** All of them, those not shown too. */
  count: number;
  last: Reading;
  /** The newest that did not fail. */
  lastGood: Reading | undefined;
  /** Totals by type, as that one had them; null where the audit doesn't say. */
  totals: string | null;
  /** The company's name, as the newest reading that says it has it. */
  companyName: string | null;
}

/** Takes the readings of a unit in any order and keeps few of them. */
export class ReadingKeeper {
  private count = 0;
  private newest: Reading[] = [];
  private lastGood: Reading | undefined;
  private totals: string | null = null;
  private named: { reading: Reading; companyName: string } | undefined;

  add(row: AuditRow): void {
    const reading = readingOf(row);
    this.count += 1;
    const place = this.newest.findIndex((known) => compareReadings(reading, known) > 0);
    this.newest.splice(place === -1 ? this.newest.length : place, 0, reading);
    this.newest.length = Math.min(this.newest.length, READINGS_KEPT);
    if (row.companyName !== null && isNewer(reading, this.named?.reading)) {
      this.named = { reading, companyName: row.companyName };
    }
    if (!isGood(reading) || !isNewer(reading, this.lastGood)) return;
    this.lastGood = reading;
    this.totals = row.totals;
  }

  /** Undefined when there was none. */
  readings(): UnitReadings | undefined {
    const { newest, lastGood, count, totals } = this;
    const companyName = this.named?.companyName ?? null;
    const [last] = newest;
    if (last === undefined) return undefined;
    const isShown = lastGood === undefined || newest.includes(lastGood);
    return { shown: isShown ? newest : [...newest, lastGood], count, last, lastGood, totals, companyName };
  }
}

/** What a calendar asks of the audit. */
export const READING_COLUMNS = [
  ...READING_FIELDS,
  'totals',
  'companyName',
] as const satisfies readonly (keyof AuditRow)[];

function readingOf(row: AuditRow): Reading {
  const { runId, state, receipts, appeared, changed, vanished, misfits, isStable, pages } = row;
  const { requests, retries, bytes, error, startedAtSeconds, endedAtSeconds } = row;
  const counts = { receipts, appeared, changed, vanished, misfits, pages, requests, retries, bytes };
  return { runId, state, ...counts, isStable, error, startedAtSeconds, endedAtSeconds };
}

/** Whether the list was read whole and stored. */
function isGood({ state }: Reading): boolean {
  return DONE.has(state);
}

function isNewer(reading: Reading, known: Reading | undefined): boolean {
  return known === undefined || compareReadings(reading, known) > 0;
}

/**
 * Greater than 0 when `a` is the newer. Of two within one second, that which did not fail
 * holds; then the run's id, so that the order in which objects are read makes no difference.
 */
function compareReadings(a: Reading, b: Reading): number {
  return (
    (a.startedAtSeconds ?? -1) - (b.startedAtSeconds ?? -1) ||
    Number(isGood(a)) - Number(isGood(b)) ||
    Number(a.runId > b.runId) - Number(a.runId < b.runId)
  );
}

const SECONDS_PER_DAY = 86_400;

/** One cell of a calendar. */
export interface DayCoverage {
  /** Issue date, `YYYY-MM-DD`. */
  day: string;
  state: DayState;
  /** Receipts that the API listed at the last good reading; null when there was none. */
  receipts: number | null;
  /** Undefined when the day is missing. */
  readings: UnitReadings | undefined;
}

/** A calendar: the days of one company and direction, in order. */
export interface Calendar {
  direction: Direction;
  days: readonly DayCoverage[];
}

export interface CompanyCoverage {
  rut: string;
  /** Undefined when nobody says. */
  name: string | undefined;
  calendars: readonly Calendar[];
}

/** The days of a calendar with what the audit says of them. Pure. */
export function calendarOf(
  direction: Direction,
  days: readonly string[],
  today: string,
  find: (direction: Direction, day: string) => UnitReadings | undefined,
): Calendar {
  const todayNumber = dayNumber(today);
  return {
    direction,
    days: days.map((day) => dayCoverage(day, todayNumber, find(direction, day))),
  };
}

function dayCoverage(day: string, today: number, readings: UnitReadings | undefined): DayCoverage {
  const good = readings?.lastGood;
  const state = dayState({
    day: dayNumber(day),
    today,
    hasReading: readings !== undefined,
    hasLastFailed: readings !== undefined && readings.last !== good,
    isStable: good?.isStable !== false,
    readOn: good === undefined ? undefined : dayOfReading(good),
  });
  return { day, state, receipts: good === undefined ? null : (good.receipts ?? 0), readings };
}

function dayOfReading({ startedAtSeconds }: Reading): number | undefined {
  return startedAtSeconds === null ? undefined : Math.floor(startedAtSeconds / SECONDS_PER_DAY);
}

/** How many days are in each state. */
export function countStates(days: Iterable<Pick<DayCoverage, 'state'>>): StateCounts {
  const counts = noStates();
  for (const { state } of days) counts[state] += 1;
  return counts;
}

export function countReceipts(days: Iterable<Pick<DayCoverage, 'receipts'>>): number {
  let sum = 0;
  for (const { receipts } of days) sum += receipts ?? 0;
  return sum;
}
