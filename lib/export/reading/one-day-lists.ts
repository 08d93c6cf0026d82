import { HttpStatusError } from '../../api/errors.ts';
import { MAX_PAGE_SIZE, type PageSource, windowOf } from '../../api/list/page.ts';
import { type IssueMoment, issueMoment } from '../../api/receipt.ts';
import { addDays, type Day } from '../../time/days.ts';
import { ROWS_THAT_SHOW_DATES_ONLY } from './divide.ts';
import { isOfTheList } from './last-day.ts';
import type { Lists } from './lists.ts';

/** Far enough from a day at fault that it is not at fault for the same reason. */
const DAYS_APART = 31;

/**
 * For a day whose list is empty, at a service that refused the list over that day and the next. If it refuses two much
 * earlier days too, it answers lists of one day only: they are believed, else nobody could read that service. But if it
 * answers lists without a bound, and one shows a row, the list of that row's day must have such rows.
 */
export async function learnOneDayLists(day: Day, refusal: unknown, lists: Lists): Promise<void> {
  if (!(refusal instanceof HttpStatusError)) return;
  const earlier = addDays(day, -DAYS_APART);
  const twoDays = { from: earlier, to: addDays(earlier, 1), nextDay: 'notAsked' } as const;
  try {
    await lists.source(twoDays).read(windowOf(1, MAX_PAGE_SIZE));
    return;
  } catch (error) {
    if (lists.tools.signal.aborted) throw error;
    if (!(error instanceof HttpStatusError)) return;
  }
  const hasRows = await hasOneDayItsRows(day, lists);
  if (hasRows === true) lists.habits.upperBound = 'inclusive';
  // Only here: a company without rows shows nothing about the lists of others.
  if (hasRows === undefined) lists.isOneDayBelieved = true;
}

/**
 * Looks at the lists around the day that lack one of the bounds. A row that was issued after midnight tells: the list of
 * its day must have such rows. So do many rows without a time, if the list of the first one's day has rows. Undefined
 * if there are none, or the service refuses these lists.
 */
async function hasOneDayItsRows(day: Day, lists: Lists): Promise<boolean | undefined> {
  for (const bound of [{ FechaDesde: day }, { FechaHasta: day }]) {
    const moments = (await momentsIn(lists.openSource(bound), lists)) ?? [];
    const timed = moments.find(({ isAfterMidnight }) => isAfterMidnight);
    const witness = timed ?? (moments.length < ROWS_THAT_SHOW_DATES_ONLY ? undefined : moments[0]);
    if (witness === undefined) continue;
    const alone = lists.source({ from: witness.day, to: witness.day, nextDay: 'notAsked' });
    const found = await momentsIn(alone, lists);
    return found?.some(({ isAfterMidnight }) => isAfterMidnight || timed === undefined);
  }
  return undefined;
}

/** When the first page's rows were issued; undefined if that cannot be read. */
async function momentsIn(source: PageSource, { tools }: Lists): Promise<IssueMoment[] | undefined> {
  try {
    const { items } = await source.read(windowOf(1, MAX_PAGE_SIZE));
    return items.flatMap((item) => {
      const moment = typeof item === 'object' && item !== null ? issueMoment(item) : undefined;
      return moment === undefined ? [] : [moment];
    });
  } catch (error) {
    if (tools.signal.aborted || !isOfTheList(error)) throw error;
    return undefined;
  }
}
