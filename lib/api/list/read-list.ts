import { PagingFaultError } from '../errors.ts';
import { MIN_CAP_FOR_OVERLAP } from './geometry.ts';
import type { ListHabits } from './habits.ts';
import { positionAfterFirst, type ReadingPosition, readOverlapping } from './overlapping.ts';
import {
  type ListPage,
  MAX_PAGE_SIZE,
  type PageSource,
  type PageWindow,
  type ReceiptId,
  type RowSink,
  windowOf,
} from './page.ts';
import { ONLY_KNOWN_ROWS, pageFault, type Reading, torn } from './reading.ts';
import { readUniform } from './uniform.ts';

/** Readings of one list before what was found is kept as it is. */
const MAX_READINGS = 6;
/** A torn reading is tried again with overlapping pages this often, then with uniform ones. */
const MAX_OVERLAPPING_READINGS = 2;

export type ListReading<Sink extends RowSink> =
  | {
      kind: 'read';
      /**
       * The rows. One sink when the reading was proved; else those of every reading, newest first: their union
       * is the best that is known.
       */
      sinks: readonly Sink[];
      /** Whether the list was proved to hold exactly these rows at one moment. */
      isStable: boolean;
    }
  /** Time was up. Reading again with these goes on from there. */
  | { kind: 'paused'; sink: Sink; position: ReadingPosition };

export interface ReadListOptions<Sink extends RowSink> {
  /** Asked between pages; once true, the reading is paused where that is possible. */
  isTimeUp?: () => boolean;
  /** A paused reading to go on with. */
  paused?: { sink: Sink; position: ReadingPosition };
}

/**
 * Reads a whole list, proved to its end. `newSink` gives a fresh sink for each reading.
 * Throws PagingFaultError when no reading could be brought to a proved end.
 */
export async function readList<Sink extends RowSink>(
  source: PageSource,
  habits: ListHabits,
  newSink: () => Sink,
  { isTimeUp = () => false, paused }: ReadListOptions<Sink> = {},
): Promise<ListReading<Sink>> {
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
    if (isResumed) reading = await readRest(source, habits, paused.position, sink, isTimeUp);
    else {
      const first = await confirmedFirstPage(source);
      const isEmpty = first.items.length === 0 && pageFault(windowOf(1, MAX_PAGE_SIZE), first) === undefined;
      if (isEmpty && !hasHadRows) return { kind: 'read', sinks: [sink], isStable: true };
      reading = await readFrom(source, habits, first, sink, isOverlapping, isTimeUp);
    }
    hasHadRows = true;
    if (reading.kind === 'paused') return { kind: 'paused', sink, position: reading.position };
    if (reading.kind === 'proved') return { kind: 'read', sinks: [sink], isStable: true };
    sinks.unshift(sink);
    if (reading.kind === 'torn') {
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
    previous = ids;
  }
  if (previous === undefined) throw new PagingFaultError(source.context, lastFault);
  return { kind: 'read', sinks, isStable: false };
}

/** The first page; an empty one is asked again, since it would make a whole list vanish. */
export async function confirmedFirstPage(source: PageSource): Promise<ListPage> {
  const window = windowOf(1, MAX_PAGE_SIZE);
  const first = await source.read(window);
  return first.items.length > 0 ? first : await source.read(window);
}

/** One reading from its first page on, which has rows or had some a moment ago. */
async function readFrom(
  source: PageSource,
  habits: ListHabits,
  firstAsCame: ListPage,
  sink: RowSink,
  isOverlapping: boolean,
  isTimeUp: () => boolean,
): Promise<Reading | { kind: 'paused'; position: ReadingPosition }> {
  const window = windowOf(1, MAX_PAGE_SIZE);
  let first = firstAsCame;
  const fault = pageFault(window, first);
  if (fault !== undefined) return torn(window, fault);
  if (first.items.length === 0) return torn(window, 'is empty, although it had rows a moment ago');
  if (first.items.length < (habits.pageCap ?? MAX_PAGE_SIZE)) {
    const isSurelyShort = first.items.length < (habits.longestPage ?? 0);
    habits.longestPage = Math.max(first.items.length, habits.longestPage ?? 0);
    // A page that may have been full, at a cap not known yet, has the empty one after it asked again, and the next.
    const mustBeEmpty = isSurelyShort ? [2] : [2, 2, 3];
    const rest = await firstWithRows(source, mustBeEmpty, first.items.length);
    if (rest === undefined) {
      sink.add(first, 0);
      return { kind: 'proved' };
    }
    const fault = pageFault(rest.window, rest.page);
    if (fault !== undefined) return torn(rest.window, fault);
    if (rest.page.ids.every((id) => first.ids.includes(id))) return torn(rest.window, ONLY_KNOWN_ROWS);
    const again = await source.read(window);
    if (again.items.length <= first.items.length) habits.pageCap = again.items.length;
    first = again;
    if (first.items.length === 0) return torn(window, 'is empty, although it had rows a moment ago');
  }
  const pageCap = first.items.length;
  habits.longestPage = Math.max(pageCap, habits.longestPage ?? 0);
  if (!isOverlapping || pageCap < MIN_CAP_FOR_OVERLAP || pageCap > MAX_PAGE_SIZE) {
    return await readUniform(source, first, sink);
  }
  sink.add(first, 0);
  return await readRest(source, habits, positionAfterFirst(first), sink, isTimeUp);
}

/** The rest of a list in overlapping pages. */
async function readRest(
  source: PageSource,
  habits: ListHabits,
  position: ReadingPosition,
  sink: RowSink,
  isTimeUp: () => boolean,
): Promise<Reading | { kind: 'paused'; position: ReadingPosition }> {
  const reading = await readOverlapping(source, position, sink, isTimeUp);
  if (reading.kind !== 'sizeIgnored') return reading;
  habits.isAnyPageSizeHonoured = false;
  return torn(windowOf(1, position.pageCap), 'is followed by pages of a size that was not asked for');
}

/** The first of these pages that isn't an empty one of the number asked for. */
async function firstWithRows(
  source: PageSource,
  pageNumbers: readonly number[],
  pageSize: number,
): Promise<{ window: PageWindow; page: ListPage } | undefined> {
  for (const pageNumber of pageNumbers) {
    const window = windowOf(pageNumber, pageSize);
    const page = await source.read(window);
    if (page.items.length > 0 || pageFault(window, page) !== undefined) return { window, page };
  }
  return undefined;
}

function isSameSet(a: ReadonlySet<ReceiptId>, b: ReadonlySet<ReceiptId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}
