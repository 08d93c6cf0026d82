import type { RequestContext } from '../../api/errors.ts';
import type { IssuedFilters, ReceivedFilters } from '../../api/filters.ts';
import type { ReadingPosition } from '../../api/list/overlapping.ts';
import type { ListHabits, PageSource, RowSink } from '../../api/list/page.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import type { ListReading } from '../../api/list/read-list.ts';
import type { ReceiptId } from '../../api/receipt.ts';
import type { Clock } from '../../time/clock.ts';
import { addDays, type DayRange, dayNumber } from '../../time/days.ts';

/** The days that a list is read for, and whether `FechaHasta` is the day after them. */
export interface AskedDays extends DayRange {
  isNextDayAsked: boolean;
}

/** Takes the rows of a list over some days and sorts them by day. */
export interface DaysSink extends RowSink {
  /** All rows that came. */
  readonly listedCount: number;
  /** The first and the last day with rows. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
  /** Counts the rows of these days. A row without a day counts for none, unless only one day was asked for. */
  rowsBetween(days: DayRange): number;
  /** Whether any row was issued after its day's first moment. Some services give dates only. */
  readonly hasTimes: boolean;
  /** The same for the last day, and for the day after it: such a row shows that the bound includes its whole day. */
  readonly hasTimesOfLastDay: boolean;
  readonly hasTimesOfNextDay: boolean;
  /** Rows without a valid day. */
  readonly undated: readonly ReceiptId[];
  /** The error of a row whose day was not asked for. */
  readonly stray: Error | undefined;
  /** Errors of rows, by their day. Those rows are left out. */
  readonly faults: ReadonlyMap<string, Error>;
  /** The day of each row, by id; undefined if an id occurs under two days. */
  dayById(): ReadonlyMap<bigint, string> | undefined;
  /** How many rows have each value of an integer column; rows without a value count under `null`. */
  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number>;
}

export function widthDays({ from, to }: DayRange): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

export function isOneDay({ from, to }: DayRange): boolean {
  return from === to;
}

/** The days to ask for, with the day after them if the bound excludes its own day. */
export function askedDays(range: DayRange, habits: ListHabits, isProbablyEmpty = false): AskedDays {
  const { upperBound } = habits;
  const isUnknown = upperBound === undefined;
  return { ...range, isNextDayAsked: upperBound === 'exclusive' || (isUnknown && isProbablyEmpty) };
}

/** `FechaDesde` and `FechaHasta` for these days. */
export function bounds({ from, to, isNextDayAsked }: AskedDays): DayRange {
  return { from, to: isNextDayAsked ? addDays(to, 1) : to };
}

/** Filters that divide a list whose days can't be divided any more (the contract, §4.1, §4.3). */
export type PartFilters = Pick<
  ReceivedFilters & IssuedFilters,
  'TipoComprobante' | 'ExcluirTipoComprobante' | 'NumeroDesde' | 'NumeroHasta'
>;

export type SourceOf = (asked: AskedDays, filters?: PartFilters, signal?: AbortSignal) => PageSource;

/** A list's reading. `areReadings`: its sinks are repeated readings of the same rows, not parts of the list. */
export type DayReading<Sink extends DaysSink> = ListReading<Sink> & { areReadings: boolean };

/** What it takes to read some days as one list. */
export interface DaysReader<Sink extends DaysSink> {
  context: RequestContext;
  habits: ListHabits;
  sourceOf: SourceOf;
  newSink: (asked: AskedDays) => Sink;
  isTimeUp: () => boolean;
  /** Whether requests are paced, as the API limits their rate: a slow page then says nothing about depth. */
  isPaced: () => boolean;
  clock: Clock;
  /** Once it is aborted, a failure is no longer one of the list. */
  signal?: AbortSignal;
}

/** A list that was read in part, and where to go on. */
export interface PartialList<Sink extends DaysSink> {
  sink: Sink;
  position: ReadingPosition;
}

export interface ReadingOptions<Sink extends DaysSink> {
  /** What is known of how long the list is; undefined when nothing is. */
  length?: ListLength;
  /** A paused reading to go on with. */
  paused?: PartialList<Sink> & { asked: AskedDays };
}

/** The rough length of a list. */
export interface LongLength {
  leastRows: number;
  mostRows: number;
}

/** What became of some days of a list. */
export type RangeResult<Sink extends DaysSink> =
  | {
      kind: 'read';
      days: DayRange;
      /** One sink; or one per slice; or, if the list was not stable, one per reading, newest first. */
      sinks: readonly Sink[];
      /** Whether the sinks are repeated readings of the same rows, not parts of the list. */
      areReadings: boolean;
      /** Whether the list was proved to hold exactly these rows at one moment. */
      isStable: boolean;
    }
  | { kind: 'failed'; days: DayRange; error: unknown }
  /** Time was up. A later call with these goes on from there. */
  | ({ kind: 'paused'; asked: AskedDays } & PartialList<Sink>)
  /** Not read: time was up, or the list is empty and wider than any that is known to be answered. */
  | { kind: 'left'; days: DayRange; reason: 'timeUp' | 'unproved' }
  /** Not read: it has too many rows for a list over several days. */
  | { kind: 'tooLong'; days: DayRange; length: LongLength };
