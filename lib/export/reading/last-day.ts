import {
  ForeignReceiptError,
  HttpStatusError,
  ReceiptIdError,
  UnexpectedBodyError,
} from '../../api/errors.ts';
import { type ListHabits, MAX_PAGE_SIZE, windowStartingAt } from '../../api/list/page.ts';
import { confirmedFirstPage } from '../../api/list/read-list.ts';
import { widthDays } from '../../time/days.ts';
import { ROWS_THAT_SHOW_DATES_ONLY } from './divide.ts';
import type { Lists } from './lists.ts';
import type { AskedDays, RangeSink } from './range-sink.ts';

/**
 * Whether the readings of a list have its last day whole. The contract does not say whether `FechaHasta` includes its
 * whole day, its first moment or nothing of it (§4.1). A list is believed to include it once a row from within a last
 * day has come. Until then, the first page of a list over that day and the next is looked at. If it has rows of the day
 * that are lacking here, lists are requested with one more day from then on, whose rows are left out. If that page can't
 * be read, its error is returned: the day may be whole.
 */
export async function checkLastDay(
  asked: AskedDays,
  sinks: readonly RangeSink[],
  lists: Lists,
): Promise<'whole' | 'lacking' | { error: unknown }> {
  const { habits } = lists;
  if (habits.upperBound === 'inclusive') return 'whole';
  if (asked.isNextDayAsked) {
    if (sinks.some(({ hasTimesOfNextDay }) => hasTimesOfNextDay)) habits.upperBound = 'inclusive';
    return 'whole';
  }
  if (sinks.some(({ hasTimesOfLastDay }) => hasTimesOfLastDay)) {
    habits.upperBound = 'inclusive';
    return 'whole';
  }
  const lastDay = { from: asked.to, to: asked.to };
  const rowCount = Math.max(...sinks.map((sink) => sink.rowsBetween(lastDay)));
  if (rowCount > 0 && !sinks.some(({ hasTimes }) => hasTimes)) {
    const allRows = Math.max(...sinks.map((sink) => sink.rowsBetween(asked)));
    if (isDateOnly(habits, allRows - rowCount)) return 'whole';
  }
  const twoDays = { ...lastDay, isNextDayAsked: true };
  let glance: RangeSink;
  try {
    glance = await lookAt(twoDays, rowCount, lists);
  } catch (error) {
    // The fault may be the next day's, and other lists may still tell whether bounds include their day.
    if (isOfTheList(error) && rowCount > 0) return { error };
    throw error;
  }
  // What the list lacks: all rows of the day, or those issued after its first moment.
  const isLacking = rowCount > 0 ? glance.hasTimesOfLastDay : glance.rowsBetween(lastDay) > 0;
  if (glance.hasTimesOfNextDay || !isLacking) {
    if (glance.hasTimesOfNextDay) habits.upperBound = 'inclusive';
    else if (!glance.hasTimesOfLastDay) isDateOnly(habits, rowCount);
    return 'whole';
  }
  // A list over several days may also lack its last day because it was cut.
  if (widthDays(asked) <= (habits.provedWidthDays ?? 1)) {
    habits.upperBound = 'exclusive';
    // From now on, lists are requested with one more day.
    habits.provedWidthDays = Math.max(1, (habits.provedWidthDays ?? 1) - 1);
  }
  return 'lacking';
}

/** Whether an error is about the list, not about the company or the connection. */
function isOfTheList(error: unknown): boolean {
  const kinds = [HttpStatusError, ReceiptIdError, ForeignReceiptError, UnexpectedBodyError];
  return kinds.some((kind) => error instanceof kind);
}

/** Counts rows without a time. Enough of them show that the bound includes its day. */
function isDateOnly(habits: ListHabits, rowCount: number): boolean {
  habits.rowsWithoutTime = (habits.rowsWithoutTime ?? 0) + rowCount;
  if (habits.rowsWithoutTime < ROWS_THAT_SHOW_DATES_ONLY) return false;
  habits.upperBound = 'inclusive';
  return true;
}

/** Reads the first page and the one right after as many rows as were read, where more of the day would be. */
async function lookAt(asked: AskedDays, rowCount: number, lists: Lists): Promise<RangeSink> {
  const source = lists.source(asked);
  const sink = lists.newSink(asked);
  const afterRows = rowCount > 0 ? [windowStartingAt(rowCount, MAX_PAGE_SIZE)] : [];
  const pages = await Promise.all([
    confirmedFirstPage(source),
    ...afterRows.map((window) => source.read(window, { isGlance: true })),
  ]);
  for (const page of pages) sink.add(page, 0);
  return sink;
}
