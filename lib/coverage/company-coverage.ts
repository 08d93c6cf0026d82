import type { UnitHistory } from '../audit/history.ts';
import { type Day, dayNumber } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { type DayState, dayState, noStates, type StateCounts, troubledDays } from './day.ts';

/** One cell of a calendar. */
export interface DayCoverage {
  day: Day;
  state: DayState;
  /** Receipts in the API's list at the last good reading; null if there was none. */
  receipts: number | null;
  /** A missing day has none. */
  readings: UnitHistory | undefined;
}

/** A calendar: the days of one company and direction, in order. */
export interface Calendar {
  direction: Direction;
  days: readonly DayCoverage[];
}

export interface CompanyCoverage {
  rut: string;
  /** The name, if the caller or the audit knows it. */
  name: string | undefined;
  calendars: readonly Calendar[];
}

/** `today`: as a number of days since 1970-01-01. */
export function dayCoverage(day: Day, today: number, readings: UnitHistory | undefined): DayCoverage {
  const state = dayState(dayNumber(day), today, readings?.last);
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
  return [...Map.groupBy(days, ({ day }) => day.slice(0, 7)).values()].flatMap((daysOfMonth) => {
    const [{ day: first } = {}] = daysOfMonth;
    if (first === undefined) return [];
    return [
      { first, days: daysOfMonth, receipts: countReceipts(daysOfMonth), states: countStates(daysOfMonth) },
    ];
  });
}

/** Days of a company, or of one of its calendars, that have to be exported again. */
export function countTrouble(calendars: readonly Calendar[]): number {
  return calendars.reduce((sum, { days }) => sum + troubledDays(countStates(days)), 0);
}
