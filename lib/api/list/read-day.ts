import { addDays } from '../../time/days.ts';
import { HttpStatusError } from '../errors.ts';
import { windowStartingAt } from './geometry.ts';
import type { ListHabits } from './habits.ts';
import type { ReadingPosition } from './overlapping.ts';
import { MAX_PAGE_SIZE, type PageSource, type RowSink } from './page.ts';
import { confirmedFirstPage, type ListReading, readList } from './read-list.ts';

/** So many receipts are not all issued at midnight by chance: the service gives dates, and a bound is a whole day. */
const ROWS_THAT_SHOW_DATES_ONLY = 20;

/** The issue dates asked for, `YYYY-MM-DD`, as `FechaDesde` and `FechaHasta`. */
export interface DayRange {
  from: string;
  to: string;
}

/** Takes the rows of one issue date; rows of the day after, where those were asked for too, it leaves out. */
export interface DaySink extends RowSink {
  rowCount: number;
  /** Rows that say that they are of the day. */
  hasRowsOfDay: boolean;
  hasRowsOfNextDay: boolean;
  /** Any row issued later than its day's first moment: some services give a date only. */
  hasTimesOfDay: boolean;
  /** The same of the last day asked for: only then is that day included whole. */
  hasTimesOfLastDay: boolean;
}

/** A day's list, and the range that it was asked with. */
export type DayReading<Sink extends DaySink> = ListReading<Sink> & { range: DayRange };

export interface ReadDayOptions<Sink extends DaySink> {
  isTimeUp?: () => boolean;
  /** A paused reading to go on with. */
  paused?: { sink: Sink; position: ReadingPosition; range: DayRange };
}

/**
 * Reads all receipts of one issue date.
 *
 * The contract does not say whether `FechaHasta` includes its day (§4.1), or only its first moment. So the answer
 * for the range of one day is believed only once such a range has brought a row from within its last day; until
 * then the first page of the range up to the next day is looked at. If that has rows which the day alone lacks,
 * the next day is asked too from then on, and its rows are left out.
 */
export async function readDay<Sink extends DaySink>(
  sourceOf: (range: DayRange) => PageSource,
  day: string,
  habits: ListHabits,
  newSink: (range: DayRange) => Sink,
  { isTimeUp, paused }: ReadDayOptions<Sink> = {},
): Promise<DayReading<Sink>> {
  const read = async (range: DayRange, goOn?: ReadDayOptions<Sink>['paused']) => ({
    ...(await readList(sourceOf(range), habits, () => newSink(range), { isTimeUp, paused: goOn })),
    range,
  });
  if (paused !== undefined) return await read(paused.range, paused);
  const dayAlone = { from: day, to: day };
  const withNextDay = { from: day, to: addDays(day, 1) };
  if (habits.upperBound !== 'exclusive') {
    const reading = await read(dayAlone);
    if (reading.kind === 'paused') return reading;
    if (reading.sinks.some(({ hasTimesOfLastDay }) => hasTimesOfLastDay)) habits.upperBound = 'inclusive';
    if (habits.upperBound === 'inclusive') return reading;
    const rowCount = Math.max(...reading.sinks.map((sink) => sink.rowCount));
    const glance = await glanceAt(sourceOf(withNextDay), rowCount, newSink(withNextDay)).catch(
      (error: unknown) => {
        // A next day that can't be read must not fail this one, which has rows; the bound stays unproved.
        if (error instanceof HttpStatusError && rowCount > 0) return undefined;
        throw error;
      },
    );
    if (glance === undefined) return reading;
    // What the day alone lacks: all rows, or those issued after its first moment.
    const isLacking = rowCount > 0 ? glance.hasTimesOfDay : glance.hasRowsOfDay;
    if (glance.hasTimesOfLastDay || !isLacking) {
      if (!glance.hasTimesOfDay) habits.rowsWithoutTime = (habits.rowsWithoutTime ?? 0) + rowCount;
      const isDateOnly = (habits.rowsWithoutTime ?? 0) >= ROWS_THAT_SHOW_DATES_ONLY;
      if (glance.hasTimesOfLastDay || isDateOnly) habits.upperBound = 'inclusive';
      return reading;
    }
    habits.upperBound = 'exclusive';
  }
  const reading = await read(withNextDay);
  if (reading.kind === 'paused') return reading;
  if (reading.sinks.some(({ hasTimesOfLastDay }) => hasTimesOfLastDay)) habits.upperBound = 'inclusive';
  return reading;
}

/** The first page, and the one after as many rows as the day alone had: where more of the day would stand. */
async function glanceAt<Sink extends DaySink>(
  source: PageSource,
  rowCount: number,
  sink: Sink,
): Promise<Sink> {
  const pages = await Promise.all([
    confirmedFirstPage(source),
    ...(rowCount > 0 ? [source.read(windowStartingAt(rowCount, MAX_PAGE_SIZE))] : []),
  ]);
  for (const page of pages) sink.add(page, 0);
  return sink;
}
