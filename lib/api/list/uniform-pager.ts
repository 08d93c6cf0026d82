import type { ReceiptId } from '../receipt.ts';
import {
  assertPageOf,
  FIRST_PAGE,
  isSameIds,
  type ListPage,
  MAX_PAGE_SIZE,
  ONLY_KNOWN_ROWS,
  type PageWindow,
  torn,
  windowOf,
  windowStartingAt,
} from './page.ts';
import type { Pager, PageSteps, Reading, ReadingTools } from './pager.ts';

const following = ({ pageNumber }: PageWindow) => windowOf(pageNumber + 1, MAX_PAGE_SIZE);

/**
 * Reads the rest of a list in pages of one size, for an API that honours no other.
 *
 * Every page but the last must be as long as the first; a shorter one is requested again. The end is an empty page; if
 * it follows a full page, it and the next one are requested again. The first page must still be what it was. A row that
 * is removed from the middle can't be seen this way: two readings must agree.
 */
export class UniformPager implements Pager {
  private readonly tools: ReadingTools;
  private readonly first: ListPage;
  private readonly ids: Set<ReceiptId>;

  /** `first`: the first page, whose rows were passed on. */
  constructor(tools: ReadingTools, first: ListPage) {
    this.tools = tools;
    this.first = first;
    this.ids = new Set(first.ids);
  }

  *pages(): PageSteps<Reading> {
    const { first, ids } = this;
    const { context, sink } = this.tools;
    const fullLength = first.items.length;
    let rowCount = fullLength;
    for (let pageNumber = 2; ; pageNumber += 1) {
      const window = windowOf(pageNumber, MAX_PAGE_SIZE);
      let page = yield { window, following };
      if (page.items.length !== fullLength && page.items.length > 0) {
        const again = yield { window };
        if (again.items.length >= page.items.length) page = again;
      }
      assertPageOf(window, page, context);
      const { length } = page.items;
      if (length > fullLength) throw torn(context, window, 'is longer than the first');
      if (length > 0) {
        if (this.isKnown(page)) throw torn(context, window, ONLY_KNOWN_ROWS);
        for (const id of page.ids) ids.add(id);
        rowCount += length;
        sink.add(page, 0);
      }
      if (length === fullLength) continue;
      yield* this.end(rowCount, length > 0 ? [pageNumber + 1] : [pageNumber, pageNumber + 1]);
      return { kind: 'complete', ids, hasRepeats: ids.size !== rowCount };
    }
  }

  /** Asks for the pages that must be empty now, for the first one again, and past the end. */
  private *end(rowCount: number, mustBeEmpty: readonly number[]): PageSteps<void> {
    const { context } = this.tools;
    for (const pageNumber of mustBeEmpty) {
      const window = windowOf(pageNumber, MAX_PAGE_SIZE);
      const page = yield { window };
      assertPageOf(window, page, context);
      if (page.items.length === 0) continue;
      const reason = 'has rows, although the page before it seemed the last';
      throw torn(context, window, this.isKnown(page) ? ONLY_KNOWN_ROWS : reason);
    }
    const firstAgain = yield { window: FIRST_PAGE };
    if (!isSameIds(firstAgain.ids, this.first.ids)) throw torn(context, FIRST_PAGE, 'changed meanwhile');
    // The page that begins right after the last row, in another size. If sizes are honoured after all, it shows what a
    // short last page left out; if not, it is some page of the list.
    const pastEnd = windowStartingAt(rowCount, MAX_PAGE_SIZE);
    const page = yield { window: pastEnd };
    if (!this.isKnown(page)) throw torn(context, pastEnd, 'has rows that are past the end of the list');
  }

  private isKnown(page: ListPage): boolean {
    return page.ids.every((id) => this.ids.has(id));
  }
}
