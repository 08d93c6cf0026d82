import {
  ForeignReceiptError,
  HttpStatusError,
  PagingFaultError,
  ReceiptIdError,
  UnexpectedBodyError,
} from '../../api/errors.ts';
import {
  fullPageRows,
  isDateOnly,
  isWidthShown,
  noteExclusive,
  noteInclusive,
  noteTimes,
  ROWS_THAT_SHOW_DATES_ONLY,
  withdrawBound,
} from '../../api/list/habits.ts';
import {
  type ListPage,
  MAX_PAGE_SIZE,
  type PageSource,
  windowHolding,
  windowOf,
} from '../../api/list/page.ts';
import { confirmedFirstPage } from '../../api/list/read-list.ts';
import { type IssueMoment, issueMoment } from '../../api/receipt.ts';
import { withScopedSignal } from '../../concurrency.ts';
import { addDays, type Day, isOneDay, widthDays } from '../../time/days.ts';
import { askedWidth } from './list-width.ts';
import type { Lists } from './lists.ts';
import type { AskedDays, RangeSink } from './range-sink.ts';
import { readOneDay } from './read-days.ts';
import { mayBeCut } from './result-window.ts';

/**
 * Whether the readings of a list have its last day whole. The contract does not say whether `FechaHasta` includes its
 * whole day, its first moment or nothing of it (§4.1). A list is believed to include it once a row from within a last
 * day has come; a list with rows, or of one day, once this process has seen such a row itself. Until then, a list over
 * that day and the next is looked at. If it has rows of the day that are lacking here, lists are requested with one more
 * day from then on, whose rows are left out. If it can't be read, or has a row without a day that is lacking here, an
 * error is returned: the day may be whole.
 */
export async function checkLastDay(
  asked: AskedDays,
  sinks: readonly RangeSink[],
  lists: Lists,
): Promise<'whole' | 'lacking' | { error: unknown }> {
  const { habits } = lists;
  if (sinks.some(({ hasTimes }) => hasTimes)) noteTimes(habits);
  if (lists.isOneDayBelieved && isOneDay(asked)) return 'whole';
  if (asked.nextDay !== 'notAsked') {
    if (sinks.some(({ hasTimesOfNextDay }) => hasTimesOfNextDay)) noteInclusive(habits);
    return 'whole';
  }
  if (sinks.some(({ hasTimesOfLastDay }) => hasTimesOfLastDay)) {
    noteInclusive(habits);
    return 'whole';
  }
  if (habits.upperBound !== 'inclusive') return await lookAtLastDay(asked, sinks, lists);
  // The provider may have changed it since it was proved. Most lists of a fleet are empty; where they are of several
  // days, rows known of the others show it.
  const isEmptyRange = !isOneDay(asked) && sinks.every(({ ends }) => ends === undefined);
  if (habits.isBoundShown === true || isEmptyRange) return 'whole';
  const found = await lookAtLastDay(asked, sinks, lists);
  return found === 'lacking' ? 'lacking' : 'whole';
}

async function lookAtLastDay(
  asked: AskedDays,
  sinks: readonly RangeSink[],
  lists: Lists,
): Promise<'whole' | 'lacking' | { error: unknown }> {
  const { habits } = lists;
  const lastDay = { from: asked.to, to: asked.to };
  const rowCount = Math.max(...sinks.map((sink) => sink.rowsBetween(lastDay)));
  if (rowCount > 0 && !sinks.some(({ hasTimes }) => hasTimes)) {
    const allRows = Math.max(...sinks.map((sink) => sink.rowsBetween(asked)));
    if (isDateOnly(habits, allRows - rowCount)) return 'whole';
  }
  let further: RangeSink | undefined;
  try {
    further = await lookFurther({ ...lastDay, nextDay: 'asked' }, rowCount, lists);
  } catch (error) {
    // The fault may be the next day's, and other lists may still tell whether bounds include their day.
    if (isOfTheList(error)) return { error };
    throw error;
  }
  if (further === undefined) return 'lacking';
  // What the list lacks: all rows of the day, or those issued after its first moment.
  const isLacking = rowCount > 0 ? further.hasTimesOfLastDay : further.rowsBetween(lastDay) > 0;
  if (further.hasTimesOfNextDay) {
    noteInclusive(habits);
    return 'whole';
  }
  if (!isLacking) {
    if (isDateOnly(habits, Math.min(rowCount, further.rowsBetween(lastDay)))) return 'whole';
    const undated = further.undated.find((id) => !sinks.some((sink) => sink.undated.includes(id)));
    if (undated === undefined) return 'whole';
    const reason = 'has no valid issue date, and may be of this day or of the next one';
    return { error: new ForeignReceiptError({ ...lists.context, day: asked.to }, undated, reason) };
  }
  // A list over several days may also lack its last day because it was cut.
  const isCut = !isOneDay(asked) && sinks.some(({ listedCount }) => mayBeCut(listedCount, habits));
  const isBoundShown = isWidthShown(habits, widthDays(asked)) && !isCut;
  if (isBoundShown && (await isLackingAlone(asked.to, rowCount, lists))) noteExclusive(habits);
  return 'lacking';
}

/** Whether the list of a day alone still lacks rows: they may have been issued after it was read. */
async function isLackingAlone(day: Day, rowCount: number, lists: Lists): Promise<boolean> {
  // Once: a service whose list comes empty now and then would be asked for ever.
  if (lists.recheckedDays.has(day)) return true;
  lists.recheckedDays.add(day);
  const alone = { from: day, to: day, nextDay: 'notAsked' } as const;
  if (rowCount > 0) return !(await includesItsDay(alone, lists));
  return (await confirmedFirstPage(lists.source(alone))).items.length === 0;
}

/** Whether an error is about the list, not about the company or the connection. */
function isOfTheList(error: unknown): boolean {
  const kinds = [HttpStatusError, PagingFaultError, ReceiptIdError, ForeignReceiptError, UnexpectedBodyError];
  return kinds.some((kind) => error instanceof kind);
}

/**
 * Reads as much of the list over a day and the next as tells what the list of the day alone lacks: its first page, and
 * the page with the row right after as many rows as that other list has. If these show too few rows of the day, since
 * the service lists the next day's first, all of it. Undefined if time is up before that.
 */
async function lookFurther(asked: AskedDays, rowCount: number, lists: Lists): Promise<RangeSink | undefined> {
  const sink = lists.newSink(asked);
  // Right even if the service gives pages of one size only.
  const next = windowHolding(rowCount, fullPageRows(lists.habits));
  const isEndIn = ({ items }: ListPage) => next.start + items.length <= rowCount;
  const readNext = async (source: PageSource): Promise<ListPage> => {
    const page = await source.read(next, { isGlance: true });
    // As with a first page: if it were wrong, rows would be lost.
    return isEndIn(page) ? await source.read(next, { isGlance: true }) : page;
  };
  const [first, after] = await withScopedSignal((signal) => {
    const source = lists.source(asked, {}, signal);
    return Promise.all([confirmedFirstPage(source), next.pageNumber === 1 ? undefined : readNext(source)]);
  });
  sink.add(first, 0);
  if (after !== undefined) sink.add(after, 0);
  const isShown = sink.hasTimesOfLastDay || sink.hasTimesOfNextDay;
  if (first.items.length === 0 || isShown) return sink;
  // Pages have become shorter: the second one is not where it was expected.
  const isClamped = first.items.length < Math.min(rowCount, next.pageSize);
  const areEnough = sink.rowsBetween(asked) >= ROWS_THAT_SHOW_DATES_ONLY;
  // A first page alone may have come short.
  if (after !== undefined && !isClamped && (areEnough || (first.items.length <= rowCount && isEndIn(after))))
    return sink;
  const reading = await readOneDay(asked, lists, {});
  return reading.kind === 'read' ? reading.sinks[0] : undefined;
}

/**
 * Whether a day that was empty together with the next one has rows alone: even two days may be too wide by now, and a
 * bound that excluded its day may include it. A list as wide that had rows shows that they are not.
 */
export async function hasRowsAlone(asked: AskedDays, lists: Lists): Promise<boolean> {
  const { habits } = lists;
  const isShown = askedWidth(asked, habits) <= (habits.shownWidthDays ?? 0);
  if (asked.nextDay === 'notAsked' || isShown) return false;
  const alone = await confirmedFirstPage(lists.source({ ...asked, nextDay: 'notAsked' }));
  const hasRows = alone.items.length > 0;
  if (hasRows && asked.nextDay === 'excluded') withdrawBound(habits);
  return hasRows;
}

/**
 * Whether the list of a day alone has rows from within it, although bounds excluded their day so far. Then they include
 * it by now.
 */
export async function includesItsDay({ from, to }: AskedDays, lists: Lists): Promise<boolean> {
  const moments = (await momentsIn(lists.source({ from, to, nextDay: 'notAsked' }), lists)) ?? [];
  const isIncluded = moments.some(({ day, isAfterMidnight }) => day === to && isAfterMidnight);
  if (isIncluded) noteInclusive(lists.habits);
  return isIncluded;
}

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
  const isWhole = await isOneDayListWhole(day, lists);
  if (isWhole === true) noteInclusive(lists.habits);
  // Only here: a company without rows shows nothing about the lists of others.
  if (isWhole === undefined) lists.isOneDayBelieved = true;
}

/**
 * Whether lists of one day have its rows, judged by the lists around the day that lack one of the bounds. If they have
 * a row issued after midnight, the list of that row's day must have such rows; if they have many rows without a time,
 * the list of the first one's day must have rows. Undefined if they have neither, or the service refuses them.
 */
async function isOneDayListWhole(day: Day, lists: Lists): Promise<boolean | undefined> {
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
    return items.flatMap((item) => issueMoment(item) ?? []);
  } catch (error) {
    if (tools.signal.aborted || !isOfTheList(error)) throw error;
    return undefined;
  }
}
