import type { Direction } from '../api/directions.ts';
import { dayNumber } from '../time/days.ts';
import { type DayState, dayState, noStates, type StateCounts } from './day-state.ts';
import type { Reading } from './reading.ts';
import type { UnitReadings } from './unit-readings.ts';

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
    isStable: good?.estable !== false,
    readOn: good === undefined ? undefined : dayOfReading(good),
  });
  return { day, state, receipts: good === undefined ? null : (good.filas ?? 0), readings };
}

function dayOfReading({ inicio }: Reading): number | undefined {
  return inicio === null ? undefined : Math.floor(inicio / SECONDS_PER_DAY);
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
