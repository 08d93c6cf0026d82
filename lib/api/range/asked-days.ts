import { addDays, type DayRange, dayNumber } from '../../time/days.ts';
import { ForeignReceiptError, HttpStatusError, ReceiptIdError, UnexpectedBodyError } from '../errors.ts';
import {
  type ListHabits,
  MAX_PAGE_SIZE,
  type PageSource,
  type RowSink,
  windowStartingAt,
} from '../list/page.ts';
import { confirmedFirstPage } from '../list/read-list.ts';
import type { ReceiptId } from '../receipt.ts';

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

/**
 * So many receipts are not all issued at midnight by chance: the service gives dates only, so a bound is a whole day.
 */
const ROWS_THAT_SHOW_DATES_ONLY = 20;

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

/**
 * Whether the readings of a list have its last day whole. The contract does not say whether `FechaHasta` includes its
 * whole day, its first moment or nothing of it (§4.1). A list is believed to include it once a row from within a last
 * day has come. Until then, the first page of a list over that day and the next is looked at. If it has rows of the day
 * that are lacking here, lists are requested with one more day from then on, whose rows are left out.
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
    // A fault of the next day must not fail this one, which has rows. The bound stays unproved.
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
  // A list over several days may also lack its last day because it was cut.
  if (widthDays(asked) <= (habits.provedWidthDays ?? 1)) {
    habits.upperBound = 'exclusive';
    // From now on, lists are requested with one more day.
    habits.provedWidthDays = Math.max(1, (habits.provedWidthDays ?? 1) - 1);
  }
  return false;
}

/** Whether an error is about the list, not about the company or the connection. */
function isOfTheList(error: unknown): boolean {
  const kinds = [HttpStatusError, ReceiptIdError, ForeignReceiptError, UnexpectedBodyError];
  return kinds.some((kind) => error instanceof kind);
}

/** Counts rows without a time. Enough of them show that the bound includes its day. */
function isDateOnly(habits: ListHabits, rowCount: number): boolean {
  habits.rowsWithoutTime = (habits.rowsWithoutTime ?? 0) + rowCount;
  if (habits.rowsWithoutTime < ROWS_THAT_SHOW_DATES_ONLY) return false;
  habits.upperBound = 'inclusive';
  return true;
}

/** Reads the first page and the one right after as many rows as were read, where more of the day would be. */
async function lookAt(source: PageSource, rowCount: number, sink: DaysSink): Promise<void> {
  const pages = await Promise.all([
    confirmedFirstPage(source),
    ...(rowCount > 0 ? [source.read(windowStartingAt(rowCount, MAX_PAGE_SIZE))] : []),
  ]);
  for (const page of pages) sink.add(page, 0);
}
