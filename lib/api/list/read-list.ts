import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import { type ListHabits, notePageLength } from './habits.ts';
import { isWholeList } from './one-page.ts';
import {
  type PausedPosition,
  positionAfterFirst,
  type ReadingPosition,
  readOverlapping,
} from './overlapping.ts';
import {
  assertPageOf,
  isPageOf,
  isSameSet,
  type ListPage,
  MAX_PAGE_SIZE,
  MIN_CAP_FOR_OVERLAP,
  ONLY_KNOWN_ROWS,
  type PageSource,
  type Reading,
  type RowSink,
  torn,
  windowOf,
} from './page.ts';
import type { ListLength } from './read-ahead.ts';
import { readUniform } from './uniform.ts';

/** Readings of one list before the union of all is kept. */
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

/** Time was up. A later call continues from here. */
export interface PausedReading<Sink extends RowSink> extends PausedPosition {
  sink: Sink;
}

export interface ReadListOptions<Sink extends RowSink> {
  /** Asked between pages. Once true, the reading is paused if possible. */
  isTimeUp?: () => boolean;
  /** A paused reading to go on with. */
  paused?: PausedReading<Sink>;
  /** Whether to throw at the first contradiction, since the caller can read the list in parts. */
  isDivisible?: boolean;
  /** What is known about the list's length. */
  length?: ListLength;
}

/**
 * Reads a whole list, proved to its end. `newSink` makes a sink for each reading. Throws PagingFaultError if no reading
 * came to a proved end, or, for a divisible list, if the first one did not.
 */
export async function readList<Sink extends RowSink>(
  source: PageSource,
  habits: ListHabits,
  newSink: () => Sink,
  { isTimeUp = () => false, paused, isDivisible = false, length }: ReadListOptions<Sink> = {},
): Promise<ListReading<Sink>> {
  const sinks: Sink[] = [];
  let previous: ReadonlySet<ReceiptId> | undefined;
  let tornReadings = 0;
  let fault: PagingFaultError | undefined;
  for (let attempt = 1; attempt <= MAX_READINGS; attempt += 1) {
    const resumed = attempt === 1 ? paused : undefined;
    const sink = resumed?.sink ?? newSink();
    const isOverlapping = habits.isAnyPageSizeHonoured !== false && tornReadings < MAX_OVERLAPPING_READINGS;
    const readRest: ReadRest = async (from) => {
      const reading = await readOverlapping(source, habits, from, sink, isTimeUp, length);
      if (reading.kind === 'proved') {
        const ids = sink.idsInOrder();
        if (listedRows(ids) > distinctRows(ids)) {
          throw new PagingFaultError(source.context, 'a row came on two pages, in place of another one');
        }
      }
      return reading;
    };
    let reading: Reading | PausedPosition;
    try {
      if (resumed !== undefined) {
        // Another process may have read the pages before.
        notePageLength(habits, resumed.position.pageCap);
        reading = await readRest(resumed.position);
      } else {
        const first = await confirmedFirstPage(source);
        assertPageOf(windowOf(1, MAX_PAGE_SIZE), first, source);
        const isEmpty = first.items.length === 0;
        if (isEmpty && attempt === 1) return { kind: 'read', sinks: [sink], isStable: true };
        // The list had rows a moment ago: another reading must find it empty too.
        if (isEmpty) reading = { kind: 'complete', ids: new Set(), hasRepeats: false };
        else reading = await readFrom(source, habits, first, sink, isOverlapping ? readRest : undefined);
      }
    } catch (error) {
      if (!(error instanceof PagingFaultError)) throw error;
      // If page sizes are not honoured, the pages prove nothing about the rows; another way of reading can.
      const isOnlySizes = isOverlapping && habits.isAnyPageSizeHonoured === false;
      if (isDivisible && !isOnlySizes) throw error;
      sinks.unshift(sink);
      tornReadings += 1;
      fault = error;
      continue;
    }
    if (reading.kind === 'paused') return { ...reading, sink };
    if (reading.kind === 'proved') return { kind: 'read', sinks: [sink], isStable: true };
    sinks.unshift(sink);
    const { ids, hasRepeats } = reading;
    if (previous !== undefined && !hasRepeats && isSameSet(previous, ids)) {
      // The overlapping readings before them were torn since the API honours only one page size, or since rows came.
      const isSizeInDoubt = tornReadings >= MAX_OVERLAPPING_READINGS;
      if (isSizeInDoubt && (await isSizeIgnored(source))) habits.isAnyPageSizeHonoured = false;
      return { kind: 'read', sinks: [sink], isStable: true };
    }
    if (isDivisible && previous !== undefined) {
      throw new PagingFaultError(source.context, 'two readings differ');
    }
    previous = ids;
  }
  if (previous === undefined && fault !== undefined) throw fault;
  // In a list that grows, rows come twice too; those that came meanwhile are in a later reading.
  const readings = sinks.map((sink) => sink.idsInOrder());
  const rowCount = distinctRows(joined(readings));
  if (readings.slice(1).some((ids) => listedRows(ids) > rowCount)) {
    throw new PagingFaultError(source.context, 'rows come twice in every reading, in place of others');
  }
  return { kind: 'read', sinks, isStable: false };
}

/** Rows of a reading, where adjacent repeats count once: a receipt listed twice in a row hides no other. */
function listedRows(ids: BigInt64Array): number {
  // As pairs of 32 bits: a comparison of two elements would make two objects.
  const halves = new Int32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  let count = Math.min(1, ids.length);
  for (let index = 2; index < halves.length; index += 2) {
    const isNext = halves[index] !== halves[index - 2] || halves[index + 1] !== halves[index - 1];
    count += Number(isNext);
  }
  return count;
}

function joined(readings: readonly BigInt64Array[]): BigInt64Array {
  const ids = new BigInt64Array(readings.reduce((count, { length }) => count + length, 0));
  let end = 0;
  for (const each of readings) {
    ids.set(each, end);
    end += each.length;
  }
  return ids;
}

/** The same rows, each counted once. Sorts the ids. */
function distinctRows(ids: BigInt64Array): number {
  return listedRows(ids.sort());
}

/** The first page. An empty one is requested again: if it were wrong, a whole list would vanish. */
export async function confirmedFirstPage(source: PageSource): Promise<ListPage> {
  const window = windowOf(1, MAX_PAGE_SIZE);
  const first = await source.read(window);
  return first.items.length > 0 ? first : await source.read(window);
}

/** Whether a small page comes larger than asked for. One request. */
async function isSizeIgnored(source: PageSource): Promise<boolean> {
  const small = windowOf(1, 1);
  return (await source.read(small)).items.length > small.pageSize;
}

type ReadRest = (from: ReadingPosition) => Promise<Reading | PausedPosition>;

/** One reading from a first page that has rows. `readRest`: its rest in overlapping pages, unless that was in vain. */
async function readFrom(
  source: PageSource,
  habits: ListHabits,
  firstAsCame: ListPage,
  sink: RowSink,
  readRest: ReadRest | undefined,
): Promise<Reading | PausedPosition> {
  const window = windowOf(1, MAX_PAGE_SIZE);
  let first = firstAsCame;
  if (first.items.length < (habits.pageCap ?? MAX_PAGE_SIZE)) {
    if (await isWholeList(source, first, habits)) {
      sink.add(first, 0);
      return { kind: 'proved' };
    }
    const again = await source.read(window);
    if (again.items.length > 0 && again.items.length <= first.items.length)
      habits.pageCap = again.items.length;
    first = again;
    if (first.items.length === 0) throw torn(source, window, 'is empty, although it had rows a moment ago');
  }
  const pageCap = first.items.length;
  notePageLength(habits, pageCap);
  if (readRest === undefined || pageCap < MIN_CAP_FOR_OVERLAP || pageCap > MAX_PAGE_SIZE) {
    return await readUniform(source, first, sink);
  }
  sink.add(first, 0);
  return await readRest(positionAfterFirst(first));
}

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
