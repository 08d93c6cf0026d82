import type { RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import {
  FIRST_PAGE,
  isSameIds,
  type ListPage,
  MAX_PAGE_SIZE,
  notePageLength,
  ONLY_KNOWN_ROWS,
  type PageFacts,
  type PageWindow,
  type RowSink,
  torn,
  windowOf,
  windowOfRow,
} from './page.ts';

/**
 * A pager is one way of reading a list: it asks for one page after another and is given each, until it has its result. It
 * throws PagingFaultError when the pages contradict each other: the attempt is torn.
 */
export type PageSteps<Result> = Generator<PageRequest, Result, ListPage>;

/** The page that is needed next. */
export interface PageRequest {
  window: PageWindow;
  /** The page after one that comes full, which may be read ahead; undefined for the first, and one that only proves something. */
  following?: (window: PageWindow) => PageWindow;
}

/** How an attempt ended, if its pages do not contradict each other. */
export type AttemptEnd =
  /** Nothing shifted between the pages. */
  | { kind: 'proved'; hasRepeats: boolean }
  /** Uniform pages can't show a shift: a second attempt must agree. */
  | { kind: 'complete'; ids: ReadonlySet<ReceiptId>; hasRepeats: boolean };

/** What an attempt knows and fills. */
export interface PagerTools {
  context: RequestContext;
  facts: PageFacts;
  sink: RowSink;
}

/** The first of these pages past what seems to be the end that has rows. Throws PagingFaultError if it repeats others. */
export function* pageWithRows(
  windows: readonly PageWindow[],
  known: ReadonlySet<ReceiptId>,
  context: RequestContext,
): PageSteps<PageWindow | undefined> {
  for (const window of windows) {
    if (hasNewRows(window, yield { window }, known, context)) return window;
  }
  return undefined;
}

function hasNewRows(
  window: PageWindow,
  page: ListPage,
  known: ReadonlySet<ReceiptId>,
  context: RequestContext,
): boolean {
  if (page.items.length === 0) return false;
  if (page.ids.every((id) => known.has(id))) throw torn(context, window, ONLY_KNOWN_ROWS);
  return true;
}

/**
 * Whether a row follows the last known one, by the page of just that row. A page in place of it is asked for if the API
 * refuses that size. Throws PagingFaultError if it repeats others.
 */
export function* isRowAt(
  position: number,
  otherwise: PageWindow,
  known: ReadonlySet<ReceiptId>,
  context: RequestContext,
): PageSteps<boolean> {
  const window = windowOfRow(position);
  const page = yield { window };
  if (page.isRefused === true) return (yield* pageWithRows([otherwise], known, context)) !== undefined;
  return hasNewRows(window, page, known, context);
}

const LACKS_ROWS = 'is empty, although the list has a row: the API may leave out pages that are not full';

/** With this many rows or fewer, the page that starts at the last one has no room for another. */
const TOO_FEW_ROWS = 2;

/**
 * How every attempt begins: the first page, and whether it is the whole list, as it mostly is. Undefined if the list is
 * empty.
 */
export function* firstPage(tools: PagerTools): PageSteps<{ first: ListPage; isWhole: boolean } | undefined> {
  const { context, facts } = tools;
  let first = yield { window: FIRST_PAGE };
  if (first.items.length === 0) {
    // If an empty page were wrong, a whole list would vanish.
    const row = yield { window: windowOfRow(0) };
    if (row.items.length > 0 || row.isRefused === true) first = yield { window: FIRST_PAGE };
    if (first.items.length === 0 && row.items.length > 0) throw torn(context, FIRST_PAGE, LACKS_ROWS);
    if (first.items.length === 0) return undefined;
  }
  if (first.items.length < (facts.pageCap ?? MAX_PAGE_SIZE)) {
    if (yield* isWholeList(first, tools)) return { first, isWhole: true };
    const again = yield { window: FIRST_PAGE };
    if (again.items.length === 0) throw torn(context, FIRST_PAGE, 'is empty, although it just had rows');
    if (again.items.length <= first.items.length) facts.pageCap = again.items.length;
    first = again;
  }
  notePageLength(facts, first.items.length);
  return { first, isWhole: false };
}

/**
 * Whether a first page with fewer rows than asked for is the whole list: its last row must still be at its position (else
 * the next one may have moved into it, unseen), and nothing after it. Where other page sizes are not honoured or rows came
 * or went, the pages after it must be empty, and then the first one what it was.
 */
function* isWholeList(first: ListPage, { context, facts }: PagerTools): PageSteps<boolean> {
  const isSurelyShort = first.items.length < (facts.longestPage ?? 0);
  notePageLength(facts, first.items.length);
  const known = new Set(first.ids);
  const isAnySize = facts.isAnyPageSizeHonoured;
  const next = windowOf(2, first.items.length);
  const isOneLookEnough = isSurelyShort && isAnySize === true;
  if (first.ids.length <= TOO_FEW_ROWS) {
    if (isOneLookEnough && (yield* isSameAgain())) return true;
  } else if (isAnySize !== false) {
    const isProved = yield* endsWithLastRow();
    if (isProved === true) facts.isAnyPageSizeHonoured = true;
    if (isProved === false || (isProved === true && isOneLookEnough)) return isProved;
    if (isProved === true) return !(yield* goesOn());
  }
  if (yield* goesOn()) return false;
  // One empty page may be wrong. A page of another size shows as much as the second and the third, if it is honoured.
  const isNextAsked = isSurelyShort && isAnySize === false;
  const others = isSurelyShort ? [next] : [next, windowOf(3, first.items.length)];
  if (!isNextAsked && (yield* pageWithRows(others, known, context))) return false;
  if (yield* isSameAgain()) return true;
  throw torn(context, FIRST_PAGE, 'changed meanwhile');

  function* goesOn(): PageSteps<boolean> {
    if (isAnySize === false) return (yield* pageWithRows([next], known, context)) !== undefined;
    return yield* isRowAt(first.items.length, next, known, context);
  }

  function* isSameAgain(): PageSteps<boolean> {
    const again = yield { window: FIRST_PAGE };
    return known.symmetricDifference(new Set(again.ids)).size === 0;
  }

  /**
   * Asks for the page that begins with the last row and reaches past it, in a size that only an API that honours any
   * size can give. Rows that the first page lacks show that the list goes on, whatever size came. Undefined if the page
   * shows nothing.
   */
  function* endsWithLastRow(): PageSteps<boolean | undefined> {
    const page = yield { window: windowOf(2, first.ids.length - 1) };
    if (isSameIds(page.ids, first.ids.slice(-1))) return true;
    return page.ids.every((id) => known.has(id)) ? undefined : false;
  }
}
