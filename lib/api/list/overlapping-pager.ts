import { PagingFaultError } from '../errors.ts';
import {
  isPageOf,
  isSameIds,
  type ListPage,
  listedRows,
  MAX_PAGE_SIZE,
  MIN_CAP_FOR_OVERLAP,
  overlappingWindow,
  type PageWindow,
  torn,
  windowOf,
  windowStartingAt,
} from './page.ts';
import {
  type Pager,
  type PagerTools,
  type PageSteps,
  pageWithRows,
  type Reading,
  type ReadingPosition,
} from './pager.ts';

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
 * Reads the rest of a list from a position on, each page overlapping the one before it.
 *
 * The end is proved twice, by pages of different sizes: one holds the last known row and nothing after it, and one
 * starts right after that row and is empty. After a page that is not full, both are requested at once; their order does
 * not matter. If the rows end with a full page, the last row is requested once more: the first proof may have been a
 * page that was cut short, and the second empty because a row left meanwhile. A row that is removed or inserted
 * meanwhile makes an overlap differ.
 */
export class OverlappingPager implements Pager {
  private readonly tools: PagerTools;
  /** What is known of the list. */
  private known: ReadingPosition;

  constructor(tools: PagerTools, from: ReadingPosition) {
    this.tools = tools;
    this.known = from;
  }

  *pages(): PageSteps<Reading> {
    const { context, sink } = this.tools;
    let shortSteps = 0;
    /** How often the last row must still be seen to be the last. */
    let looksLacking = 2;
    let isPastEndEmpty = false;
    let isEndNear = false;
    for (;;) {
      const page: ListPage = yield* this.continuation(isEndNear);
      const { pageCap, knownEnd, knownTail, lastWindow } = this.known;
      const newRows = lastWindow.start + page.ids.length - knownEnd;
      shortSteps = newRows < pageCap / FEW_ROWS ? shortSteps + 1 : 0;
      if (shortSteps === MAX_SHORT_STEPS) throw torn(context, lastWindow, 'is at an end that keeps moving');
      isEndNear = newRows > 0 && page.ids.length < lastWindow.pageSize;
      if (newRows > 0) {
        this.known = { ...this.known, knownEnd: knownEnd + newRows, knownTail: page.ids };
        sink.add(page, page.ids.length - newRows);
        looksLacking = isEndNear ? 1 : 2;
        isPastEndEmpty = false;
        continue;
      }
      looksLacking -= 1;
      const pastEnd = [windowStartingAt(knownEnd, pageCap)];
      isPastEndEmpty ||= (yield* pageWithRows(pastEnd, new Set(knownTail), context)) === undefined;
      if (isPastEndEmpty && looksLacking <= 0) return this.proved();
    }
  }

  /** The next page that overlaps the known rows. If it contradicts them, others are tried in its place. */
  private *continuation(isEndNear: boolean): PageSteps<ListPage> {
    const { context, facts } = this.tools;
    const { pageCap, knownEnd, lastWindow } = this.known;
    const alongside = isEndNear ? windowStartingAt(knownEnd, pageCap) : undefined;
    const following = (last: PageWindow) => overlappingWindow(last.start + last.pageSize, pageCap, [last]);
    for (const avoid = [lastWindow]; ; ) {
      const window = overlappingWindow(knownEnd, pageCap, avoid);
      const isFirst = avoid.length === 1;
      const page = yield { window, following, position: this.known, ...(isFirst && { alongside }) };
      if (this.continues(page, window)) {
        this.known = { ...this.known, lastWindow: window };
        return page;
      }
      if (page.items.length > window.pageSize) {
        facts.isAnyPageSizeHonoured = false;
        throw torn(context, window, 'is longer than was asked for');
      }
      if (avoid.length > MAX_SUBSTITUTES) {
        const reason =
          'does not continue the rows before it: rows came or went, it repeats or is another page';
        throw torn(context, window, reason);
      }
      avoid.push(window);
    }
  }

  /** Whether the page has exactly the known rows where it overlaps them. */
  private continues(page: ListPage, window: PageWindow): boolean {
    const { knownEnd, knownTail } = this.known;
    if (!isPageOf(window, page) || page.ids.length > window.pageSize) return false;
    const overlap = knownEnd - window.start;
    // The page before may be shorter than the overlap; then only its rows can be compared.
    const compared = Math.min(overlap, knownTail.length);
    const lastKnown = knownTail.slice(knownTail.length - compared);
    return isSameIds(page.ids.slice(overlap - compared, overlap), lastKnown);
  }

  private proved(): Reading {
    const { context, facts, sink } = this.tools;
    facts.isAnyPageSizeHonoured = true;
    const ids = sink.idsInOrder();
    if (listedRows(ids) > listedRows(ids.sort())) {
      throw new PagingFaultError(context, 'a row came on two pages, in place of another one');
    }
    return { kind: 'proved' };
  }
}
