import type { ReceiptId } from '../receipt.ts';
import type { ListHabits } from './habits.ts';
import {
  assertPageOf,
  isPageOf,
  isSameIds,
  type ListPage,
  ONLY_KNOWN_ROWS,
  overlappingWindow,
  type PageSource,
  type PageWindow,
  type RowSink,
  torn,
  windowOf,
  windowStartingAt,
} from './page.ts';
import { type ListLength, ReadAhead } from './read-ahead.ts';

/** How often the end of a growing list is followed before the reading is given up. */
const MAX_END_PROOFS = 20;
/** A page with less than one new row in this many brings few. */
const FEW_ROWS = 10;
const END_MOVES = 'is at an end that keeps moving';
/** Other pages tried in place of one that contradicts what is known. */
const MAX_SUBSTITUTES = 2;

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

/** Time was up. Everything up to this position is proved, and a later reading goes on from here. */
export interface PausedPosition {
  kind: 'paused';
  position: ReadingPosition;
}

/** The position after a first page that came full. */
export function positionAfterFirst(first: ListPage): ReadingPosition {
  const pageCap = first.ids.length;
  return { pageCap, knownEnd: pageCap, knownTail: first.ids, lastWindow: windowOf(1, pageCap) };
}

/**
 * Reads the rest of a list from a position on, each page overlapping the one before it.
 *
 * The end is proved twice, by pages of different sizes: one holds the last known row and nothing after it, and one
 * starts right after that row and is empty. After a page that is not full, both are requested at once; their order does
 * not matter. If the rows end with a full page, the last row is requested once more: the first proof may have been a
 * page that was cut short, and the second empty because a row left meanwhile. A row that is removed or inserted
 * meanwhile makes an overlap differ; the reading is then torn, and PagingFaultError is thrown.
 */
export async function readOverlapping(
  source: PageSource,
  habits: ListHabits,
  from: ReadingPosition,
  sink: RowSink,
  isTimeUp: () => boolean,
  length: ListLength = {},
): Promise<{ kind: 'proved' } | PausedPosition> {
  const { pageCap } = from;
  const following = (window: PageWindow) =>
    overlappingWindow(window.start + window.pageSize, pageCap, [window]);
  const ahead = new ReadAhead(source, following, length);
  let { knownEnd, knownTail, lastWindow } = from;
  let isLastPageFull = true;
  let endProofs = 0;
  /** Pages in a row that brought few rows, as where the list grows with every request. */
  let shortSteps = 0;
  /** The page that begins right after the last row known. */
  const askPastEnd = () => {
    const window = windowStartingAt(knownEnd, pageCap);
    return { window, page: ahead.ask(window) };
  };
  const proved = () => {
    habits.isAnyPageSizeHonoured = true;
    return { kind: 'proved' } as const;
  };
  const sizeIgnored = () => {
    habits.isAnyPageSizeHonoured = false;
    return torn(source, windowOf(1, pageCap), 'is followed by pages of a size that was not asked for');
  };
  /** Requested as soon as the end seems near, along with the other proof of it. */
  let pastEnd: ReturnType<typeof askPastEnd> | undefined;
  try {
    for (;;) {
      if (isTimeUp()) return { kind: 'paused', position: { pageCap, knownEnd, knownTail, lastWindow } };
      const avoid = [lastWindow];
      let window = overlappingWindow(knownEnd, pageCap, avoid);
      let page = await ahead.take(window);
      while (!continues(page, window, knownEnd, knownTail) && avoid.length <= MAX_SUBSTITUTES) {
        if (page.items.length > window.pageSize) throw sizeIgnored();
        avoid.push(window);
        window = overlappingWindow(knownEnd, pageCap, avoid);
        page = await ahead.take(window);
      }
      assertPageOf(window, page, source);
      if (page.items.length > window.pageSize) throw sizeIgnored();
      if (!continues(page, window, knownEnd, knownTail)) {
        const reason = 'does not continue the rows before it: rows came or went meanwhile, or it repeats';
        throw torn(source, window, reason);
      }
      lastWindow = window;
      const overlap = knownEnd - window.start;
      if (page.ids.length > overlap) {
        shortSteps = page.ids.length - overlap < pageCap / FEW_ROWS ? shortSteps + 1 : 0;
        if (shortSteps === MAX_END_PROOFS) throw torn(source, window, END_MOVES);
        knownEnd = window.start + page.ids.length;
        knownTail = page.ids;
        isLastPageFull = page.ids.length === window.pageSize;
        pastEnd = isLastPageFull ? undefined : askPastEnd();
        sink.add(page, overlap);
        continue;
      }
      const { window: afterEnd, page: asked } = pastEnd ?? askPastEnd();
      pastEnd = undefined;
      const rest = await asked;
      assertPageOf(afterEnd, rest, source);
      if (rest.items.length === 0) {
        if (!isLastPageFull) return proved();
        window = overlappingWindow(knownEnd, pageCap, [lastWindow]);
        page = await source.read(window);
        const isEndAsItWas =
          continues(page, window, knownEnd, knownTail) && page.ids.length === knownEnd - window.start;
        if (isEndAsItWas) return proved();
        throw torn(source, window, 'is no longer the end of the list');
      }
      if (rest.ids.every((id) => knownTail.includes(id))) throw torn(source, afterEnd, ONLY_KNOWN_ROWS);
      endProofs += 1;
      if (endProofs === MAX_END_PROOFS) throw torn(source, afterEnd, END_MOVES);
    }
  } finally {
    ahead.close();
  }
}

/** Whether the page has exactly the known rows where it overlaps them. */
function continues(
  page: ListPage,
  window: PageWindow,
  knownEnd: number,
  knownTail: readonly ReceiptId[],
): boolean {
  if (!isPageOf(window, page) || page.ids.length > window.pageSize) return false;
  const overlap = knownEnd - window.start;
  // The page before may be shorter than the overlap; then only its rows can be compared.
  const compared = Math.min(overlap, knownTail.length);
  return isSameIds(page.ids.slice(overlap - compared, overlap), knownTail.slice(knownTail.length - compared));
}
