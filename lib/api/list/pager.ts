import type { RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import {
  assertPageOf,
  FIRST_PAGE,
  isPageOf,
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
} from './page.ts';

/**
 * A pager is one way of reading a list, or of finding something out about it: it asks for one page after another and is
 * given each. It is done when it has its result, and throws PagingFaultError when the pages contradict each other: the
 * reading is torn.
 */
export type PageSteps<Result> = Generator<PageRequest, Result, ListPage>;

/** The page that is needed next. */
export interface PageRequest {
  window: PageWindow;
  /** The page after one that comes full, which may be read ahead; undefined for the first, and one that only proves something. */
  following?: (window: PageWindow) => PageWindow;
  /** A page that is probably needed right after this one. It is asked for at the same time. */
  alongside?: PageWindow | undefined;
}

/** How a reading ended whose pages do not contradict each other. */
export type Reading =
  /** Nothing shifted between the pages. */
  | { kind: 'proved' }
  /** This way of reading can't see a shift: a second reading must agree. */
  | { kind: 'complete'; ids: ReadonlySet<ReceiptId>; hasRepeats: boolean };

/** How far a list has been read. Later pages prove themselves by overlapping it. */
export interface ReadingPosition {
  pageCap: number;
  /** Number of known rows. */
  knownEnd: number;
  /** Ids of the last known rows, up to a page of them. */
  knownTail: readonly ReceiptId[];
  /** The page that was read last. */
  lastWindow: PageWindow;
}

/** What a reading knows and fills. */
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
    const page = yield { window };
    assertPageOf(window, page, context);
    if (page.items.length === 0) continue;
    if (page.ids.every((id) => known.has(id))) throw torn(context, window, ONLY_KNOWN_ROWS);
    return window;
  }
  return undefined;
}

/** With this many rows or fewer, the page that starts at the last one has no room for another. */
const TOO_FEW_ROWS = 2;

/** How every reading begins: the first page, and whether it is the whole list, as it mostly is. */
export function* firstPage(tools: PagerTools): PageSteps<{ first: ListPage; isWhole: boolean }> {
  const { context, facts } = tools;
  let first = yield { window: FIRST_PAGE };
  // If an empty page were wrong, a whole list would vanish.
  if (first.items.length === 0) first = yield { window: FIRST_PAGE };
  assertPageOf(FIRST_PAGE, first, context);
  if (first.items.length === 0) return { first, isWhole: true };
  if (first.items.length < (facts.pageCap ?? MAX_PAGE_SIZE)) {
    if (yield* isWholeList(first, tools)) return { first, isWhole: true };
    const again = yield { window: FIRST_PAGE };
    assertPageOf(FIRST_PAGE, again, context);
    if (again.items.length === 0) throw torn(context, FIRST_PAGE, 'is empty, although it just had rows');
    if (again.items.length <= first.items.length) facts.pageCap = again.items.length;
    first = again;
  }
  notePageLength(facts, first.items.length);
  return { first, isWhole: false };
}

/**
 * Whether a first page with fewer rows than asked for is the whole list.
 *
 * Its last row must still be at its position, with nothing after it: if a row had left the page meanwhile, the next one
 * would have moved into it, unseen. For very few rows, that is the same page again. If the page may have been full, at an
 * unknown cap, the page after it must be empty before that. Where this proves nothing, since other page sizes are not
 * honoured or rows came or went, the pages after it must be empty, and then the first one what it was.
 */
function* isWholeList(first: ListPage, { context, facts }: PagerTools): PageSteps<boolean> {
  const isSurelyShort = first.items.length < (facts.longestPage ?? 0);
  notePageLength(facts, first.items.length);
  const known = new Set(first.ids);
  const isAnySize = facts.isAnyPageSizeHonoured;
  // One empty page may be wrong. A page of another size shows as much as the second and the third.
  const numbers = isSurelyShort || isAnySize === true ? [2] : [2, 2, 3];
  const mustBeEmpty = numbers.map((number) => windowOf(number, first.items.length));
  const beforeProof = isSurelyShort && isAnySize === true ? 0 : 1;
  if (yield* pageWithRows(mustBeEmpty.slice(0, beforeProof), known, context)) return false;
  if (first.ids.length <= TOO_FEW_ROWS) {
    if (beforeProof === 0 && (yield* isSameAgain())) return true;
  } else if (isAnySize !== false) {
    const isProved = yield* endsWithLastRow();
    if (isProved === true) facts.isAnyPageSizeHonoured = true;
    if (isProved !== undefined) return isProved;
  }
  if (yield* pageWithRows(mustBeEmpty.slice(beforeProof), known, context)) return false;
  if (yield* isSameAgain()) return true;
  throw torn(context, FIRST_PAGE, 'changed meanwhile');

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
    const window = windowOf(2, first.ids.length - 1);
    const page = yield { window };
    if (!isPageOf(window, page)) return undefined;
    if (isSameIds(page.ids, first.ids.slice(-1))) return true;
    return page.ids.every((id) => known.has(id)) ? undefined : false;
  }
}
