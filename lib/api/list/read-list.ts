import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import { isWholeList } from './one-page.ts';
import { positionAfterFirst, type ReadingPosition, readOverlapping } from './overlapping.ts';
import {
  isSameSet,
  type ListHabits,
  type ListPage,
  MAX_PAGE_SIZE,
  MIN_CAP_FOR_OVERLAP,
  ONLY_KNOWN_ROWS,
  type PageSource,
  pageFault,
  type Reading,
  type RowSink,
  torn,
  windowOf,
} from './page.ts';
import type { ListLength } from './read-ahead.ts';
import { readUniform } from './uniform.ts';

/** Readings of one list before the union of what was found is kept. */
const MAX_READINGS = 6;
/** A torn reading is tried again with overlapping pages this often, then with uniform ones. */
const MAX_OVERLAPPING_READINGS = 2;

export type ListReading<Sink extends RowSink> =
  | {
      kind: 'read';
      /**
       * The rows: one sink if the reading was proved, otherwise the sinks of all readings, newest first. Their union is
       * the best that is known.
       */
      sinks: readonly Sink[];
      /** Whether the list was proved to hold exactly these rows at one moment. */
      isStable: boolean;
    }
  | PausedReading<Sink>;

/** Time was up. A later call with this goes on from there. */
export interface PausedReading<Sink extends RowSink> {
  kind: 'paused';
  sink: Sink;
  position: ReadingPosition;
}

export interface ReadListOptions<Sink extends RowSink> {
  /** Asked between pages. Once true, the reading is paused if possible. */
  isTimeUp?: () => boolean;
  /** A paused reading to go on with. */
  paused?: PausedReading<Sink>;
  /** Whether to throw at the first contradiction, since the caller can read the list in parts. */
  isDivisible?: boolean;
  /** What is known of how long the list is. */
  length?: ListLength;
}

/**
 * Reads a whole list, proved to its end. `newSink` gives a fresh sink for each reading.
 * Throws PagingFaultError if no reading came to a proved end, of a divisible list if the first one did not.
 */
export async function readList<Sink extends RowSink>(
  source: PageSource,
  habits: ListHabits,
  newSink: () => Sink,
  { isTimeUp = () => false, paused, isDivisible = false, length }: ReadListOptions<Sink> = {},
): Promise<ListReading<Sink>> {
  const tools = { source, habits, isTimeUp, length };
  const sinks: Sink[] = [];
  let previous: ReadonlySet<ReceiptId> | undefined;
  let tornReadings = 0;
  let lastFault = '';
  let hasHadRows = false;
  for (let attempt = 1; attempt <= MAX_READINGS; attempt += 1) {
    const isResumed = attempt === 1 && paused !== undefined;
    const sink = isResumed ? paused.sink : newSink();
    const isOverlapping = habits.isAnyPageSizeHonoured !== false && tornReadings < MAX_OVERLAPPING_READINGS;
    let reading: Reading | { kind: 'paused'; position: ReadingPosition };
    if (isResumed) reading = await readRest(tools, paused.position, sink);
    else {
      const first = await confirmedFirstPage(source);
      const isEmpty = first.items.length === 0 && pageFault(windowOf(1, MAX_PAGE_SIZE), first) === undefined;
      if (isEmpty && !hasHadRows) return { kind: 'read', sinks: [sink], isStable: true };
      reading = await readFrom(tools, first, sink, isOverlapping);
    }
    hasHadRows = true;
    if (reading.kind === 'paused') return { kind: 'paused', sink, position: reading.position };
    if (reading.kind === 'proved') return { kind: 'read', sinks: [sink], isStable: true };
    sinks.unshift(sink);
    if (reading.kind === 'torn') {
      // If page sizes are not honoured, the pages prove nothing about the rows; another way of reading can.
      const isOnlySizes = isOverlapping && habits.isAnyPageSizeHonoured === false;
      if (isDivisible && !isOnlySizes) throw new PagingFaultError(source.context, reading.reason);
      tornReadings += 1;
      lastFault = reading.reason;
      continue;
    }
    const { ids, hasRepeats } = reading;
    if (previous !== undefined && !hasRepeats && isSameSet(previous, ids)) {
      // Only an API that honours one page size is read alike twice, and torn when read otherwise.
      if (tornReadings >= MAX_OVERLAPPING_READINGS) habits.isAnyPageSizeHonoured = false;
      return { kind: 'read', sinks: [sink], isStable: true };
    }
    if (isDivisible && previous !== undefined) {
      throw new PagingFaultError(source.context, 'two readings differ');
    }
    previous = ids;
  }
  if (previous === undefined) throw new PagingFaultError(source.context, lastFault);
  return { kind: 'read', sinks, isStable: false };
}

/** The first page. An empty one is requested again, since believing it makes a whole list vanish. */
export async function confirmedFirstPage(source: PageSource): Promise<ListPage> {
  const window = windowOf(1, MAX_PAGE_SIZE);
  const first = await source.read(window);
  return first.items.length > 0 ? first : await source.read(window);
}

interface ReadingTools {
  source: PageSource;
  habits: ListHabits;
  isTimeUp: () => boolean;
  length: ListLength | undefined;
}

/** One reading from a first page that has rows, or had some a moment ago. */
async function readFrom(
  tools: ReadingTools,
  firstAsCame: ListPage,
  sink: RowSink,
  isOverlapping: boolean,
): Promise<Reading | { kind: 'paused'; position: ReadingPosition }> {
  const { source, habits } = tools;
  const window = windowOf(1, MAX_PAGE_SIZE);
  let first = firstAsCame;
  const fault = pageFault(window, first);
  if (fault !== undefined) return torn(window, fault);
  // It had rows a moment ago: another reading must find it empty too.
  if (first.items.length === 0) return { kind: 'complete', ids: new Set(), hasRepeats: false };
  if (first.items.length < (habits.pageCap ?? MAX_PAGE_SIZE)) {
    const isWhole = await isWholeList(source, first, habits);
    if (typeof isWhole !== 'boolean') return isWhole;
    if (isWhole) {
      sink.add(first, 0);
      return { kind: 'proved' };
    }
    const again = await source.read(window);
    if (again.items.length > 0 && again.items.length <= first.items.length)
      habits.pageCap = again.items.length;
    first = again;
    if (first.items.length === 0) return torn(window, 'is empty, although it had rows a moment ago');
  }
  const pageCap = first.items.length;
  habits.longestPage = Math.max(pageCap, habits.longestPage ?? 0);
  if (!isOverlapping || pageCap < MIN_CAP_FOR_OVERLAP || pageCap > MAX_PAGE_SIZE) {
    return await readUniform(source, first, sink);
  }
  sink.add(first, 0);
  return await readRest(tools, positionAfterFirst(first), sink);
}

/** The rest of a list in overlapping pages. */
async function readRest(
  { source, habits, isTimeUp, length }: ReadingTools,
  position: ReadingPosition,
  sink: RowSink,
): Promise<Reading | { kind: 'paused'; position: ReadingPosition }> {
  const reading = await readOverlapping(source, position, sink, isTimeUp, length);
  if (reading.kind === 'proved') habits.isAnyPageSizeHonoured = true;
  if (reading.kind !== 'sizeIgnored') return reading;
  habits.isAnyPageSizeHonoured = false;
  return torn(windowOf(1, position.pageCap), 'is followed by pages of a size that was not asked for');
}

export interface FirstRows {
  /** As they came. */
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
    const fault = pageFault(window, page);
    if (fault !== undefined) throw fail(`the page ${fault}`);
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
