import {
  isWidthProved,
  isWidthShown,
  type ListHabits,
  noteProved,
  ROWS_THAT_SHOW_DATES_ONLY,
  withdrawProof,
} from '../../api/list/habits.ts';
import type { IssueMoment } from '../../api/receipt.ts';
import { addDays, type DayRange, isWithin, widthDays } from '../../time/days.ts';
import type { Lists } from './lists.ts';
import { type AskedDays, bounds, type RangeSink } from './range-sink.ts';

/**
 * The days that a list surely has all rows of, although it may have been cut: those between its first and its last day
 * with rows. These two days themselves may have been cut in the middle, unless they are the ends of the range asked
 * for. If the day after the range was asked for too, the last day may have been cut after its first moment.
 */
export function seenWhole(asked: AskedDays, { from: first, to: last }: DayRange, sink: RangeSink): DayRange {
  // A list cut after the last day's first moment has only midnight rows of it: rows before it must show dates alone.
  const rowsBefore = sink.rowsBetween({ from: first, to: addDays(last, -1) });
  const isDateOnly = !sink.hasTimes && rowsBefore >= ROWS_THAT_SHOW_DATES_ONLY;
  const isBehindFirstMoment = isPastFirstMoment(sink) || isDateOnly;
  const isLastWhole = last === asked.to && (asked.nextDay === 'notAsked' || isBehindFirstMoment);
  return {
    from: first === asked.from ? first : addDays(first, 1),
    to: isLastWhole ? last : addDays(last, -1),
  };
}

/**
 * The other days of a range: each end of the rows on its own, since it may have been cut in the middle, and the days
 * without rows.
 */
export function unseenParts(
  range: DayRange,
  seen: DayRange,
  { from: first, to: last }: DayRange,
): DayRange[] {
  const edges = [...new Set([first, last])].filter((day) => isWithin(range, day) && !isWithin(seen, day));
  return [
    { from: range.from, to: addDays(first, -1) },
    ...edges.map((day) => ({ from: day, to: day })),
    { from: addDays(last, 1), to: range.to },
  ].filter(({ from, to }) => from <= to);
}

/** Notes how wide a list was answered: between its first and its last day with rows. */
export function noteSeenWidth(asked: AskedDays, ends: DayRange, sink: RangeSink, habits: ListHabits): void {
  // Bounds were found to exclude their day after this list was asked for: lists as wide now ask for one more day.
  const lacking = Number(habits.upperBound === 'exclusive' && asked.nextDay === 'notAsked');
  noteProved(habits, Math.max(1, widthDays(seenWhole(asked, ends, sink)) - lacking));
}

/**
 * Whether a list lacks rows at its ends that lists of those days alone have. Where only earlier runs have shown that
 * lists as wide are answered, the provider may have limited them since; that proof is then withdrawn.
 */
export async function isCutSince(
  range: DayRange,
  asked: AskedDays,
  sink: RangeSink,
  lists: Lists,
): Promise<boolean> {
  const { ends, foreign } = sink;
  if (ends === undefined || isWidthShown(lists.habits, widthDays(range))) return false;
  const isAnyShown = async (): Promise<boolean> => {
    for (const days of daysWithoutRows(range, ends)) {
      const isSought = ({ day }: IssueMoment) => isWithin(days, day) && !foreign.has(day);
      if (await lists.showsRowsOf(days, isSought)) return true;
    }
    // If it was cut before the day after them, its bound may include the last day's first moment alone.
    const isLastInDoubt = asked.nextDay === 'excluded' && ends.to === range.to && !isPastFirstMoment(sink);
    if (!isLastInDoubt || lists.habits.hasTimes !== true) return false;
    const last = { from: range.to, to: range.to };
    return await lists.showsRowsOf(last, ({ day, isAfterMidnight }) => isAfterMidnight && day === range.to);
  };
  const isCut = await isAnyShown();
  if (isCut) withdrawProof(lists.habits, widthDays(range));
  return isCut;
}

function isPastFirstMoment({ hasTimesOfLastDay, hasTimesOfNextDay }: RangeSink): boolean {
  return hasTimesOfLastDay || hasTimesOfNextDay;
}

/** Lists that are asked for at each end without rows. */
const MOST_PARTS = 3;

/**
 * The days before and after the rows, those next to them first. Each part is no wider than what a list that was cut
 * still has: from its first row to its last day, or from its first day to its last row.
 */
function* daysWithoutRows({ from, to }: DayRange, ends: DayRange): Generator<DayRange> {
  const lastDays = widthDays({ from: ends.from, to });
  let last = addDays(ends.from, -1);
  for (let part = 0; part < MOST_PARTS && last >= from; part += 1) {
    const first = addDays(last, 1 - lastDays);
    yield { from: first < from ? from : first, to: last };
    last = addDays(first, -1);
  }
  const firstDays = widthDays({ from, to: ends.to });
  let first = addDays(ends.to, 1);
  for (let part = 0; part < MOST_PARTS && first <= to; part += 1) {
    const end = addDays(first, firstDays - 1);
    yield { from: first, to: end > to ? to : end };
    first = addDays(end, 1);
  }
}

/** Days that a list is asked for. If the bound excludes its day, that day doesn't count. */
export function askedWidth(asked: AskedDays, { upperBound }: ListHabits): number {
  return widthDays(bounds(asked)) - Number(upperBound === 'exclusive');
}

/** Whether an empty list is believed at once: lists as wide are answered, and one of this process has shown it. */
export function isBelieved(asked: AskedDays, habits: ListHabits): boolean {
  return isAnswered(asked, habits) && isWidthShown(habits, askedWidth(asked, habits));
}

/** Whether an empty list is believed in the end: lists as wide are known to be answered, with their last day. */
export function isEmptyProved(asked: AskedDays, habits: ListHabits): boolean {
  return isAnswered(asked, habits) && (asked.nextDay !== 'notAsked' || habits.upperBound === 'inclusive');
}

/** Whether lists as wide are known to be answered whole. */
export function isAnswered(asked: AskedDays, habits: ListHabits): boolean {
  return isWidthProved(habits, askedWidth(asked, habits));
}
