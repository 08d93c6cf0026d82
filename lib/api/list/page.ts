import { plural } from '../../text/terminal.ts';
import type { Envelope } from '../envelope.ts';
import { PagingFaultError, type RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';

/** The contract's maximum (§8). */
export const MAX_PAGE_SIZE = 100;

/** A page to ask for, and its position in the list. */
export interface PageWindow {
  pageNumber: number;
  pageSize: number;
  /** Position of its first row, counted from 0. */
  start: number;
}

/** A page as it came. */
export interface ListPage {
  pageNumber: number;
  items: readonly unknown[];
  ids: readonly ReceiptId[];
  /** The bytes of its body; absent where no list grows by it. */
  byteCount?: number;
  /** Whether the API refused the page for its size: that there are no rows then proves nothing. */
  isRefused?: boolean;
  /** What members say that the contract does not name; absent if there are none. */
  envelope?: Envelope | undefined;
}

export interface ReadOptions {
  /** Of a page that is read ahead: it waits behind all others until it is needed. */
  ahead?: { isNeeded: boolean } | undefined;
  /** In place of the source's own. */
  signal?: AbortSignal;
  /** Whether no list continues from it. Rows beyond the most that a list may have are then no fault. */
  isGlance?: boolean;
}

/** Where pages come from: the API, or a list in memory for tests. */
export interface PageSource {
  context: RequestContext;
  signal?: AbortSignal | undefined;
  /** Whether the caller can ask for narrower lists instead: this one is then not waited for, nor read twice, in vain. */
  isDivisible?: boolean | undefined;
  read(window: PageWindow, options?: ReadOptions): Promise<ListPage>;
  /** The most pages that may be read at a time. */
  maxInFlight: number;
}

/** Takes the rows of one attempt, in the list's order. */
export interface RowSink {
  /** All rows that were added. */
  readonly rowCount: number;
  /** Takes the names of members that are no evidence of anything: an answer may mean by them that it lacks rows. */
  readonly unknownMembers?: Set<string>;
  /** Adds the page's rows from index `from` on; earlier ones were added before. */
  add(page: ListPage, from: number): void;
  /** A row that it has twice with different contents. */
  differingId?(): ReceiptId | undefined;
  /** The ids of the rows that it has, in order of arrival. */
  idsInOrder(): BigInt64Array;
}

/** What pages of one service have shown of what the contract (§4.1, §8) leaves open. */
export interface PageFacts {
  /** The largest page size that is honoured, if it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
}

/** Notes that a page had this many rows. */
export function notePageLength(facts: PageFacts, rowCount: number): void {
  facts.longestPage = Math.max(rowCount, facts.longestPage ?? 0);
  if (rowCount > (facts.pageCap ?? rowCount)) facts.pageCap = undefined;
}

export function windowOf(pageNumber: number, pageSize: number): PageWindow {
  return { pageNumber, pageSize, start: (pageNumber - 1) * pageSize };
}

/** Every attempt begins with it. */
export const FIRST_PAGE = windowOf(1, MAX_PAGE_SIZE);

/** The page with the row at `position`, counted from 0, where all pages have `pageCap` rows. */
export function windowHolding(position: number, pageCap: number): PageWindow {
  return windowOf(Math.floor(position / pageCap) + 1, pageCap);
}

export function isSameWindow(a: PageWindow, b: PageWindow): boolean {
  return a.pageNumber === b.pageNumber && a.pageSize === b.pageSize;
}

/**
 * The page of just the row at `position`, counted from 0. Where there is such a row it shows it, also of a service that
 * leaves out a list's last page if that is not full.
 */
export function windowOfRow(position: number): PageWindow {
  return windowOf(position + 1, 1);
}

/** The error of a page that contradicts the others, or what is known of the list. */
export function torn(context: RequestContext, { pageNumber, pageSize }: PageWindow, reason: string): Error {
  return new PagingFaultError(context, `page ${pageNumber} (${plural(pageSize, 'row')} a page) ${reason}`);
}

export function isSameIds(a: readonly ReceiptId[], b: readonly ReceiptId[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Counts rows, adjacent repeats once: a receipt that is listed twice in a row hides no other. */
export function listedRows(ids: BigInt64Array): number {
  // As pairs of 32 bits: a comparison of two elements would make two objects.
  const halves = new Int32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  let count = 0;
  for (let index = 0; index < halves.length; index += 2) {
    count += Number(halves[index] !== halves[index - 2] || halves[index + 1] !== halves[index - 1]);
  }
  return count;
}

export const ONLY_KNOWN_ROWS = 'brought only rows that an earlier page had brought';
