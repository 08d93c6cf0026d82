/**
 * Which page to ask for next, so that it also holds the last row that is already known.
 *
 * A page of number n and size s holds the positions from (n-1)·s to n·s. With sizes a little below the cap,
 * each page overlaps the one before it by a row or more, at up to 15 % more requests (the least there is). If rows are removed or
 * inserted while the list is read, the overlap no longer matches: that is how a shift is seen.
 */
import { type PageWindow, windowOf } from './page.ts';

/** With smaller caps there are positions that no page overlaps (840, for a cap of 8). */
export const MIN_CAP_FOR_OVERLAP = 20;

/**
 * The page that holds position `knownEnd - 1`, reaches furthest past it, and is none of `avoid`.
 * `knownEnd` is at least 1.
 */
export function overlappingWindow(
  knownEnd: number,
  pageCap: number,
  avoid: readonly PageWindow[] = [],
): PageWindow {
  let best: PageWindow | undefined;
  let bestEnd = knownEnd;
  for (let pageSize = pageCap; pageSize >= 2; pageSize -= 1) {
    if (bestEnd >= knownEnd - 1 + pageSize) break;
    const pageNumber = Math.floor((knownEnd - 1) / pageSize) + 1;
    const end = pageNumber * pageSize;
    if (end > bestEnd && !avoid.some((w) => w.pageNumber === pageNumber && w.pageSize === pageSize)) {
      best = windowOf(pageNumber, pageSize);
      bestEnd = end;
    }
  }
  if (best === undefined) throw new RangeError(`no page of at most ${pageCap} rows overlaps row ${knownEnd}`);
  return best;
}

/** The largest page that begins exactly at `position`. */
export function windowStartingAt(position: number, pageCap: number): PageWindow {
  let pageSize = Math.min(pageCap, position);
  while (position % pageSize !== 0) pageSize -= 1;
  return windowOf(position / pageSize + 1, pageSize);
}
