import { MAX_PAGE_SIZE } from './page.ts';

/** What pages of one service have shown of its paging, which the contract (§4.1, §8) leaves open. */
export interface PageFacts {
  /** The largest page size that is honoured, if it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
}

/** Rows of a full page, by the cap or the longest one seen. */
export function fullPageRows({ longestPage = MAX_PAGE_SIZE, pageCap = longestPage }: PageFacts): number {
  return Math.min(pageCap, MAX_PAGE_SIZE);
}

/** Notes that a page had this many rows. */
export function notePageLength(facts: PageFacts, rowCount: number): void {
  facts.longestPage = Math.max(rowCount, facts.longestPage ?? 0);
  if (rowCount > (facts.pageCap ?? rowCount)) facts.pageCap = undefined;
}
