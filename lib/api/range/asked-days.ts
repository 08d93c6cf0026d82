import type { DayRange } from '../../time/day-ranges.ts';
import { addDays, dayNumber } from '../../time/days.ts';
import { ForeignReceiptError, HttpStatusError, ReceiptIdError, UnexpectedBodyError } from '../errors.ts';
import {
  MAX_PAGE_SIZE,
  type PageSource,
  type ReceiptId,
  type RowSink,
  windowStartingAt,
} from '../list/page.ts';
import { confirmedFirstPage } from '../list/read-list.ts';
import type { ListHabits } from '../list/reading.ts';

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

/** So many receipts are not all issued at midnight by chance: the service gives dates, and a bound is a whole day. */
const ROWS_THAT_SHOW_DATES_ONLY = 20;

/** The days to ask with: the day after them too where the bound excludes its own. */
export function askedDays(range: DayRange, habits: ListHabits, isProbablyEmpty = false): AskedDays {
  const { upperBound } = habits;
  const isUnknown = upperBound === undefined;
  return { ...range, isNextDayAsked: upperBound === 'exclusive' || (isUnknown && isProbablyEmpty) };
}

/** `FechaDesde` and `FechaHasta` of a list that is asked for these days. */
export function bounds({ from, to, isNextDayAsked }: AskedDays): DayRange {
  return { from, to: isNextDayAsked ? addDays(to, 1) : to };
}

/**
 * Whether the readings of a list have its last day whole. The contract does not say whether `FechaHasta` includes its
 * day (§4.1), or only its first moment. So a list is believed to have it only once one has brought a row from within
 * its last day; until then the first page of the list of that day and the next is looked at. If that has rows of
 * the day which are lacking, the next day is asked too from then on, and its rows are left out.
 */
export async function hasLastDayWhole<Sink extends DaysSink>(
  asked: AskedDays,
  sinks: readonly Sink[],
  habits: ListHabits,
  sourceOf: (asked: AskedDays) => PageSource,
  newSink: (asked: AskedDays) => Sink,
): Promise<boolean> {
  if (habits.upperBound === 'inclusive') return true;
  if (asked.isNextDayAsked) {
    if (sinks.some(({ hasTimesOfNextDay }) => hasTimesOfNextDay)) habits.upperBound = 'inclusive';
    return true;
  }
  if (sinks.some(({ hasTimesOfLastDay }) => hasTimesOfLastDay)) {
    habits.upperBound = 'inclusive';
    return true;
  }
  const lastDay = { from: asked.to, to: asked.to };
  const rowCount = Math.max(...sinks.map((sink) => sink.rowsBetween(lastDay)));
  if (rowCount > 0 && !sinks.some(({ hasTimes }) => hasTimes)) {
    const allRows = Math.max(...sinks.map((sink) => sink.rowsBetween(asked)));
    if (isDateOnly(habits, allRows - rowCount)) return true;
  }
  const twoDays = { ...lastDay, isNextDayAsked: true };
  const glance = newSink(twoDays);
  try {
    await lookAt(sourceOf(twoDays), rowCount, glance);
  } catch (error) {
    // A next day that can't be read, or is at fault, must not fail this one, which has rows; the bound stays unproved.
    if (isOfTheList(error) && rowCount > 0) return true;
    throw error;
  }
  // What the list lacks: all rows of the day, or those issued after its first moment.
  const isLacking = rowCount > 0 ? glance.hasTimesOfLastDay : glance.rowsBetween(lastDay) > 0;
  if (glance.hasTimesOfNextDay || !isLacking) {
    if (glance.hasTimesOfNextDay) habits.upperBound = 'inclusive';
    else if (!glance.hasTimesOfLastDay) isDateOnly(habits, rowCount);
    return true;
  }
  // A list over several days may lack its last one because it was cut.
  if (widthDays(asked) <= (habits.provedWidthDays ?? 1)) {
    habits.upperBound = 'exclusive';
    // From now on lists are asked for a day more.
    habits.provedWidthDays = Math.max(1, (habits.provedWidthDays ?? 1) - 1);
  }
  return false;
}

/** Whether an error is about what was asked for, and not about the company or the connection. */
function isOfTheList(error: unknown): boolean {
  const kinds = [HttpStatusError, ReceiptIdError, ForeignReceiptError, UnexpectedBodyError];
  return kinds.some((kind) => error instanceof kind);
}

/** Counts rows without a time, and concludes from enough of them: a list that has such rows of its last day has all. */
function isDateOnly(habits: ListHabits, rowCount: number): boolean {
  habits.rowsWithoutTime = (habits.rowsWithoutTime ?? 0) + rowCount;
  if (habits.rowsWithoutTime < ROWS_THAT_SHOW_DATES_ONLY) return false;
  habits.upperBound = 'inclusive';
  return true;
}

/** The first page, and the one after as many rows as were read: where more of the day would stand. */
async function lookAt(source: PageSource, rowCount: number, sink: DaysSink): Promise<void> {
  const pages = await Promise.all([
    confirmedFirstPage(source),
    ...(rowCount > 0 ? [source.read(windowStartingAt(rowCount, MAX_PAGE_SIZE))] : []),
  ]);
  for (const page of pages) sink.add(page, 0);
}
