import type { RequestContext } from '../errors.ts';
import { ReceiptIdError } from '../errors.ts';
import type { Release } from '../governor.ts';
import { readInt64 } from '../json.ts';

/** The contract's maximum (§8). */
export const MAX_PAGE_SIZE = 100;

export type ReceiptId = number | bigint;

/** A page as it is asked for, and the positions in the list that it then stands for. */
export interface PageWindow {
  pageNumber: number;
  pageSize: number;
  /** Position of its first row, counted from 0. */
  start: number;
}

/** A page as it came. */
export interface ListPage {
  /** What the envelope says; the number asked for where the API answers "past the end" by a status. */
  pageNumber: number;
  items: readonly unknown[];
  ids: readonly ReceiptId[];
}

export interface ReadOptions {
  permit?: Release;
  signal?: AbortSignal;
  /** Called when the page is here but not read yet: its permit is free. */
  onReceived?: () => void;
}

/** Where pages come from: the API, or a list in memory for tests. */
export interface PageSource {
  context: RequestContext;
  /** Reads a page; `permit` is one from `tryAcquire`. */
  read(window: PageWindow, options?: ReadOptions): Promise<ListPage>;
  /** A permit that nothing else needs now, for reading ahead. */
  tryAcquire(): Release | undefined;
  /** The most pages that may be read at a time. */
  maxInFlight: number;
}

/** Takes the rows of one reading, in the list's order. */
export interface RowSink {
  /** Rows of the page from index `from` on; those before it were given already. */
  add(page: ListPage, from: number): void;
}

export function windowOf(pageNumber: number, pageSize: number): PageWindow {
  return { pageNumber, pageSize, start: (pageNumber - 1) * pageSize };
}

/** The ids of a page's rows. Throws ReceiptIdError, naming the position, at the first row without one. */
export function receiptIds(items: readonly unknown[], context: RequestContext): ReceiptId[] {
  return items.map((item, index) => {
    const id = typeof item === 'object' && item !== null && 'id' in item ? readInt64(item.id) : undefined;
    if (id === undefined) throw new ReceiptIdError(context, index + 1);
    return id;
  });
}
