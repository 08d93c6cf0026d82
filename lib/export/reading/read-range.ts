import { HttpStatusError, NoAnswerError } from '../../api/errors.ts';
import { confirmedFirstPage, type TornReading } from '../../api/list/read-list.ts';
import type { DayRange } from '../../time/days.ts';
import {
  type AskedDays,
  askedDays,
  type DayReading,
  type DaysReader,
  type DaysSink,
  isOneDay,
  type LongLength,
  type RangeResult,
  type ReadingOptions,
  widthDays,
} from './asked-days.ts';
import {
  askedWidth,
  daysBefore,
  goldenSection,
  halves,
  isWidthProved,
  lostRows,
  seenWhole,
  troubleOf,
  unseenParts,
} from './divide.ts';
import { hasLastDayWhole } from './last-day.ts';
import { readCutDay, readOneDay } from './read-one-day.ts';
import { readSeveralDays } from './read-several-days.ts';
import { findCut, mayBeCut } from './result-window.ts';

export interface RangeOptions<Sink extends DaysSink> extends ReadingOptions<Sink> {
  /** Whether an earlier answer was empty. */
  isProbablyEmpty?: boolean;
  /** Whether a first try got no answer. A list over many days is worth a second one. */
  isSecondTry?: boolean;
}

/**
 * Reads all receipts of some days as one list, as far as that list can be believed. Every day comes back once, read or
 * with its error:
 *
 * - A list that fails, is torn or has rows of other days is divided until the days at fault stand alone.
 * - A service may refuse wide ranges, answer them empty or cut them to their first or last days. So only the days
 *   between the first and the last one with rows are believed, unless a list as wide has had rows at both its ends
 *   before.
 * - A list that may have been cut after a number of rows is divided too.
 */
export async function readRange<Sink extends DaysSink>(
  range: DayRange,
  reader: DaysReader<Sink>,
  options: RangeOptions<Sink> = {},
): Promise<RangeResult<Sink>[]> {
  const reading = new RangeReading(reader);
  await reading.read(range, options);
  return reading.results;
}

class RangeReading<Sink extends DaysSink> {
  readonly results: RangeResult<Sink>[] = [];
  private readonly reader: DaysReader<Sink>;

  constructor(reader: DaysReader<Sink>) {
    this.reader = reader;
  }

  /** Reads the range; tells whether nothing was wrong with its list. */
  async read(range: DayRange, options: RangeOptions<Sink> = {}): Promise<boolean> {
    const { habits, isTimeUp, signal } = this.reader;
    if (isTimeUp()) {
      this.results.push({ kind: 'left', days: range, reason: 'timeUp' });
      return false;
    }
    if (!isOneDay(range) && widthDays(range) >= (habits.refusedWidthDays ?? Number.POSITIVE_INFINITY)) {
      return await this.readHalves(range);
    }
    const asked = options.paused?.asked ?? askedDays(range, habits, options.isProbablyEmpty);
    try {
      const reading = isOneDay(range)
        ? await readOneDay(asked, this.reader, options)
        : await readSeveralDays(asked, this.reader, options);
      return await this.settle(range, asked, reading);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // The day after them was asked for only to learn about the bound: its fault is not theirs.
      if (asked.isNextDayAsked && habits.upperBound !== 'exclusive') return await this.read(range);
      const isSecondTry = options.isSecondTry === true;
      if (error instanceof NoAnswerError && !isOneDay(range) && !isSecondTry) {
        return await this.read(range, { ...options, isSecondTry: true });
      }
      return await this.afterFailure(range, error);
    }
  }

  /** Accepts what a reading proves, and reads the rest in another way. */
  private async settle(
    range: DayRange,
    asked: AskedDays,
    reading: DayReading<Sink> | TornReading | LongLength,
  ): Promise<boolean> {
    const { habits, sourceOf, newSink } = this.reader;
    if ('leastRows' in reading) {
      this.results.push({ kind: 'tooLong', days: range, length: reading });
      return false;
    }
    if (reading.kind === 'paused') {
      this.results.push({ kind: 'paused', asked, sink: reading.sink, position: reading.position });
      return false;
    }
    const [sink] = reading.kind === 'torn' ? [] : reading.sinks;
    if (reading.kind === 'torn' || sink === undefined) return await this.readHalves(range);
    if (isOneDay(range)) {
      if (sink.rowsBetween(range) === 0 && (await this.hasRowsAlone(range, asked)))
        return await this.read(range);
    } else {
      // Not to be believed yet, whatever the check of its last day would say.
      if (sink.listedCount === 0 && !isWidthProved(range, asked, sink, habits))
        return this.leaveUnproved(range);
      if (sink.dayById() === undefined) return await this.readHalves(range);
      if (sink.stray !== undefined || sink.undated.length > 0) return await this.isolateRows(range, sink);
    }
    if (!(await hasLastDayWhole(asked, reading.sinks, habits, sourceOf, newSink))) {
      const before = daysBefore(range);
      const isClean = before === undefined || (await this.believe(before, asked, reading, sink));
      return (await this.read({ from: range.to, to: range.to })) && isClean;
    }
    return await this.believe(range, asked, reading, sink);
  }

  /** Once the last day is settled: checks for anything else that may hide days or rows of the range. */
  private async believe(
    range: DayRange,
    asked: AskedDays,
    reading: Extract<DayReading<Sink>, { kind: 'read' }>,
    sink: Sink,
  ): Promise<boolean> {
    const { habits, sourceOf } = this.reader;
    const { listedCount } = sink;
    if (reading.isStable && reading.sinks.length === 1) {
      if (mayBeCut(listedCount, habits)) {
        const cut = await findCut(asked, sink, habits, sourceOf);
        if (cut === 'cut') habits.resultWindow = listedCount;
        if (cut !== 'whole' && !isOneDay(range)) return await this.readHalves(range);
        if (cut === 'cut' || (cut === 'unclear' && listedCount === habits.resultWindow)) {
          const slices = await readCutDay(asked, this.reader, listedCount);
          if (slices?.kind === 'read') return this.deliver(range, slices);
          this.results.push({ kind: 'left', days: range, reason: 'timeUp' });
          return false;
        }
      }
      habits.deepestRow = Math.max(habits.deepestRow ?? 0, listedCount);
      if (listedCount > (habits.resultWindow ?? Number.POSITIVE_INFINITY)) habits.resultWindow = undefined;
    }
    if (isOneDay(range) || isWidthProved(range, asked, sink, habits)) return this.deliver(range, reading);
    const { firstDay, lastDay } = sink;
    if (firstDay === undefined || lastDay === undefined) return this.leaveUnproved(range);
    const seen = seenWhole(asked, firstDay, lastDay, sink);
    if (seen.from <= seen.to) this.deliver(seen, reading);
    let isClean = true;
    for (const rest of unseenParts(range, seen, [firstDay, lastDay])) {
      isClean = (await this.read(rest, { isProbablyEmpty: !isOneDay(rest) })) && isClean;
    }
    return isClean;
  }

  private leaveUnproved(range: DayRange): boolean {
    this.results.push({ kind: 'left', days: range, reason: 'unproved' });
    return true;
  }

  /** Whether a day that was empty together with the next one has rows alone: even two days may be too wide. */
  private async hasRowsAlone(day: DayRange, asked: AskedDays): Promise<boolean> {
    const { habits, sourceOf } = this.reader;
    if (askedWidth(day, asked, habits) <= (habits.provedWidthDays ?? 1)) return false;
    const alone = await confirmedFirstPage(sourceOf({ ...asked, isNextDayAsked: false }));
    return alone.items.length > 0;
  }

  private deliver(days: DayRange, reading: Extract<DayReading<Sink>, { kind: 'read' }>): boolean {
    const { sinks, isStable, areReadings } = reading;
    this.results.push({ kind: 'read', days, sinks, areReadings, isStable });
    const faults = new Map(sinks.flatMap((sink) => [...sink.faults]));
    for (const [day, error] of faults) {
      if (day < days.from || day > days.to) continue;
      this.results.push({ kind: 'failed', days: { from: day, to: day }, error });
    }
    return true;
  }

  private async afterFailure(range: DayRange, error: unknown): Promise<boolean> {
    const trouble = troubleOf(range, error, this.reader.habits);
    if (isOneDay(range) || trouble === 'of no day') {
      this.results.push({ kind: 'failed', days: range, error });
      return false;
    }
    if (trouble === 'of one day') {
      await this.isolate(range);
      return false;
    }
    const areHalvesClean = await this.readHalves(range);
    if (areHalvesClean && error instanceof HttpStatusError) {
      const { habits } = this.reader;
      habits.refusedWidthDays = Math.min(
        habits.refusedWidthDays ?? Number.POSITIVE_INFINITY,
        widthDays(range),
      );
    }
    return areHalvesClean;
  }

  private async readHalves(range: DayRange): Promise<boolean> {
    if (isOneDay(range)) throw new RangeError(`the day ${range.from} has no halves`);
    const [first, second] = halves(range);
    // The newer days first: they are what people wait for.
    const isSecondClean = await this.read(second);
    return (await this.read(first)) && isSecondClean;
  }

  /** At least one of these days is at fault. If it is none of the first ones, the others are not read whole. */
  private async isolate(range: DayRange): Promise<void> {
    if (isOneDay(range)) {
      await this.read(range);
      return;
    }
    const [first, second] = goldenSection(range);
    if (await this.read(first)) await this.isolate(second);
    else await this.read(second);
  }

  /**
   * The list has rows without a day, or of a day that was not asked for: reads its days alone to find where they
   * belong. A row that the whole list had and none of the narrower ones has is a fault of its day.
   */
  private async isolateRows(range: DayRange, whole: Sink): Promise<boolean> {
    const isFirst = this.results.length;
    await this.isolate(range);
    this.results.push(...lostRows(range, whole, this.results.slice(isFirst), this.reader.context));
    return false;
  }
}
