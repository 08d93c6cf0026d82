import { type ListHabits, MAX_PAGE_SIZE, type PageSource, windowOf } from '../../api/list/page.ts';
import { type ListReading, readList, type TornReading } from '../../api/list/read-list.ts';
import type {
  AskedDays,
  DayReading,
  DaysReader,
  DaysSink,
  LongLength,
  PartialList,
  ReadingOptions,
} from './asked-days.ts';

/** The most rows for a list over several days. Services that cut long lists show 10,000 rows or fewer. */
export const MOST_ROWS_OF_RANGE = 8_000;

/** Where a list that was expected to be shorter is given up. */
const OVERGROWN_ROWS = 2 * MOST_ROWS_OF_RANGE;
/** For reading ahead in a list of unknown length: a needless request is worse than a short wait. */
const PAGES_PER_STEP = 12;

/** Depths at which a long list is probed for its length, in multiples of the rows that it is known to exceed. */
const DEPTHS = [4, 16, 64];

/** Reads a list over several days once. A list that turns out to be too long is given up early. */
export async function readSeveralDays<Sink extends DaysSink>(
  asked: AskedDays,
  { habits, sourceOf, newSink, isTimeUp }: DaysReader<Sink>,
  { length, paused }: ReadingOptions<Sink>,
): Promise<DayReading<Sink> | TornReading | LongLength> {
  let sink = paused?.sink;
  let isLengthKnown = length?.expectedRows !== undefined || paused !== undefined;
  let isTooLong = false;
  const source = sourceOf(asked);
  const fullPage = habits.longestPage ?? MAX_PAGE_SIZE;
  // Most lists end on their second page. Only for longer ones is their length worth a request.
  const isMeasured = () => isLengthKnown || (sink?.listedCount ?? 0) < 2 * (fullPage - 1);
  const isOvergrown = () => (sink?.listedCount ?? 0) > OVERGROWN_ROWS;
  const nextSink = () => {
    const next = newSink(asked);
    sink = next;
    return next;
  };
  const readOn = (goOn: PartialList<Sink> | undefined): Promise<ListReading<Sink> | TornReading> =>
    readList(source, habits, nextSink, {
      isTimeUp: () => isTimeUp() || !isMeasured() || isTooLong || isOvergrown(),
      paused: goOn,
      isDivisible: true,
      // Nothing is read ahead while this may be the last page.
      length: { pagesPerStep: isLengthKnown ? PAGES_PER_STEP : Number.POSITIVE_INFINITY, ...length },
    });
  const measure = async (pageCap: number): Promise<void> => {
    isLengthKnown = true;
    isTooLong = (await rowsBehind(MOST_ROWS_OF_RANGE, pageCap, source, habits)) > 0;
  };
  // A list that is surely long is read meanwhile.
  const measuring = length?.leastRows === undefined || isLengthKnown ? undefined : measure(fullPage);
  measuring?.catch(() => undefined);
  let reading = await readOn(paused);
  await measuring;
  if (reading.kind === 'paused' && !isTimeUp() && !isLengthKnown) {
    await measure(reading.position.pageCap);
    if (!isTooLong) reading = await readOn(reading);
  }
  if (isTooLong && reading.kind === 'paused' && !isTimeUp()) {
    return await measured(MOST_ROWS_OF_RANGE, reading.position.pageCap, source, habits);
  }
  if (reading.kind === 'paused' && isOvergrown()) {
    return { leastRows: OVERGROWN_ROWS, mostRows: 2 * OVERGROWN_ROWS };
  }
  return reading.kind === 'torn' ? reading : { ...reading, areReadings: true };
}

/** The rough length of a list with more than so many rows: requests one page at each of some greater depths. */
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

/** How many rows the page has that starts after so many rows. One request. */
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
