import { addDays } from '../../time/days.ts';
import type { ListHabits } from './habits.ts';
import type { ReadingPosition } from './overlapping.ts';
import type { PageSource, RowSink } from './page.ts';
import { confirmedFirstPage, type ListReading, readList } from './read-list.ts';

/** The issue dates asked for, `YYYY-MM-DD`, as `FechaDesde` and `FechaHasta`. */
export interface DayRange {
  from: string;
  to: string;
}

/** Takes the rows of one issue date; rows of the day after, where those were asked for too, it leaves out. */
export interface DaySink extends RowSink {
  rowCount: number;
  hasRowsOfNextDay: boolean;
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
 * The contract does not say whether `FechaHasta` includes its day (§4.1). So an empty answer for the range of
 * one day is believed only once such a range has brought rows; until then the range up to the next day is
 * asked too, and if that has rows of the day, the bound is an exclusive one from then on.
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
    if (reading.sinks.some(({ rowCount }) => rowCount > 0)) habits.upperBound = 'inclusive';
    if (habits.upperBound === 'inclusive') return reading;
    const firstPage = await confirmedFirstPage(sourceOf(withNextDay));
    if (firstPage.items.length === 0) return reading;
    const glance = newSink(withNextDay);
    glance.add(firstPage, 0);
    if (glance.hasRowsOfNextDay) {
      habits.upperBound = 'inclusive';
      return reading;
    }
    habits.upperBound = 'exclusive';
  }
  const reading = await read(withNextDay);
  if (reading.kind === 'paused') return reading;
  // Rows of the next day come only where the bound includes it.
  if (reading.sinks.some(({ hasRowsOfNextDay }) => hasRowsOfNextDay)) habits.upperBound = 'inclusive';
  return reading;
}
