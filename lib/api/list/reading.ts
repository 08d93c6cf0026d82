import type { ListPage, PageWindow, ReceiptId } from './page.ts';

/**
 * What the contract leaves open about a list and its own answers have proved. One object a direction and
 * process, kept in the lake from run to run: what one company's list showed holds for all.
 */
export interface ListHabits {
  /** Whether `FechaHasta` includes its own day; undefined until proved. */
  upperBound?: 'inclusive' | 'exclusive';
  /** Rows seen so far that were issued at their day's first moment, with none issued later beside them. */
  rowsWithoutTime?: number;
  /** The page size that is really honoured, when it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
  /** A list over so many days had rows at both its ends, so it was not cut; narrower ones aren't either. */
  provedWidthDays?: number;
  /** The least number of days that a list was refused for, where narrower ones were answered. */
  refusedWidthDays?: number;
  /** The greatest position, counted from 1, at which a list had a row. */
  deepestRow?: number;
  /** Lists end after so many rows, though they have more; undefined while none was caught at it. */
  resultWindow?: number;
}

/** How one reading of a list, from its first page on, ended. */
export type Reading =
  /** Complete: the end was shown, and no shift was seen between the pages. */
  | { kind: 'proved' }
  /** The end was shown, but this way of reading can't see a shift: another reading must agree. */
  | { kind: 'complete'; ids: ReadonlySet<ReceiptId>; hasRepeats: boolean }
  /** The pages contradict each other. */
  | { kind: 'torn'; reason: string };

export function torn(window: PageWindow, reason: string): Reading {
  return {
    kind: 'torn',
    reason: `page ${window.pageNumber} (${window.pageSize} rows a page) ${reason}`,
  };
}

/** What is wrong with the page on its own: its number is not the one asked for. */
export function pageFault(window: PageWindow, page: ListPage): string | undefined {
  return page.pageNumber === window.pageNumber ? undefined : `came as page ${page.pageNumber}`;
}

export function isSameIds(a: readonly ReceiptId[], b: readonly ReceiptId[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

export function isSameSet(a: ReadonlySet<ReceiptId>, b: ReadonlySet<ReceiptId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

export const ONLY_KNOWN_ROWS = 'brought only rows that an earlier page had brought';
