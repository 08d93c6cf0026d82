import type { DayRange } from '../../time/day-ranges.ts';
import { addDays } from '../../time/days.ts';
import {
  ApiDownError,
  ApiError,
  HttpStatusError,
  NoAnswerError,
  RedirectRefusedError,
  UnauthorizedError,
} from '../errors.ts';
import type { ListHabits } from '../list/reading.ts';
import { type AskedDays, type DaysSink, widthDays } from './asked-days.ts';

/** What may be wrong with a list that only some of its days are the cause of. */
export type Trouble = 'of one day' | 'of its width' | 'of no day';

/** A list that is refused or takes too long may be too wide, unless one as wide is known to be answered. */
export function troubleOf(range: DayRange, error: unknown, { provedWidthDays = 1 }: ListHabits): Trouble {
  if (!(error instanceof ApiError)) return 'of no day';
  const kinds = [UnauthorizedError, RedirectRefusedError, ApiDownError];
  if (kinds.some((kind) => error instanceof kind)) return 'of no day';
  if (error instanceof NoAnswerError && !error.isTimeout) return 'of no day';
  const mayBeWidth = error instanceof HttpStatusError || error instanceof NoAnswerError;
  return mayBeWidth && widthDays(range) > provedWidthDays ? 'of its width' : 'of one day';
}

/** The part of the golden section: then one bad day in `n` is found in at most 1.44 · log2(n) further lists. */
const SMALLER_PART = (3 - Math.sqrt(5)) / 2;

/** The first days, and the others; there are two days at least. */
export function splitAfter(range: DayRange, dayCount: number): [DayRange, DayRange] {
  const last = addDays(range.from, dayCount - 1);
  return [
    { from: range.from, to: last },
    { from: addDays(last, 1), to: range.to },
  ];
}

export function halves(range: DayRange): [DayRange, DayRange] {
  return splitAfter(range, Math.ceil(widthDays(range) / 2));
}

/** The smaller part comes first: when it is in order, the fault is in the other one, which is not asked for whole. */
export function goldenSection(range: DayRange): [DayRange, DayRange] {
  return splitAfter(range, Math.max(1, Math.round(widthDays(range) * SMALLER_PART)));
}

/** What lies before the last day of a range; nothing where that is its only one. */
export function daysBefore({ from, to }: DayRange): DayRange | undefined {
  return from === to ? undefined : { from, to: addDays(to, -1) };
}

/**
 * The days of a list that may have been cut, of which it surely has all rows: those from the first to the last one with
 * rows. These two may themselves have been cut in their middle, unless they are those that were asked for. Where the
 * day after them was asked too, the last one may have been cut behind its first moment.
 */
export function seenWhole(
  asked: AskedDays,
  firstDay: string,
  lastDay: string,
  {
    hasTimes,
    hasTimesOfLastDay,
    hasTimesOfNextDay,
  }: Pick<DaysSink, `hasTimes${'' | 'OfLastDay' | 'OfNextDay'}`>,
): DayRange {
  const isBehindFirstMoment = hasTimesOfLastDay || hasTimesOfNextDay || !hasTimes;
  const isLastWhole = lastDay === asked.to && (!asked.isNextDayAsked || isBehindFirstMoment);
  return {
    from: firstDay === asked.from ? firstDay : addDays(firstDay, 1),
    to: isLastWhole ? lastDay : addDays(lastDay, -1),
  };
}

/** The other days: those at the ends of the rows, which may have been cut in their middle, alone, and those without rows. */
export function unseenParts(range: DayRange, seen: DayRange, ends: readonly [string, string]): DayRange[] {
  const edges = [...new Set(ends)].filter((day) => day < seen.from || day > seen.to);
  return [
    { from: range.from, to: addDays(ends[0], -1) },
    ...edges.map((day) => ({ from: day, to: day })),
    { from: addDays(ends[1], 1), to: range.to },
  ].filter(({ from, to }) => from <= to);
}

/** Whether lists as wide are known to be answered whole. Notes how wide this one was, which had rows at both its ends. */
export function isWidthProved(
  range: DayRange,
  asked: AskedDays,
  sink: DaysSink,
  habits: ListHabits,
): boolean {
  const { firstDay, lastDay } = sink;
  if (firstDay !== undefined && lastDay !== undefined) {
    const width = Math.max(1, widthDays(seenWhole(asked, firstDay, lastDay, sink)));
    habits.provedWidthDays = Math.max(habits.provedWidthDays ?? 1, width);
    if (width >= (habits.refusedWidthDays ?? Number.POSITIVE_INFINITY)) habits.refusedWidthDays = undefined;
  }
  return askedWidth(range, asked, habits) <= (habits.provedWidthDays ?? 1);
}

/** Days that a list is asked for. Where the bound excludes its day, all lists are asked for a day more, and proved so. */
export function askedWidth(
  range: DayRange,
  { isNextDayAsked }: AskedDays,
  { upperBound }: ListHabits,
): number {
  return widthDays(range) + Number(isNextDayAsked && upperBound !== 'exclusive');
}
