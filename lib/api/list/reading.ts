import type { ListPage, PageWindow, ReceiptId } from './page.ts';

/**
 * What the contract leaves open about lists and their answers have proved. One object per direction and process, kept
 * in the lake from run to run: what one company's list showed holds for all.
 */
export interface ListHabits {
  /** Whether `FechaHasta` includes its own day; undefined until proved. */
  upperBound?: 'inclusive' | 'exclusive';
  /** Rows seen so far that were issued at their day's first moment, with none issued later beside them. */
  rowsWithoutTime?: number;
  /** The largest page size that is honoured, if it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
  /** A list over so many days had rows on its first and last day, so it was not cut. Nor are narrower ones. */
  provedWidthDays?: number;
  /** The fewest days for which a list was refused while narrower ones were answered. */
  refusedWidthDays?: number;
  /** The highest position, counted from 1, at which a list had a row. */
  deepestRow?: number;
  /** Lists end after so many rows although they have more; undefined as long as none was seen to. */
  resultWindow?: number;
}

/** How one reading of a list ended. */
export type Reading =
  /** Complete: the end was reached, and nothing shifted between the pages. */
  | { kind: 'proved' }
  /** The end was reached, but this way of reading can't see a shift: a second reading must agree. */
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
