import {
  ApiDownError,
  ApiError,
  ForeignReceiptError,
  HttpStatusError,
  NoAnswerError,
  RedirectRefusedError,
  type RequestContext,
  UnauthorizedError,
} from '../../api/errors.ts';
import { isWidthProved } from '../../api/list/habits.ts';
import { MAX_PAGE_SIZE, windowOf } from '../../api/list/page.ts';
import {
  addDays,
  type Day,
  type DayRange,
  daysBetween,
  isOneDay,
  isWithin,
  rangeText,
  widthDays,
} from '../../time/days.ts';
import type { Lists } from './lists.ts';
import type { RangeSink } from './range-sink.ts';
import type { RangeResult, ReadDays } from './read-days.ts';

/** Which part of a list's days may have caused its failure. */
export type Trouble = 'of one day' | 'of its width' | 'of no day';

/** A list over several days that is refused or takes too long may be too wide, unless one as wide was answered before. */
export async function troubleOf(range: DayRange, error: unknown, lists: Lists): Promise<Trouble> {
  if (isOneDay(range) || !(error instanceof ApiError)) return 'of no day';
  const kinds = [UnauthorizedError, RedirectRefusedError, ApiDownError];
  if (kinds.some((kind) => error instanceof kind)) return 'of no day';
  if (error instanceof NoAnswerError && !error.isTimeout) return 'of no day';
  if (await isOfTheCompany(range, error, lists)) return 'of no day';
  const mayBeWidth = error instanceof HttpStatusError || error instanceof NoAnswerError;
  return mayBeWidth && !isWidthProved(lists.habits, widthDays(range)) ? 'of its width' : 'of one day';
}

/** Statuses that are mostly about the company or the address. */
const REFUSALS: ReadonlySet<number> = new Set([403, 404]);

/** Whether a refusal has nothing to do with the list's days: its last and its first day alone are refused too. */
async function isOfTheCompany(range: DayRange, error: unknown, lists: Lists): Promise<boolean> {
  if (!(error instanceof HttpStatusError && REFUSALS.has(error.status))) return false;
  for (const day of [range.to, range.from]) {
    try {
      await lists.source(lists.asked({ from: day, to: day })).read(windowOf(1, MAX_PAGE_SIZE));
      return false;
    } catch (failure) {
      if (lists.tools.signal.aborted) throw failure;
      if (!(failure instanceof HttpStatusError && failure.status === error.status)) return false;
    }
  }
  return true;
}

/** By the golden section, one bad day of `n` is found with at most 1.44 · log2(n) more lists. */
const SMALLER_PART = (3 - Math.sqrt(5)) / 2;

/** The first `dayCount` days, and the rest. The range has at least two days. */
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

/** The smaller part comes first. If nothing is wrong with it, the fault is in the other, which is not read whole. */
export function goldenSection(range: DayRange): [DayRange, DayRange] {
  return splitAfter(range, Math.max(1, Math.round(widthDays(range) * SMALLER_PART)));
}

/** The days before the last one; undefined if it is the only one. */
export function daysBefore(range: DayRange): DayRange | undefined {
  return isOneDay(range) ? undefined : { from: range.from, to: addDays(range.to, -1) };
}

/** Whether a wider list had more rows of a day than each of these readings. */
export function hasMoreOf(day: Day, wider: RangeSink | undefined, sinks: readonly RangeSink[]): boolean {
  const rowsIn = (sink: RangeSink) => sink.rowsBetween({ from: day, to: day });
  return wider !== undefined && sinks.every((sink) => rowsIn(sink) < rowsIn(wider));
}

/**
 * A failure for each row that the whole list had and none of these narrower ones has. If it is a row without a day, none
 * of the days is to be believed: it may be of any of them, also of one that there was no time for.
 */
export function lostRows(
  range: DayRange,
  whole: RangeSink,
  narrower: readonly RangeResult[],
  context: RequestContext,
): { lost: RangeResult[]; areDaysBelieved: boolean } {
  const found = new Set<bigint>();
  const daysOf = new Map<RangeResult['kind'], Set<Day>>();
  for (const result of narrower) {
    if (result.kind === 'paused') continue;
    const days = daysOf.get(result.kind) ?? new Set();
    daysOf.set(result.kind, days);
    for (const day of daysBetween(result.days.from, result.days.to)) days.add(day);
    if (result.kind !== 'read') continue;
    for (const sink of result.sinks) {
      for (const id of sink.dayById()?.keys() ?? []) found.add(id);
      for (const id of sink.undated) found.add(BigInt(id));
    }
  }
  const lostOn = (days: DayRange, id: bigint | number): RangeResult => {
    const reason = 'is in the list of several days, and in none of those of each day alone';
    const error = new ForeignReceiptError({ ...context, day: rangeText(days) }, id, reason);
    return { kind: 'failed', days, error };
  };
  const failedDays = daysOf.get('failed') ?? new Set();
  const undated = whole.undated.find((id) => !found.has(BigInt(id)));
  // It may be of a day that fails already.
  if (undated !== undefined && failedDays.size === 0) {
    const askedDays = daysOf.values().reduce((all, days) => all.union(days), new Set<Day>());
    const isTimeUp = askedDays.size < widthDays(range);
    return { lost: isTimeUp ? [] : [lostOn(range, undated)], areDaysBelieved: false };
  }
  const readDays = (daysOf.get('read') ?? new Set()).difference(failedDays);
  const dated = [...(whole.dayById() ?? [])].filter(
    ([id, day]) => !found.has(id) && readDays.has(day) && isWithin(range, day),
  );
  return { lost: dated.map(([id, day]) => lostOn({ from: day, to: day }, id)), areDaysBelieved: true };
}

/**
 * The days of narrower lists that lack rows which the whole list had, with the rows of both: a row may have left
 * meanwhile, or the narrower list may have been cut. A row that another day has by now has moved there. Days that failed
 * are left out.
 */
export function daysWithBoth(whole: RangeSink, narrower: readonly RangeResult[]): ReadDays[] {
  const read = new Map<Day, ReadDays>();
  for (const result of narrower) {
    if (result.kind !== 'read' && result.kind !== 'failed') continue;
    for (const day of daysBetween(result.days.from, result.days.to)) {
      if (result.kind === 'read') read.set(day, result);
      else read.delete(day);
    }
  }
  const found = new Set([...read].flatMap(([day, { sinks }]) => sinks.flatMap((sink) => idsOf(sink, day))));
  return [...read].flatMap(([day, result]) => {
    if (idsOf(whole, day).every((id) => found.has(id))) return [];
    return [{ ...result, days: { from: day, to: day }, sinks: [...result.sinks, whole], isStable: false }];
  });
}

function idsOf(sink: RangeSink, day: Day): bigint[] {
  const rows = sink.rowsOf(day);
  return Array.from({ length: rows.rowCount }, (_, row) => rows.id(row));
}
