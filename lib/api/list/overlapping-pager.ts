import { PagingFaultError } from '../errors.ts';
import {
  assertPageOf,
  isPageOf,
  isSameIds,
  type ListPage,
  listedRows,
  MAX_PAGE_SIZE,
  MIN_CAP_FOR_OVERLAP,
  ONLY_KNOWN_ROWS,
  overlappingWindow,
  type PageWindow,
  torn,
  windowOf,
  windowStartingAt,
} from './page.ts';
import type { Pager, PageRequest, PageSteps, Reading, ReadingPosition, ReadingTools } from './pager.ts';

/** A page with less than one new row in this many brings few. */
const FEW_ROWS = 10;
/** How many pages in a row may bring few rows, as where a list grows with every request. */
const MAX_SHORT_STEPS = 25;
/** Other pages tried in place of one that contradicts what is known. */
const MAX_SUBSTITUTES = 2;

interface Continuation {
  window: PageWindow;
  page: ListPage;
}

/** The position after the first page of a list that goes on; undefined if pages so long can't overlap. */
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
  private readonly tools: ReadingTools;
  /** What is known of the list. */
  private known: ReadingPosition;

  constructor(tools: ReadingTools, from: ReadingPosition) {
    this.tools = tools;
    this.known = from;
  }

  *pages(): PageSteps<Reading> {
    const { context, sink } = this.tools;
    const { pageCap } = this.known;
    let isLastPageFull = true;
    let isEndNear = false;
    let shortSteps = 0;
    for (;;) {
      const { knownEnd } = this.known;
      const pastEnd = windowStartingAt(knownEnd, pageCap);
      const next: Continuation = yield* this.continuation(isEndNear ? pastEnd : undefined);
      const { window, page } = next;
      const newRows = window.start + page.ids.length - knownEnd;
      shortSteps = newRows < pageCap / FEW_ROWS ? shortSteps + 1 : 0;
      if (shortSteps === MAX_SHORT_STEPS) throw torn(context, window, 'is at an end that keeps moving');
      if (newRows > 0) {
        this.known = { pageCap, knownEnd: knownEnd + newRows, knownTail: page.ids, lastWindow: window };
        isLastPageFull = page.ids.length === window.pageSize;
        isEndNear = !isLastPageFull;
        sink.add(page, page.ids.length - newRows);
        continue;
      }
      this.known = { ...this.known, lastWindow: window };
      isEndNear = false;
      const rest = yield { window: pastEnd };
      assertPageOf(pastEnd, rest, context);
      if (rest.ids.length === 0) {
        if (isLastPageFull) yield* this.lastRowAgain();
        return this.proved();
      }
      const { knownTail } = this.known;
      if (rest.ids.every((id) => knownTail.includes(id))) throw torn(context, pastEnd, ONLY_KNOWN_ROWS);
    }
  }

  /** The next page that overlaps the known rows. If it contradicts them, others are tried in its place. */
  private *continuation(alongside?: PageWindow): PageSteps<Continuation> {
    const { pageCap, knownEnd, lastWindow } = this.known;
    const following = (last: PageWindow) => overlappingWindow(last.start + last.pageSize, pageCap, [last]);
    const avoid = [lastWindow];
    let window = overlappingWindow(knownEnd, pageCap, avoid);
    let request: PageRequest = { window, following, alongside, position: this.known };
    for (;;) {
      const page = yield request;
      if (this.continues(page, window)) return { window, page };
      if (page.items.length > window.pageSize) throw this.sizeIgnored();
      if (avoid.length > MAX_SUBSTITUTES) {
        assertPageOf(window, page, this.tools.context);
        const reason = 'does not continue the rows before it: rows came or went meanwhile, or it repeats';
        throw torn(this.tools.context, window, reason);
      }
      avoid.push(window);
      window = overlappingWindow(knownEnd, pageCap, avoid);
      request = { window, following };
    }
  }

  private *lastRowAgain(): PageSteps<void> {
    const { knownEnd, pageCap, lastWindow } = this.known;
    const window = overlappingWindow(knownEnd, pageCap, [lastWindow]);
    const page = yield { window };
    const isEndAsItWas = this.continues(page, window) && page.ids.length === knownEnd - window.start;
    if (!isEndAsItWas) throw torn(this.tools.context, window, 'is no longer the end of the list');
  }

  /** Whether the page has exactly the known rows where it overlaps them. */
  private continues(page: ListPage, window: PageWindow): boolean {
    const { knownEnd, knownTail } = this.known;
    if (!isPageOf(window, page) || page.ids.length > window.pageSize) return false;
    const overlap = knownEnd - window.start;
    // The page before may be shorter than the overlap; then only its rows can be compared.
    const compared = Math.min(overlap, knownTail.length);
    return isSameIds(page.ids.slice(overlap - compared, overlap), knownTail.slice(knownTail.length - compared));
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

  private sizeIgnored(): Error {
    const { context, facts } = this.tools;
    facts.isAnyPageSizeHonoured = false;
    const reason = 'is followed by pages of a size that was not asked for';
    return torn(context, windowOf(1, this.known.pageCap), reason);
  }
}
