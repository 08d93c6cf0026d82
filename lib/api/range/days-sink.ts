import type { DayRange } from '../../time/day-ranges.ts';
import { dayNumber } from '../../time/days.ts';
import type { ReceiptId, RowSink } from '../list/page.ts';

/** The days that a list is read for, and whether it is asked with the day after them as `FechaHasta`. */
export interface AskedDays extends DayRange {
  isNextDayAsked: boolean;
}

/** Takes the rows of a list over some days, and deals them out to their days. */
export interface DaysSink extends RowSink {
  /** All rows that came. */
  readonly listedCount: number;
  /** The first and the last of the days that has rows. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
  /** Rows of these days; a row that says no day counts for none, unless one day alone was asked for. */
  rowsBetween(days: DayRange): number;
  /** Any row of these days issued later than its day's first moment: some services give a date only. */
  readonly hasTimes: boolean;
  /** The same of their last day, and of the day after it: only then is that day included whole. */
  readonly hasTimesOfLastDay: boolean;
  readonly hasTimesOfNextDay: boolean;
  /** Rows that say no day that exists. */
  readonly undated: readonly ReceiptId[];
  /** What is wrong with a row that says a day which was not asked for. */
  readonly stray: Error | undefined;
  /** What is wrong with rows of a day, which are then left out. */
  readonly faults: ReadonlyMap<string, Error>;
  /** The days of all rows, by id; undefined when an id stands under two of them. */
  dayById(): ReadonlyMap<bigint, string> | undefined;
  /** How many rows have each value of a whole-numbered column; those without one count for `null`. */
  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number>;
}

export function widthDays({ from, to }: DayRange): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

export function isOneDay({ from, to }: DayRange): boolean {
  return from === to;
}
