import { overlappingWindow, type PageWindow, windowOf, windowStartingAt } from '../lib/api/list/page.ts';

export const PAGE_SIZE = 100;

/** The pages of a list without overlaps, up to the first empty one. */
export function plainPages(rows: number): PageWindow[] {
  return Array.from({ length: Math.ceil(rows / PAGE_SIZE) + 1 }, (_, index) =>
    windowOf(index + 1, PAGE_SIZE),
  );
}

/** The fewest pages that prove a list of this many rows complete (docs/decisions/0001). */
export function provingPages(rows: number): PageWindow[] {
  const pages = [windowOf(1, PAGE_SIZE)];
  // The page that begins with the last row, or the same page again for very few rows.
  if (rows < PAGE_SIZE) return [...pages, rows > 2 ? windowOf(2, rows - 1) : windowOf(1, PAGE_SIZE)];
  let known = PAGE_SIZE;
  let isLastPageFull = true;
  for (;;) {
    const last = pages.at(-1);
    const window = overlappingWindow(known, PAGE_SIZE, last === undefined ? [] : [last]);
    pages.push(window);
    const windowEnd = window.start + window.pageSize;
    const end = Math.min(rows, windowEnd);
    if (end === known) {
      pages.push(windowStartingAt(known, PAGE_SIZE));
      if (isLastPageFull) pages.push(overlappingWindow(known, PAGE_SIZE, [window]));
      return pages;
    }
    known = end;
    isLastPageFull = end === windowEnd;
  }
}
