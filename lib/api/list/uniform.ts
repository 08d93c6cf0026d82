import type { ReceiptId } from '../receipt.ts';
import {
  assertPageOf,
  isSameIds,
  type ListPage,
  MAX_PAGE_SIZE,
  ONLY_KNOWN_ROWS,
  type PageSource,
  type Reading,
  type RowSink,
  torn,
  windowOf,
  windowStartingAt,
} from './page.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * Reads a whole list in pages of one size, for an API that honours no other.
 *
 * Every page but the last must be as long as the first; a shorter one is requested again. The end is an empty page; if
 * it follows a full page, it and the next one are requested again. The first page must still be what it was. A row that
 * is removed from the middle can't be seen this way, so the caller reads until two readings agree. Throws
 * PagingFaultError if the pages contradict each other.
 */
export async function readUniform(source: PageSource, first: ListPage, sink: RowSink): Promise<Reading> {
  const fullLength = first.items.length;
  const ahead = new ReadAhead(source, ({ pageNumber }) => windowOf(pageNumber + 1, MAX_PAGE_SIZE));
  const ids = new Set<ReceiptId>(first.ids);
  let rowCount = first.ids.length;
  sink.add(first, 0);
  try {
    for (let pageNumber = 2; ; pageNumber += 1) {
      const window = windowOf(pageNumber, MAX_PAGE_SIZE);
      let page = await ahead.take(window);
      if (page.items.length !== fullLength && page.items.length > 0) {
        const again = await source.read(window);
        if (again.items.length >= page.items.length) page = again;
      }
      assertPageOf(window, page, source);
      if (page.items.length > fullLength) throw torn(source, window, 'is longer than the first');
      if (page.items.length > 0) {
        if (page.ids.every((id) => ids.has(id))) throw torn(source, window, ONLY_KNOWN_ROWS);
        for (const id of page.ids) ids.add(id);
        rowCount += page.ids.length;
        sink.add(page, 0);
      }
      if (page.items.length < fullLength) {
        await checkEnd(
          source,
          first,
          ids,
          page.items.length > 0 ? [pageNumber + 1] : [pageNumber, pageNumber + 1],
        );
        await checkPastEnd(source, ids, rowCount);
        return { kind: 'complete', ids, hasRepeats: ids.size !== rowCount };
      }
    }
  } finally {
    ahead.close();
  }
}

/** Asks for the pages that must be empty now, and for the first one again. Throws PagingFaultError. */
async function checkEnd(
  source: PageSource,
  first: ListPage,
  ids: ReadonlySet<ReceiptId>,
  mustBeEmpty: readonly number[],
): Promise<void> {
  for (const pageNumber of mustBeEmpty) {
    const window = windowOf(pageNumber, MAX_PAGE_SIZE);
    const page = await source.read(window);
    assertPageOf(window, page, source);
    if (page.items.length === 0) continue;
    const isRepeat = page.ids.every((id) => ids.has(id));
    const reason = isRepeat ? ONLY_KNOWN_ROWS : 'has rows, although the page before it seemed the last';
    throw torn(source, window, reason);
  }
  const window = windowOf(1, MAX_PAGE_SIZE);
  const firstAgain = await source.read(window);
  if (!isSameIds(firstAgain.ids, first.ids)) throw torn(source, window, 'changed meanwhile');
}

/**
 * Asks for the page that begins right after the last row, in another size. If sizes are honoured after all, it shows
 * what a short last page left out; if not, it is some page of the list. Throws PagingFaultError.
 */
async function checkPastEnd(
  source: PageSource,
  ids: ReadonlySet<ReceiptId>,
  rowCount: number,
): Promise<void> {
  const window = windowStartingAt(rowCount, MAX_PAGE_SIZE);
  const page = await source.read(window);
  if (!page.ids.every((id) => ids.has(id))) {
    throw torn(source, window, 'has rows that are past the end of the list');
  }
}
