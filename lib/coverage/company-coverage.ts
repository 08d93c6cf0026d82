import { DONE } from '../audit/history.ts';
import type { AuditField, AuditRow } from '../audit/row.ts';
import { type Day, dayNumber } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import {
  type DayState,
  dayState,
  noStates,
  READING_FIELDS,
  type Reading,
  type StateCounts,
  troubledDays,
} from './day.ts';

/** Most readings of a unit that are kept, newest first. Older ones are only counted; the audit has them all. */
export const READINGS_KEPT = 8;

export interface UnitReadings {
  /** The newest readings, newest first, then the last good one if it is older. Holds at least one. */
  shown: readonly Reading[];
  /** How many readings there are, shown or not. */
  count: number;
  last: Reading;
  /** The newest reading that did not fail. */
  lastGood: Reading | undefined;
  /** Totals by type of the last good reading, as recorded; null if the audit has none. */
  totals: string | null;
  /** Fields of the last good reading that the contract does not name, as recorded. */
  unknownFields: string | null;
  /** The company's name in the newest reading that has one. */
  companyName: string | null;
}

/** Takes the readings of a unit in any order and keeps the few that are shown. */
export class ReadingKeeper {
  private count = 0;
  private newest: readonly Reading[] = [];
  private lastGood: Reading | undefined;
  private totals: string | null = null;
  private unknownFields: string | null = null;
  private named: Reading | undefined;
  private companyName: string | null = null;

  add(row: AuditRow, most = READINGS_KEPT): void {
    this.count += 1;
    const older = this.newest.findIndex((known) => compareReadings(row, known) > 0);
    const place = older === -1 ? this.newest.length : older;
    const isNamed = row.companyName !== null && isNewer(row, this.named);
    const isLastGood = isGood(row) && isNewer(row, this.lastGood);
    // Most readings of a large audit are neither.
    if (place >= most && !isNamed && !isLastGood) return;
    const reading = readingOf(row);
    // A new array is as long as it needs to be; one that grows has room for 17.
    if (place < most) this.newest = this.newest.toSpliced(place, 0, reading).slice(0, most);
    if (isNamed) {
      this.named = reading;
      this.companyName = row.companyName;
    }
    if (isLastGood) {
      this.lastGood = reading;
      this.totals = row.totals;
      this.unknownFields = row.unknownFields;
    }
  }

  /** Forgets all but this many of the newest readings. */
  keepNewest(most: number): void {
    this.newest = this.newest.slice(0, most);
  }

  readings(): UnitReadings | undefined {
    const { newest, lastGood, count, totals, unknownFields, companyName } = this;
    const [last] = newest;
    if (last === undefined) return undefined;
    const isShown = lastGood === undefined || newest.includes(lastGood);
    const shown = isShown ? newest : [...newest, lastGood];
    return { shown, count, last, lastGood, totals, unknownFields, companyName };
  }
}

/** The audit's columns that a calendar needs. */
export const READING_COLUMNS = [
  ...READING_FIELDS,
  'totals',
  'unknownFields',
  'companyName',
] as const satisfies readonly AuditField[];

function readingOf(row: AuditRow): Reading {
  const { runId, state, receipts, appeared, changed, vanished, conversionErrors, isStable, pages } = row;
  const { requests, retries, bytes, error, startedAtSeconds, endedAtSeconds } = row;
  const counts = { receipts, appeared, changed, vanished, conversionErrors, pages, requests, retries, bytes };
  return { runId, state, ...counts, isStable, error, startedAtSeconds, endedAtSeconds };
}

type Moment = Pick<Reading, 'startedAtSeconds' | 'state' | 'runId'>;

/** Whether the list was read whole and stored. */
function isGood({ state }: Pick<Reading, 'state'>): boolean {
  return DONE.has(state);
}

function isNewer(reading: Moment, known: Reading | undefined): boolean {
  return known === undefined || compareReadings(reading, known) > 0;
}

/**
 * Greater than 0 if `a` is newer. Of two in the same second, the one that did not fail counts as newer, then the one
 * with the greater run id, so that the order in which objects are read makes no difference.
 */
function compareReadings(a: Moment, b: Moment): number {
  return (
    (a.startedAtSeconds ?? -1) - (b.startedAtSeconds ?? -1) ||
    Number(isGood(a)) - Number(isGood(b)) ||
    Number(a.runId > b.runId) - Number(a.runId < b.runId)
  );
}

/** One cell of a calendar. */
export interface DayCoverage {
  day: Day;
  state: DayState;
  /** Receipts in the API's list at the last good reading; null if there was none. */
  receipts: number | null;
  /** Undefined if the day is missing. */
  readings: UnitReadings | undefined;
}

/** A calendar: the days of one company and direction, in order. */
export interface Calendar {
  direction: Direction;
  days: readonly DayCoverage[];
}

export interface CompanyCoverage {
  rut: string;
  /** Undefined if neither the caller nor the audit knows it. */
  name: string | undefined;
  calendars: readonly Calendar[];
}

/** `today`: as a number of days since 1970-01-01. */
export function dayCoverage(day: Day, today: number, readings: UnitReadings | undefined): DayCoverage {
  const state = dayState(dayNumber(day), today, readings);
  const good = readings?.lastGood;
  return { day, state, receipts: good === undefined ? null : (good.receipts ?? 0), readings };
}

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

/** Days that the page and the terminal show in one row: a month of a calendar. */
export interface MonthRow {
  /** Its first day that the calendar has. */
  first: Day;
  days: readonly DayCoverage[];
  receipts: number;
  states: StateCounts;
}

export function monthRows({ days }: Calendar): MonthRow[] {
  return [...Map.groupBy(days, ({ day }) => day.slice(0, 7)).values()].flatMap((ofMonth) => {
    const [{ day: first } = {}] = ofMonth;
    if (first === undefined) return [];
    return [{ first, days: ofMonth, receipts: countReceipts(ofMonth), states: countStates(ofMonth) }];
  });
}

/** Days of a company, or of one of its calendars, that have to be exported again. */
export function countTrouble(calendars: readonly Calendar[]): number {
  return calendars.reduce((sum, { days }) => sum + troubledDays(countStates(days)), 0);
}
