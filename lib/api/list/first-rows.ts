import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import { isPageOf, MAX_PAGE_SIZE, ONLY_KNOWN_ROWS, type PageSource, windowOf } from './page.ts';

export interface FirstRows {
  /** The receipts as they came. */
  items: readonly unknown[];
  /** Whether the list goes on. */
  hasMore: boolean;
}

/**
 * At most `limit` first rows of a list, for display. Not for the lake: rows that come or go between its pages go
 * unnoticed. Throws PagingFaultError, and what the source throws.
 */
export async function firstRows(source: PageSource, limit: number): Promise<FirstRows> {
  const pageSize = Math.min(MAX_PAGE_SIZE, limit + 1);
  const rows = new Map<ReceiptId, unknown>();
  for (let pageNumber = 1; ; pageNumber += 1) {
    const window = windowOf(pageNumber, pageSize);
    const page = await source.read(window);
    const fail = (reason: string) => new PagingFaultError({ ...source.context, pageNumber }, reason);
    if (!isPageOf(window, page)) throw fail(`the page came as page ${page.pageNumber}`);
    if (page.items.length === 0) {
      // Rows at or after an empty page mean that it was not the end of the list.
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
