import type { ReadingPosition } from '../list/overlapping.ts';
import { MAX_PAGE_SIZE, type PageSource, windowOf } from '../list/page.ts';
import type { ListLength } from '../list/read-ahead.ts';
import { type ListReading, readList, type TornReading } from '../list/read-list.ts';
import type { ListHabits } from '../list/reading.ts';
import type { AskedDays, DaysSink } from './asked-days.ts';
import type { DayReading, DaysReader } from './read-one-day.ts';

/** A list over several days is not to be longer: services that show the first rows only show 10,000 at most. */
export const MOST_ROWS_OF_RANGE = 8_000;

/** A list that was expected to be shorter is given up here. */
const OVERGROWN_ROWS = 2 * MOST_ROWS_OF_RANGE;
/** Reading ahead in a list of several days whose length is not known: a request in vain is worse than a short wait. */
const PAGES_PER_STEP = 12;

/** About how many rows a list has. */
export interface LongLength {
  leastRows: number;
  mostRows: number;
}

/** Where a long list is looked into to tell how long it is: at so many times the rows that it has more than. */
const DEPTHS = [4, 16, 64];

export interface SeveralDaysOptions<Sink extends DaysSink> {
  /** What is known of how long the list is; undefined when nothing is. */
  length?: ListLength;
  /** A paused reading to go on with. */
  paused?: { sink: Sink; position: ReadingPosition };
}

/** One reading of a list over several days; one that turns out to be too long for that is given up early. */
export async function readSeveralDays<Sink extends DaysSink>(
  asked: AskedDays,
  { habits, sourceOf, newSink, isTimeUp }: DaysReader<Sink>,
  { length, paused }: SeveralDaysOptions<Sink>,
): Promise<DayReading<Sink> | TornReading | LongLength> {
  let sink = paused?.sink;
  let isLengthKnown = length?.expectedRows !== undefined || paused !== undefined;
  // Most lists end on their second page: only of the others it is worth a request how long they are.
  const isMeasured = () => {
    const rowsOfTwoPages = 2 * ((habits.longestPage ?? MAX_PAGE_SIZE) - 1);
    const isShort = length?.leastRows === undefined && (sink?.listedCount ?? 0) < rowsOfTwoPages;
    return isLengthKnown || isShort;
  };
  const isOvergrown = () => (sink?.listedCount ?? 0) > OVERGROWN_ROWS;
  const source = sourceOf(asked);
  const nextSink = () => {
    const next = newSink(asked);
    sink = next;
    return next;
  };
  const readOn = (goOn: typeof paused): Promise<ListReading<Sink> | TornReading> =>
    readList(source, habits, nextSink, {
      isTimeUp: () => isTimeUp() || !isMeasured() || isOvergrown(),
      paused: goOn,
      isDivisible: true,
      // Nothing is read ahead as long as it may be the last page.
      length: { pagesPerStep: isLengthKnown ? PAGES_PER_STEP : Number.POSITIVE_INFINITY, ...length },
    });
  let reading = await readOn(paused);
  if (reading.kind === 'paused' && !isTimeUp() && !isLengthKnown) {
    isLengthKnown = true;
    const { pageCap } = reading.position;
    const behind = await rowsBehind(MOST_ROWS_OF_RANGE, pageCap, source, habits);
    if (behind > 0) return await measured(MOST_ROWS_OF_RANGE, pageCap, source, habits);
    reading = await readOn(reading);
  }
  if (reading.kind === 'paused' && isOvergrown()) {
    return { leastRows: OVERGROWN_ROWS, mostRows: 2 * OVERGROWN_ROWS };
  }
  return reading.kind === 'torn' ? reading : { ...reading, areReadings: true };
}

/** About how long a list is that has more than so many rows: by a page at each of some greater depths. */
async function measured(
  moreThanRows: number,
  pageCap: number,
  source: PageSource,
  habits: ListHabits,
): Promise<LongLength> {
  let leastRows = moreThanRows;
  const depths = DEPTHS.map((times) => times * moreThanRows);
  const behind = await Promise.all(depths.map((rows) => rowsBehind(rows, pageCap, source, habits)));
  for (const [index, rows] of depths.entries()) {
    if ((behind[index] ?? 0) === 0) return { leastRows, mostRows: rows };
    leastRows = rows;
  }
  return { leastRows, mostRows: 4 * leastRows };
}

/** How many rows the page has that begins behind so many. One request. */
async function rowsBehind(
  rows: number,
  pageCap: number,
  source: PageSource,
  habits: ListHabits,
): Promise<number> {
  const window = windowOf(Math.floor(rows / pageCap) + 1, pageCap);
  const { items, pageNumber } = await source.read(window);
  if (items.length > pageCap || pageNumber !== window.pageNumber) return 0;
  if (items.length > 0 && habits.isAnyPageSizeHonoured === true) {
    habits.deepestRow = Math.max(habits.deepestRow ?? 0, window.start + items.length);
  }
  return items.length;
}
