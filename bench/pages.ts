import { overlappingWindow, windowStartingAt } from '../lib/api/list/geometry.ts';
import { type PageWindow, windowOf } from '../lib/api/list/page.ts';

export const PAGE_SIZE = 100;

/** The pages of a list that don't overlap, of which the first that is empty proves the end. */
export function plainPages(rows: number): PageWindow[] {
  return Array.from({ length: Math.ceil(rows / PAGE_SIZE) + 1 }, (_, index) =>
    windowOf(index + 1, PAGE_SIZE),
  );
}

/** The fewest requests by which a list of so many rows is proved complete (docs/decisions/0001). */
export function provingPages(rows: number): PageWindow[] {
  const pages = [windowOf(1, PAGE_SIZE)];
  if (rows < PAGE_SIZE) return [...pages, windowStartingAt(Math.max(1, rows), PAGE_SIZE)];
  let known = PAGE_SIZE;
  for (;;) {
    const last = pages.at(-1);
    const window = overlappingWindow(known, PAGE_SIZE, last === undefined ? [] : [last]);
    pages.push(window);
    const end = Math.min(rows, window.start + window.pageSize);
    if (end === known) return [...pages, windowStartingAt(known, PAGE_SIZE)];
    known = end;
  }
}

export const PAGES = { plain: plainPages, proving: provingPages } as const;
