import { HttpStatusError, PagingFaultError, ResultWindowError } from '../../api/errors.ts';
import { isWidthRefused, noteDepth, noteRefused, withdrawBound } from '../../api/list/habits.ts';
import type { ListReading } from '../../api/list/read-list.ts';
import { type DayRange, isOneDay, isWithin, widthDays } from '../../time/days.ts';
import { daysBefore, daysWithBoth, goldenSection, halves, hasMoreOf, lostRows, troubleOf } from './divide.ts';
import { checkLastDay, hasRowsAlone, includesItsDay, learnOneDayLists } from './last-day.ts';
import { isAnswered, isBelieved, isCutSince, noteSeenWidth, seenWhole, unseenParts } from './list-width.ts';
import type { Lists } from './lists.ts';
import type { AskedDays, RangeSink } from './range-sink.ts';
import {
  type LongLength,
  type RangeOptions,
  type RangeResult,
  readCutDay,
  readOneDay,
  readSeveralDays,
  type WholeReading,
} from './read-days.ts';
import { findCut, mayBeCut } from './result-window.ts';

/**
 * Reads all receipts of some days as one list, as far as that list can be believed and time allows. Every day comes
 * back at most once, read or with its error:
 *
 * - A list that fails, is torn or has rows of other days is divided until the days at fault stand alone.
 * - A service may refuse wide ranges, answer them empty or cut them to their first or last days. So only the days
 *   between the first and the last one with rows are believed, unless a list as wide has had rows at both its ends
 *   before.
 * - A list that may have been cut after a number of rows is divided too.
 */
export async function readRange(
  range: DayRange,
  lists: Lists,
  options: RangeOptions = {},
): Promise<RangeResult[]> {
  const reading = new RangeReading(lists);
  await reading.read(range, options);
  await reading.readUnclearDays();
  for (const whole of reading.divided) reading.results.push(...daysWithBoth(whole, reading.results));
  return reading.results;
}

class RangeReading {
  readonly results: RangeResult[] = [];
  /** The lists that were read and then divided. */
  readonly divided: RangeSink[] = [];
  private readonly lists: Lists;
  /** Days that are whole only if bounds include their day, which was not known when they were read. */
  private readonly unclear: Extract<RangeResult, { kind: 'failed' }>[] = [];
  /** The list whose days are being read in narrower ones. */
  private wider: RangeSink | undefined;

  constructor(lists: Lists) {
    this.lists = lists;
  }

  /** Reads the range; tells whether nothing was wrong with its list. */
  async read(range: DayRange, options: RangeOptions = {}): Promise<boolean> {
    const { lists } = this;
    if (lists.tools.isTimeUp()) return false;
    const { habits } = lists;
    if (!isOneDay(range) && isWidthRefused(habits, widthDays(range))) return await this.readNarrower(range);
    const asked = options.paused?.asked ?? lists.asked(range, options.isProbablyEmpty);
    // A process that began the list knew it. Its parts must be asked for in the same way.
    if (asked.nextDay === 'excluded') habits.upperBound ??= 'exclusive';
    try {
      const readList = isOneDay(range) ? readOneDay : readSeveralDays;
      return await this.settle(range, asked, await readList(asked, lists, options));
    } catch (error) {
      if (lists.tools.signal.aborted) throw error;
      if (error instanceof PagingFaultError && !isOneDay(range)) return await this.readNarrower(range);
      // The day after them was asked for only to learn about the bound: its fault is not theirs.
      if (asked.nextDay === 'asked') return await this.read(range);
      // The provider may have changed both since: a day is a list of its own now, and two are too many.
      const isRefused = error instanceof HttpStatusError || error instanceof ResultWindowError;
      const areTwoTooMany = asked.nextDay === 'excluded' && isOneDay(range) && isRefused;
      if (areTwoTooMany && (await includesItsDay(asked, lists))) return await this.read(range);
      return await this.afterFailure(range, error);
    }
  }

  /** Accepts what a reading proves, and reads the rest in another way. */
  private async settle(
    range: DayRange,
    asked: AskedDays,
    reading: ListReading<RangeSink> | LongLength,
  ): Promise<boolean> {
    const { lists } = this;
    const { habits } = lists;
    if (reading.kind !== 'read') {
      this.results.push(reading.kind === 'paused' ? { ...reading, asked } : { ...reading, days: range });
      return false;
    }
    const [sink] = reading.sinks;
    if (sink === undefined) throw new TypeError('a list is read at least once');
    // Rows without a day may be the next day's.
    if (asked.nextDay === 'asked' && reading.sinks.some(({ undated }) => undated.length > 0))
      return await this.read(range);
    if (isOneDay(range)) {
      if (sink.rowsBetween(range) === 0 && (await hasRowsAlone(asked, lists))) return await this.read(range);
    } else {
      if (sink.listedCount === 0 && !isBelieved(asked, habits)) {
        if ((this.wider?.rowsBetween(range) ?? 0) > 0) return await this.readNarrower(range);
        // Not believed yet, so its last day need not be checked.
        return this.leaveUnproved(range, asked);
      }
      if (sink.dayById() === undefined) return await this.readNarrower(range);
      if (sink.hasRowsOfNoDay) return await this.isolateRows(range, sink);
    }
    // Bounds may exclude their day by now.
    if (habits.isBoundShown !== true && hasMoreOf(range.to, this.wider, reading.sinks)) withdrawBound(habits);
    const lastDay = await checkLastDay(asked, reading.sinks, lists);
    if (lastDay === 'whole') return await this.believe(range, asked, reading, sink);
    const before = daysBefore(range);
    const isClean = before === undefined || (await this.believe(before, asked, reading, sink));
    const last = { from: range.to, to: range.to };
    if (lastDay === 'lacking') return (await this.read(last)) && isClean;
    this.unclear.push({ kind: 'failed', days: last, ...lastDay });
    return isClean;
  }

  /** Reads the unclear days again if it is known by now whether bounds include their day; else they fail. */
  async readUnclearDays(): Promise<void> {
    const { lists } = this;
    const isKnown = () => lists.habits.upperBound !== undefined || lists.isOneDayBelieved;
    for (const day of this.unclear.splice(0)) {
      if (!isKnown()) await learnOneDayLists(day.days.to, day.error, lists);
      if (isKnown()) await this.read(day.days);
      else this.results.push(day);
    }
  }

  /** Once the last day is settled: checks for anything else that may hide days or rows of the range. */
  private async believe(
    range: DayRange,
    asked: AskedDays,
    reading: WholeReading,
    sink: RangeSink,
  ): Promise<boolean> {
    const { habits } = this.lists;
    const { listedCount, ends } = sink;
    if (reading.isStable && reading.sinks.length === 1) {
      if (mayBeCut(listedCount, habits)) {
        // Only lists of these days alone can show it.
        if (asked.nextDay === 'asked') return await this.read(range);
        const cut = await findCut(asked, sink, this.lists);
        if (cut === 'cut') habits.resultWindow = listedCount;
        if (cut !== 'whole' && !isOneDay(asked)) return await this.divide(range, sink);
        if (cut === 'cut' || (cut === 'unclear' && listedCount === habits.resultWindow)) {
          const slices = await readCutDay(asked, this.lists, listedCount);
          return slices !== undefined && this.deliver(range, { ...reading, sinks: slices });
        }
      }
      noteDepth(habits, listedCount);
    }
    if (ends !== undefined) noteSeenWidth(asked, ends, sink, habits);
    if (isOneDay(asked) || isAnswered(asked, habits)) {
      const isCut = await isCutSince(range, asked, sink, this.lists);
      return isCut ? await this.divide(range, sink) : this.deliver(range, reading);
    }
    if (ends === undefined && sink.foreign.size > 0) return await this.readNarrower(range);
    if (ends === undefined) return this.leaveUnproved(range, asked);
    const whole = seenWhole(asked, ends, sink);
    const seen = { from: whole.from, to: whole.to < range.to ? whole.to : range.to };
    if (seen.from <= seen.to) this.deliver(seen, reading);
    let isClean = true;
    for (const rest of unseenParts(range, seen, ends)) {
      isClean = (await this.read(rest, { isProbablyEmpty: !isOneDay(rest) })) && isClean;
    }
    return isClean;
  }

  private leaveUnproved(days: DayRange, asked: AskedDays): boolean {
    this.results.push({ kind: 'unproved', days, asked });
    return true;
  }

  private deliver(days: DayRange, reading: WholeReading): boolean {
    this.results.push({ ...reading, days });
    for (const [day, error] of reading.sinks.flatMap((sink) => sink.faults())) {
      if (isWithin(days, day)) this.results.push({ kind: 'failed', days: { from: day, to: day }, error });
    }
    return true;
  }

  private fail(days: DayRange, error: unknown): false {
    this.results.push({ kind: 'failed', days, error });
    return false;
  }

  private async afterFailure(range: DayRange, error: unknown): Promise<boolean> {
    const trouble = await troubleOf(range, error, this.lists);
    if (trouble === 'of no day') return this.fail(range, error);
    if (trouble === 'of one day') return await this.isolate(range);
    const areHalvesClean = await this.readNarrower(range);
    if (areHalvesClean && error instanceof HttpStatusError) noteRefused(this.lists.habits, widthDays(range));
    return areHalvesClean;
  }

  /** Reads days of a list over several: in two halves, or a single day alone. */
  private async readNarrower(range: DayRange): Promise<boolean> {
    if (isOneDay(range)) return await this.read(range);
    const [first, second] = halves(range);
    // The newer days first: they are what people wait for.
    const isSecondClean = await this.read(second);
    return (await this.read(first)) && isSecondClean;
  }

  /** At least one of these days is at fault. If it is none of the first ones, the others are not read whole. */
  private async isolate(range: DayRange): Promise<false> {
    if (isOneDay(range)) await this.read(range);
    else {
      const [first, second] = goldenSection(range);
      if (await this.read(first)) await this.isolate(second);
      else await this.read(second);
    }
    return false;
  }

  /** Reads the days of a list in narrower ones. */
  private async divide(range: DayRange, whole: RangeSink): Promise<boolean> {
    const { wider } = this;
    this.divided.push(whole);
    this.wider = whole;
    const isClean = await this.readNarrower(range);
    this.wider = wider;
    return isClean;
  }

  /** For a list with rows of no day: reads its days alone. A row that only the whole list had is a fault of its day. */
  private async isolateRows(range: DayRange, whole: RangeSink): Promise<boolean> {
    const { results, unclear, wider } = this;
    const [resultCount, unclearCount] = [results.length, unclear.length];
    this.wider = whole;
    await this.isolate(range);
    this.wider = wider;
    const narrower = [...results.slice(resultCount), ...unclear.slice(unclearCount)];
    const { lost, areDaysBelieved } = lostRows(range, whole, narrower, this.lists.context);
    if (!areDaysBelieved) [results.length, unclear.length] = [resultCount, unclearCount];
    results.push(...lost);
    return false;
  }
}
