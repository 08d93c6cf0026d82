import { ResultWindowError } from '../../api/errors.ts';
import { DepthWatch } from '../../api/list/depth-watch.ts';
import { fullPageRows, noteDepth } from '../../api/list/habits.ts';
import { windowHolding } from '../../api/list/page.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import { type ListReading, type PausedReading, readList } from '../../api/list/read-list.ts';
import { readInSlices } from '../../api/list/slices.ts';
import { withScopedSignal } from '../../concurrency.ts';
import { RECEIPT_TYPES } from '../../lake/receipt-types.ts';
import { type DayRange, widthDays } from '../../time/days.ts';
import type { Lists } from './lists.ts';
import type { AskedDays, RangeSink } from './range-sink.ts';

/** A list that was read in part, and where to go on. */
export interface PausedList extends PausedReading<RangeSink> {
  asked: AskedDays;
}

/** The rough length of a list that is too long to be read as one. */
export interface LongLength {
  kind: 'tooLong';
  leastRows: number;
  mostRows: number;
}

/** Days whose list is empty, and what was asked for. */
export interface EmptyDays {
  days: DayRange;
  asked: AskedDays;
}

export type WholeReading = Extract<ListReading<RangeSink>, { kind: 'read' }>;

/** Days whose list was read. Several sinks are its slices, or if it was not stable its readings, newest first. */
export type ReadDays = WholeReading & { days: DayRange };

/** Days that were not read: their list is empty, and this process has not seen a list as wide answered with rows. */
export type UnprovedDays = EmptyDays & { kind: 'unproved' };

/** The result of some days of a list. Days for which there was no time have none. */
export type RangeResult =
  | ReadDays
  | { kind: 'failed'; days: DayRange; error: unknown }
  | PausedList
  | UnprovedDays
  /** Not read: it has too many rows for a list over several days. */
  | (LongLength & { days: DayRange });

export interface ReadingOptions {
  /** What is known about the list's length; undefined if nothing is. */
  length?: ListLength;
  /** A paused reading to go on with. */
  paused?: PausedList;
}

export interface RangeOptions extends ReadingOptions {
  /** Whether an earlier answer was empty. */
  isProbablyEmpty?: boolean;
}

/**
 * Reads the list of one day to its proved end, however long it is. A long list that gets slower with depth is read in
 * slices. If they can't be proved, or time is up first, the straight reading goes on from where it was. A resumed
 * reading always goes on straight, so that every invocation gets nearer to the end.
 */
export async function readOneDay(
  asked: AskedDays,
  lists: Lists,
  { length, paused }: ReadingOptions,
): Promise<ListReading<RangeSink>> {
  const { habits } = lists;
  const { isTimeUp } = lists.tools;
  const depth = new DepthWatch(lists.tools.clock);
  const source = depth.timed(lists.source(asked));
  const newSink = () => lists.newSink(asked);
  const isSteep = () => paused === undefined && !lists.isPaced && depth.isSteep;
  const isOver = () => isTimeUp() || isSteep();
  const reading = await readList(source, habits, newSink, { isTimeUp: isOver, paused, length });
  if (reading.kind !== 'paused' || isTimeUp()) return reading;
  const { pageCap } = reading.position;
  if (await depth.isMuchDeeper(lists.source(asked), pageCap)) {
    const sinks = await readSlicesOfDay(asked, lists, pageCap);
    if (sinks !== undefined) return { kind: 'read', sinks, isStable: true };
  }
  return await readList(source, habits, newSink, { isTimeUp, paused: reading, length });
}

/**
 * Reads the list of one day in slices, since the service shows only `resultWindow` rows of it. Undefined if time is up.
 * Throws ResultWindowError if a slice is too long as well.
 */
export async function readCutDay(
  asked: AskedDays,
  lists: Lists,
  resultWindow: number,
): Promise<RangeSink[] | undefined> {
  const pageCap = fullPageRows(lists.habits);
  const sinks = await readSlicesOfDay(asked, lists, pageCap, resultWindow);
  if (sinks === undefined && !lists.tools.isTimeUp()) {
    throw new ResultWindowError({ ...lists.context, day: asked.from }, resultWindow);
  }
  return sinks;
}

function readSlicesOfDay(
  asked: AskedDays,
  lists: Lists,
  pageCap: number,
  resultWindow?: number,
): Promise<RangeSink[] | undefined> {
  return readInSlices({
    whole: lists.source(asked),
    types: RECEIPT_TYPES.map(({ code }) => code),
    sliceOf: ({ types, isExcluded }, signal) =>
      lists.source(
        asked,
        { TipoComprobante: types, ...(isExcluded && { ExcluirTipoComprobante: true }) },
        signal,
      ),
    pageCap,
    habits: lists.habits,
    newSink: () => lists.newSink(asked),
    isTimeUp: lists.tools.isTimeUp,
    resultWindow,
  });
}

/** The most rows for a list over several days. Services that cut long lists show 10,000 rows or fewer. */
export const MOST_ROWS_OF_RANGE = 8_000;

/** A list that was expected to be shorter is given up at this many rows. */
const OVERGROWN_ROWS = 2 * MOST_ROWS_OF_RANGE;
/** For reading ahead in a list of unknown length: a needless request is worse than a short wait. */
const PAGES_PER_STEP = 12;

/** Depths at which a list with more rows than a range is probed for its length, in rows. */
const DEPTHS = [4, 16, 64].map((times) => times * MOST_ROWS_OF_RANGE);

/**
 * Reads a list over several days once. A list that turns out to be too long is given up early. Throws PagingFaultError
 * if it is torn.
 */
export function readSeveralDays(
  asked: AskedDays,
  lists: Lists,
  options: ReadingOptions,
): Promise<ListReading<RangeSink> | LongLength> {
  return withScopedSignal((signal) => readMeasured(asked, lists, options, signal));
}

async function readMeasured(
  asked: AskedDays,
  lists: Lists,
  { length, paused }: ReadingOptions,
  signal: AbortSignal,
): Promise<ListReading<RangeSink> | LongLength> {
  const { habits } = lists;
  const { isTimeUp } = lists.tools;
  const source = lists.source(asked, {}, signal);
  let pageCap = fullPageRows(habits);
  let sink = paused?.sink;
  let isLengthKnown = length?.expectedRows !== undefined || paused !== undefined;
  let isTooLong = false;
  const isOvergrown = () => (sink?.listedCount ?? 0) > OVERGROWN_ROWS;
  /** Whether all days have more rows than one list should, if they have as many as the days read so far. */
  const seemsTooLong = () => {
    const { listedCount = 0, ends } = sink ?? {};
    return ends !== undefined && listedCount * widthDays(asked) >= MOST_ROWS_OF_RANGE * widthDays(ends);
  };
  // Most lists end on their second page. Only for longer ones is their length worth a request.
  const isWorthMeasuring = () => (sink?.listedCount ?? 0) >= 2 * (pageCap - 1) || seemsTooLong();
  const newSink = () => {
    sink = lists.newSink(asked);
    return sink;
  };
  const readOn = (goOn: PausedReading<RangeSink> | undefined): Promise<ListReading<RangeSink>> =>
    readList(source, habits, newSink, {
      isTimeUp: () => isTimeUp() || isTooLong || isOvergrown() || (!isLengthKnown && isWorthMeasuring()),
      paused: goOn,
      isDivisible: true,
      // Nothing is read ahead while this may be the last page.
      length: { pagesPerStep: isLengthKnown ? PAGES_PER_STEP : Number.POSITIVE_INFINITY, ...length },
    });
  /** Number of rows of the page that begins after this many rows. One request. */
  const rowsBehind = async (rows: number): Promise<number> => {
    const window = windowHolding(rows, pageCap);
    const { items, pageNumber } = await source.read(window);
    if (items.length > pageCap || pageNumber !== window.pageNumber) return 0;
    // Only a page of the size asked for begins where it should.
    if (items.length === pageCap && habits.isAnyPageSizeHonoured === true) {
      noteDepth(habits, window.start + items.length);
    }
    return items.length;
  };
  const measure = async (): Promise<void> => {
    isLengthKnown = true;
    isTooLong = (await rowsBehind(MOST_ROWS_OF_RANGE)) > 0;
  };
  const rowsAtDepths = () => Promise.all(DEPTHS.map(rowsBehind));
  // A list that is surely long is read meanwhile.
  const measuring = length?.leastRows === undefined || isLengthKnown ? undefined : measure();
  measuring?.catch(() => undefined);
  let reading = await readOn(paused);
  await measuring;
  if (reading.kind !== 'paused' || isTimeUp()) return reading;
  ({ pageCap } = reading.position);
  let atDepths: Promise<number[]> | undefined;
  if (!isLengthKnown) {
    if (seemsTooLong()) atDepths = rowsAtDepths();
    await Promise.all([measure(), atDepths]);
    if (!isTooLong) reading = await readOn(reading);
  }
  if (reading.kind === 'paused' && isTooLong && !isTimeUp()) {
    const ends = (await (atDepths ?? rowsAtDepths())).indexOf(0);
    const leastRows = (ends === -1 ? DEPTHS.at(-1) : DEPTHS[ends - 1]) ?? MOST_ROWS_OF_RANGE;
    return { kind: 'tooLong', leastRows, mostRows: DEPTHS[ends] ?? 4 * leastRows };
  }
  if (reading.kind === 'paused' && isOvergrown()) {
    return { kind: 'tooLong', leastRows: OVERGROWN_ROWS, mostRows: 2 * OVERGROWN_ROWS };
  }
  return reading;
}
