import type { RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import {
  assertPageOf,
  type ListPage,
  ONLY_KNOWN_ROWS,
  type PageFacts,
  type PageWindow,
  type RowSink,
  torn,
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
  /** The page after one that comes full, which may be read ahead; undefined for a page that only proves something. */
  following?: (window: PageWindow) => PageWindow;
  /** A page that is probably needed right after this one. It is asked for at the same time. */
  alongside?: PageWindow | undefined;
  /** Where a later reading can go on if this page is not read any more. */
  position?: ReadingPosition;
}

/** How a reading ended whose pages do not contradict each other. */
export type Reading =
  /** Nothing shifted between the pages. */
  | { kind: 'proved' }
  /** This way of reading can't see a shift: a second reading must agree. */
  | { kind: 'complete'; ids: ReadonlySet<ReceiptId>; hasRepeats: boolean };

/** How far a list has been read. Later pages prove themselves by overlapping it, so it may be kept for a long time. */
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
