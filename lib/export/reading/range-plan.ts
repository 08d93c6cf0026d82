import type { Direction } from '../../api/directions.ts';
import type { ListHabits } from '../../api/list/habits.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import { type Day, type DayRange, dayNumber, daysBetween, widthDays } from '../../time/days.ts';
import { type LongLength, MOST_ROWS_OF_RANGE, type PausedList, type RangeOptions } from './read-days.ts';

/** Up to this many rows of days that are not needed are read too: they cost less than another list. */
const MOST_ROWS_OF_GAP = 200;
/** The same in days, while nothing is known about the company. */
const MOST_DAYS_OF_GAP = 31;
/** For reading ahead in one of several lists: the others keep the requests in flight. */
const PAGES_PER_STEP = 40;
/** Which part of a service's result window a list may fill: there must be room for receipts that came since. */
const PART_OF_WINDOW = 0.8;

/** A list that an earlier invocation read in part. */
export interface StagedRange {
  paused: PausedList;
  /** The days still needed from it. */
  needed: readonly Day[];
}

/** One direction of a company. */
export interface ListToRead {
  direction: Direction;
  days: readonly Day[];
  /** How many rows each day is known to have had. */
  knownRows?: ReadonlyMap<Day, number>;
  staged?: readonly StagedRange[];
  /** Whether a list over these days came empty, and is to be asked for in parts. */
  isWidthUnproved?: boolean;
}

/** A range that is to be read. */
export interface PlannedRange extends RangeOptions {
  days: DayRange;
  /** The days of these that are needed. */
  needed: readonly Day[];
  /** Undefined if nothing is known about the company yet. This range is then read before others are planned. */
  expectedRows?: number;
}

/**
 * Divides the days that are needed of one list into ranges, newest first, each with as many rows as one list should
 * have. Row counts come from what is stored of the days, or else from what was read so far; without either, one range
 * has all days.
 */
export class RangePlan {
  readonly direction: Direction;
  private readonly staged: StagedRange[];
  /** The newest last. */
  private pending: Day[];
  /** A range that there was no room for yet. */
  private planned: PlannedRange | undefined;
  /** Set while a range is read whose length is not known: what comes after it depends on that. */
  private exploring: PlannedRange | undefined;
  private readonly habits: ListHabits;
  private readonly knownRows: Map<Day, number>;
  private readDays = 0;
  private readRows = 0;
  private rangesRead = 0;
  /** Rows per day of a list that was too long, until something better is known. */
  private density: { least: number; most: number } | undefined;
  /** Set once an empty list may have been cut. Says whether any list has had rows since. */
  private unproved: { hasRows: boolean } | undefined;
  /** The widest list to ask for once one was cut. */
  private widestUncut = Number.POSITIVE_INFINITY;

  constructor(
    { direction, days, knownRows = new Map(), staged = [], isWidthUnproved = false }: ListToRead,
    habits: ListHabits,
  ) {
    const resumed = new Set(staged.flatMap(({ needed }) => needed));
    this.direction = direction;
    this.staged = [...staged];
    this.pending = [...new Set(days).difference(resumed)].sort();
    this.knownRows = new Map(knownRows);
    this.habits = habits;
    for (const day of this.pending) {
      const rows = knownRows.get(day);
      if (rows === undefined) continue;
      this.readDays += 1;
      this.readRows += rows;
    }
    if (isWidthUnproved) this.noteUnproved();
  }

  /** A range that has probably no more rows; undefined when there is none now. */
  take(mostRows: number): PlannedRange | undefined {
    const staged = this.staged.shift();
    if (staged !== undefined) return { ...staged, days: staged.paused.asked };
    if (this.exploring !== undefined) return undefined;
    this.planned ??= this.next();
    const { planned } = this;
    if (planned === undefined || rowsOf(planned) > mostRows) return undefined;
    this.planned = undefined;
    if (planned.expectedRows === undefined) this.exploring = planned;
    return planned;
  }

  /** The range was read, or given up. */
  end(range: PlannedRange): void {
    if (this.exploring === range) this.exploring = undefined;
  }

  private next(): PlannedRange | undefined {
    const newest = this.pending.pop();
    if (newest === undefined) return undefined;
    const most = this.mostRows;
    const widest = this.widestDays;
    let from = newest;
    const needed = [newest];
    let expectedRows = this.rowsOf(newest);
    for (let day = this.pending.at(-1); day !== undefined; day = this.pending.at(-1)) {
      const gapDays = dayNumber(from) - dayNumber(day) - 1;
      const { rate } = this;
      const gapRows = gapDays * (rate ?? 0);
      const isGapTooLarge = rate === undefined ? gapDays > MOST_DAYS_OF_GAP : gapRows > MOST_ROWS_OF_GAP;
      const rows = this.rowsOf(day);
      const sum =
        expectedRows === undefined || rows === undefined ? undefined : expectedRows + gapRows + rows;
      const isTooWide = widthDays({ from: day, to: newest }) > widest;
      if (isTooWide || isGapTooLarge || (sum !== undefined && sum > most)) break;
      this.pending.pop();
      needed.push(day);
      from = day;
      expectedRows = sum;
    }
    const isProbablyEmpty = this.unproved?.hasRows === false;
    const days = { from, to: newest };
    return { days, needed, expectedRows, length: this.lengthOf(expectedRows), isProbablyEmpty };
  }

  /** Notes that a range was read to its end and had this many rows. */
  noteRead(days: DayRange, rowCount: number): void {
    this.readDays += widthDays(days);
    this.readRows += rowCount;
    this.rangesRead += 1;
    if (this.unproved !== undefined && rowCount > 0) this.unproved.hasRows = true;
  }

  /** Of the days that are known to have rows, the one with the most among those that a list lacks. */
  lacking({ from, to }: DayRange, isLacking: (day: Day) => boolean): Day | undefined {
    let lacking: Day | undefined;
    let most = 0;
    for (const day of daysBetween(from, to)) {
      const rows = this.knownRows.get(day) ?? 0;
      if (rows > most && isLacking(day)) [lacking, most] = [day, rows];
    }
    return lacking;
  }

  /** The list over these days was given up because it is so long; nothing that was known of them holds. */
  noteTooLong(days: DayRange, { leastRows, mostRows }: LongLength): void {
    const dayCount = widthDays(days);
    this.density = { least: leastRows / dayCount, most: mostRows / dayCount };
    this.readDays = 0;
    this.readRows = 0;
    this.rangesRead = 0;
    for (const day of daysBetween(days.from, days.to)) this.knownRows.delete(day);
  }

  /** An empty list was wider than any that is known to be answered: narrower ones are needed. */
  noteUnproved(): void {
    this.unproved = { hasRows: false };
  }

  /** A list lacked days that have rows, so its width counts as refused: from now on, lists are at most half as wide. */
  noteCut(): void {
    const { refusedWidthDays = this.widestUncut } = this.habits;
    this.widestUncut = Math.floor(refusedWidthDays / 2);
  }

  putBack(days: Iterable<Day>): void {
    this.pending = [...new Set([...this.pending, ...days])].sort();
  }

  private get rate(): number | undefined {
    if (this.readDays === 0) return this.density?.most;
    // Of several lists under way, those of the quieter days end first.
    const least = (this.density?.most ?? 0) / (1 + 2 * this.rangesRead);
    return Math.max(least, this.readRows / this.readDays);
  }

  private lengthOf(expectedRows: number | undefined): ListLength | undefined {
    const { density, readDays } = this;
    if (expectedRows === undefined) return undefined;
    if (density === undefined || readDays > 0) return { expectedRows };
    return { leastRows: (expectedRows * density.least) / density.most, pagesPerStep: PAGES_PER_STEP };
  }

  private rowsOf(day: Day): number | undefined {
    return this.knownRows.get(day) ?? this.rate;
  }

  private get mostRows(): number {
    const { resultWindow } = this.habits;
    const window = resultWindow === undefined ? Number.POSITIVE_INFINITY : resultWindow * PART_OF_WINDOW;
    return Math.min(MOST_ROWS_OF_RANGE, window);
  }

  private get widestDays(): number {
    const { provedWidthDays = 1, refusedWidthDays = Number.POSITIVE_INFINITY, upperBound } = this.habits;
    // As long as the bound is not known, what is probably empty is asked for together with the day after it.
    const empty = provedWidthDays - Number(upperBound === undefined);
    const unproved = this.unproved === undefined ? Number.POSITIVE_INFINITY : empty;
    const widest = this.unproved?.hasRows === true ? 2 * provedWidthDays : unproved;
    return Math.max(1, Math.min(widest, refusedWidthDays - 1, this.widestUncut));
  }
}

/**
 * Rows of a company's lists under way: enough to keep all its requests in flight while one list ends and another
 * begins.
 */
export const MOST_ROWS_AT_ONCE = 5 * MOST_ROWS_OF_RANGE;

/** The rows that a range counts as, among the ranges under way. */
export function rowsOf({ expectedRows = MOST_ROWS_OF_RANGE }: PlannedRange): number {
  return Math.min(expectedRows, MOST_ROWS_AT_ONCE);
}
