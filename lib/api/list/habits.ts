import { MAX_PAGE_SIZE } from './page.ts';

/**
 * Facts about a service's lists that the contract leaves open and answers have proved. One object per direction and
 * process, kept in the lake from run to run: what one company's list has shown holds for all.
 */
export interface ListHabits {
  /** Whether `FechaHasta` includes its own day; undefined until proved. */
  upperBound?: 'inclusive' | 'exclusive';
  /** Whether this process has seen itself that it is included. */
  isBoundShown?: boolean;
  /** Whether any row was issued after its day's first moment. Some services give dates only. */
  hasTimes?: boolean;
  /** Rows seen so far that were issued at their day's first moment, with none issued later beside them. */
  rowsWithoutTime?: number;
  /** Whether the inclusive bound is inferred only from there being many such rows. */
  isBoundByDates?: boolean;
  /** The largest page size that is honoured, if it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
  /** A list over this many days had rows on its first and last day, so it was not cut. Nor are narrower ones. */
  provedWidthDays?: number;
  /** The same, for lists of this process; undefined if none was, not even one of a single day. */
  shownWidthDays?: number;
  /** The fewest days for which a list was refused while narrower ones were answered. */
  refusedWidthDays?: number;
  /** The highest position, counted from 1, at which a list had a row. */
  deepestRow?: number;
  /** The same, for lists of this process. */
  deepestShownRow?: number;
  /** Whether a list was cut although earlier ones as wide were not: what others have proved no longer holds. */
  isProofWithdrawn?: boolean;
  /** Lists end after this many rows although they have more; undefined as long as none was seen to. */
  resultWindow?: number;
}

/** Rows of a full page, by the cap or the longest one seen. */
export function fullPageRows({ longestPage = MAX_PAGE_SIZE, pageCap = longestPage }: ListHabits): number {
  return Math.min(pageCap, MAX_PAGE_SIZE);
}

/** Notes that a page had this many rows. */
export function notePageLength(habits: ListHabits, rowCount: number): void {
  habits.longestPage = Math.max(rowCount, habits.longestPage ?? 0);
  if (rowCount > (habits.pageCap ?? rowCount)) habits.pageCap = undefined;
}

/** Notes that a list had a row at this position, counted from 1. */
export function noteDepth(habits: ListHabits, position: number): void {
  habits.deepestRow = Math.max(position, habits.deepestRow ?? 0);
  habits.deepestShownRow = Math.max(position, habits.deepestShownRow ?? 0);
  if (position > (habits.resultWindow ?? position)) habits.resultWindow = undefined;
}

/** Notes that a list had a row from within the last day that it was asked for. */
export function noteInclusive(habits: ListHabits): void {
  habits.upperBound = 'inclusive';
  habits.isBoundShown = true;
  habits.isBoundByDates = false;
}

/** This many receipts are not all issued at midnight by chance: the service gives dates only, and a bound is a day. */
export const ROWS_THAT_SHOW_DATES_ONLY = 20;

/** Counts rows without a time. Where no row ever had one, enough of them show that the bound includes its day. */
export function isDateOnly(habits: ListHabits, rowCount: number): boolean {
  habits.rowsWithoutTime = (habits.rowsWithoutTime ?? 0) + rowCount;
  if (habits.hasTimes === true || habits.rowsWithoutTime < ROWS_THAT_SHOW_DATES_ONLY) return false;
  noteInclusive(habits);
  habits.isBoundByDates = true;
  return true;
}

/** Notes that a row has a time: rows without one show nothing about bounds. */
export function noteTimes(habits: ListHabits): void {
  habits.hasTimes = true;
  if (habits.isBoundByDates === true) withdrawBound(habits);
}

/** Notes that a list had no rows of its last day. From now on, lists are requested with one more day. */
export function noteExclusive(habits: ListHabits): void {
  habits.upperBound = 'exclusive';
  habits.provedWidthDays = Math.max(1, (habits.provedWidthDays ?? 1) - 1);
  // A day alone that had rows shows nothing of a list with the day after it.
  const { shownWidthDays = 1 } = habits;
  habits.shownWidthDays = shownWidthDays > 1 ? shownWidthDays - 1 : undefined;
}

/** Forgets whether bounds include their day, since they may not do so any more. */
export function withdrawBound(habits: ListHabits): void {
  habits.upperBound = undefined;
  habits.isBoundShown = false;
  habits.isBoundByDates = false;
}

/** Whether lists over this many days are known to be answered whole. One day always is. */
export function isWidthProved({ provedWidthDays = 1 }: ListHabits, widthDays: number): boolean {
  return widthDays <= provedWidthDays;
}

/** The same, by lists of this process. */
export function isWidthShown({ shownWidthDays = 1 }: ListHabits, widthDays: number): boolean {
  return widthDays <= shownWidthDays;
}

/** Whether lists over this many days are known to be refused or cut. */
export function isWidthRefused({ refusedWidthDays }: ListHabits, widthDays: number): boolean {
  return refusedWidthDays !== undefined && widthDays >= refusedWidthDays;
}

/** Notes that a list over this many days was answered whole. */
export function noteProved(habits: ListHabits, widthDays: number): void {
  habits.provedWidthDays = Math.max(habits.provedWidthDays ?? 1, widthDays);
  habits.shownWidthDays = Math.max(habits.shownWidthDays ?? 1, widthDays);
  if (isWidthRefused(habits, widthDays)) habits.refusedWidthDays = undefined;
}

/** Notes that lists over this many days are refused or cut. */
export function noteRefused(habits: ListHabits, widthDays: number): void {
  habits.refusedWidthDays = Math.min(habits.refusedWidthDays ?? Number.POSITIVE_INFINITY, widthDays);
}

/** Notes that a list over this many days was cut, whatever lists were answered before. */
export function withdrawProof(habits: ListHabits, widthDays: number): void {
  habits.isProofWithdrawn = true;
  habits.provedWidthDays = 1;
  habits.shownWidthDays = undefined;
  habits.deepestRow = undefined;
  habits.deepestShownRow = undefined;
  noteRefused(habits, widthDays);
}
