import type { ListPage, PageWindow, ReceiptId } from './page.ts';

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
