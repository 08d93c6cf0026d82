import { PagingFaultError } from '../errors.ts';
import { MAX_PAGE_SIZE, type PageSource, type ReceiptId, windowOf } from './page.ts';
import { ONLY_KNOWN_ROWS, pageFault } from './reading.ts';

export interface FirstRows {
  /** As they came. */
  items: readonly unknown[];
  /** Whether the list goes on. */
  hasMore: boolean;
}

/**
 * The first rows of a list, at most `limit`: for a look at it, not for the lake, since rows that come or go between its
 * pages are not noticed. Throws PagingFaultError, and what the source throws.
 */
export async function firstRows(source: PageSource, limit: number): Promise<FirstRows> {
  const pageSize = Math.min(MAX_PAGE_SIZE, limit + 1);
  const rows = new Map<ReceiptId, unknown>();
  for (let pageNumber = 1; ; pageNumber += 1) {
    const window = windowOf(pageNumber, pageSize);
    const page = await source.read(window);
    const fail = (reason: string) => new PagingFaultError({ ...source.context, pageNumber }, reason);
    const fault = pageFault(window, page);
    if (fault !== undefined) throw fail(`the page ${fault}`);
    if (page.items.length === 0) {
      // Rows at or after an empty page mean that it was none of the list's end.
      for (const number of [pageNumber, pageNumber + 1]) {
        const { items } = await source.read(windowOf(number, pageSize));
        if (items.length > 0) throw fail(`the page was empty, and then page ${number} had rows`);
      }
      return { items: [...rows.values()], hasMore: false };
    }
    const countBefore = rows.size;
    for (const [index, id] of page.ids.entries()) if (!rows.has(id)) rows.set(id, page.items[index]);
    if (rows.size === countBefore) throw fail(`the page ${ONLY_KNOWN_ROWS}`);
    if (rows.size > limit) return { items: [...rows.values()].slice(0, limit), hasMore: true };
  }
}
