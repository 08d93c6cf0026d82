import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import {
  isSameIds,
  isSameWindow,
  type ListPage,
  listedRows,
  MAX_PAGE_SIZE,
  type PageWindow,
  torn,
  windowHolding,
  windowOf,
} from './page.ts';
import { type AttemptEnd, isRowAt, type PagerTools, type PageSteps } from './pager.ts';

/** With smaller caps there are positions that no page overlaps (840, for a cap of 8). */
const MIN_CAP_FOR_OVERLAP = 20;

/**
 * The page to ask for next: it holds position `knownEnd - 1`, the last row already known, reaches furthest past it and
 * is none of `avoid`. `knownEnd` is at least 1.
 */
export function overlappingWindow(knownEnd: number, pageCap: number, ...avoid: PageWindow[]): PageWindow {
  const end = ({ start, pageSize }: PageWindow) => start + pageSize;
  return Array.from({ length: pageCap - 1 }, (_, less) => windowHolding(knownEnd - 1, pageCap - less))
    .filter((window) => !avoid.some((other) => isSameWindow(window, other)))
    .reduce((best, window) => (end(window) > end(best) ? window : best));
}

/** How far an attempt has come. Later pages prove themselves by overlapping it. */
interface ReadingPosition {
  pageCap: number;
  /** Number of known rows. */
  knownEnd: number;
  /** Ids of the last known rows, up to a page of them. */
  knownTail: readonly ReceiptId[];
  /** The page that was read last. */
  lastWindow: PageWindow;
}

/** A page with less than one new row in this many brings few. */
const FEW_ROWS = 10;
/** How many pages in a row may bring few rows, as where a list grows with every request. */
const MAX_SHORT_STEPS = 25;
/** Other pages tried in place of one that contradicts what is known. */
const MAX_SUBSTITUTES = 2;

/** The position after the first page of a list that goes on; undefined if pages of that length can't overlap. */
export function positionAfter({ ids }: ListPage): ReadingPosition | undefined {
  const pageCap = ids.length;
  if (pageCap < MIN_CAP_FOR_OVERLAP || pageCap > MAX_PAGE_SIZE) return undefined;
  return { pageCap, knownEnd: pageCap, knownTail: ids, lastWindow: windowOf(1, pageCap) };
}

/**
 * Reads the rest of a list from a position on, each page overlapping the one before it, until the end is proved twice
 * (docs/decisions/0001-overlapping-pages.md).
 */
export function* overlappingPager(tools: PagerTools, from: ReadingPosition): PageSteps<AttemptEnd> {
  const { context, facts, sink } = tools;
  let known = from;
  let shortSteps = 0;
  /** How often the last row must still be seen to be the last. */
  let looksLacking = 2;
  let isPastEndEmpty = false;
  while (!isPastEndEmpty || looksLacking > 0) {
    const next: Continuation = yield* continuation(tools, known);
    const { page, window } = next;
    const { pageCap, knownEnd, knownTail } = known;
    const newRows = window.start + page.ids.length - knownEnd;
    shortSteps = newRows < pageCap / FEW_ROWS ? shortSteps + 1 : 0;
    if (shortSteps === MAX_SHORT_STEPS) throw torn(context, window, 'is at an end that keeps moving');
    known = { ...known, lastWindow: window };
    if (newRows > 0) {
      known = { ...known, knownEnd: knownEnd + newRows, knownTail: page.ids };
      sink.add(page, page.ids.length - newRows);
      looksLacking = page.ids.length < window.pageSize ? 1 : 2;
      isPastEndEmpty = false;
      continue;
    }
    looksLacking -= 1;
    const pastEnd = windowStartingAt(knownEnd, pageCap);
    isPastEndEmpty ||= !(yield* isRowAt(knownEnd, pastEnd, new Set(knownTail), context));
  }
  facts.isAnyPageSizeHonoured = true;
  const ids = sink.idsInOrder();
  const inOrder = listedRows(ids);
  const distinct = listedRows(ids.sort());
  if (inOrder > distinct)
    throw new PagingFaultError(context, 'a row came on two pages, in place of another one');
  return { kind: 'proved', hasRepeats: distinct < ids.length };
}

interface Continuation {
  page: ListPage;
  window: PageWindow;
}

/** The next page that overlaps the known rows. If it contradicts them, others are tried in its place. */
function* continuation({ context, facts }: PagerTools, known: ReadingPosition): PageSteps<Continuation> {
  const { pageCap, knownEnd, lastWindow } = known;
  const following = (last: PageWindow) => overlappingWindow(last.start + last.pageSize, pageCap);
  const avoid = [lastWindow];
  for (;;) {
    const window = overlappingWindow(knownEnd, pageCap, ...avoid);
    const page = yield { window, following };
    if (page.items.length > window.pageSize) {
      facts.isAnyPageSizeHonoured = false;
      throw torn(context, window, 'is longer than was asked for');
    }
    if (continues(known, page, window)) return { page, window };
    if (avoid.length > MAX_SUBSTITUTES) {
      const reason = 'does not continue the rows before it: rows came or went, or it repeats';
      throw torn(context, window, reason);
    }
    avoid.push(window);
  }
}

/** Whether the page has exactly the known rows where it overlaps them. */
function continues({ knownEnd, knownTail }: ReadingPosition, page: ListPage, window: PageWindow): boolean {
  const overlap = knownEnd - window.start;
  // The page before may be shorter than the overlap; then only its rows can be compared.
  const compared = Math.min(overlap, knownTail.length);
  const lastKnown = knownTail.slice(knownTail.length - compared);
  return isSameIds(page.ids.slice(overlap - compared, overlap), lastKnown);
}

/** The largest page that begins exactly at `position`. */
export function windowStartingAt(position: number, pageCap: number): PageWindow {
  let pageSize = Math.min(pageCap, position);
  while (position % pageSize !== 0) pageSize -= 1;
  return windowOf(position / pageSize + 1, pageSize);
}
