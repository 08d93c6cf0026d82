import type { Direction } from '../../api/directions.ts';
import type { ListHabits } from '../../api/list/page.ts';
import type { ListTally } from '../../api/list/page-request.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import { type DayRange, dayNumber, daysBetween } from '../../time/days.ts';
import { type LongLength, widthDays } from './asked-days.ts';
import type { PausedList } from './range-sink.ts';
import { MOST_ROWS_OF_RANGE } from './read-several-days.ts';

/** Up to so many rows of days that are not needed are read along: they cost less than another list. */
const MOST_ROWS_OF_GAP = 200;
/** The same in days, while nothing is known about the company. */
const MOST_DAYS_OF_GAP = 31;
/** For reading ahead in one of several lists: the others keep the requests in flight. */
const PAGES_PER_STEP = 40;
/** Which part of a service's result window a list may fill: there must be room for receipts that came since. */
const PART_OF_WINDOW = 0.8;

export interface PlannedRange {
  days: DayRange;
  /** The days of these that are needed. */
  needed: readonly string[];
  /** Undefined if nothing is known about the company yet. This range is then read before others are planned. */
  expectedRows: number | undefined;
  /** What that says of the list's length. */
  length: ListLength | undefined;
  isProbablyEmpty: boolean;
}

/** A range of which nothing is known. */
export function alone(days: DayRange, needed: readonly string[]): PlannedRange {
  return { days, needed, expectedRows: undefined, length: undefined, isProbablyEmpty: false };
}

/**
 * Divides the days that are needed of one list into ranges, newest first, each with as many rows as one list should
 * have. Row counts come from what is stored of the days, or else from what was read so far; without either, one range
 * has all days.
 */
class RangePlan {
  /** The newest last. */
  private pending: string[];
  private readonly habits: ListHabits;
  private readonly knownRows: Map<string, number>;
  private readDays = 0;
  private readRows = 0;
  private rangesRead = 0;
  /** Rows per day of a list that was too long, until something better is known. */
  private density: { least: number; most: number } | undefined;
  /** Set once an empty list may have been cut. Says whether any list has had rows since. */
  private unproved: { hasRows: boolean } | undefined;

  constructor(days: readonly string[], knownRows: ReadonlyMap<string, number>, habits: ListHabits) {
    this.pending = [...new Set(days)].sort();
    this.knownRows = new Map(knownRows);
    this.habits = habits;
    for (const day of this.pending) {
      const rows = knownRows.get(day);
      if (rows === undefined) continue;
      this.readDays += 1;
      this.readRows += rows;
    }
  }

  next(): PlannedRange | undefined {
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

  /** A range was read to its end, and had so many rows. */
  noteRead(days: DayRange, rowCount: number): void {
    this.readDays += widthDays(days);
    this.readRows += rowCount;
    this.rangesRead += 1;
    if (this.unproved !== undefined && rowCount > 0) this.unproved.hasRows = true;
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

  putBack(days: Iterable<string>): void {
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

  private rowsOf(day: string): number | undefined {
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
    return Math.max(1, Math.min(widest, refusedWidthDays - 1));
  }
}

/**
 * Rows of a company's lists under way: enough to keep all its requests in flight while one list ends and another
 * begins.
 */
export const MOST_ROWS_AT_ONCE = 5 * MOST_ROWS_OF_RANGE;

/** A list that an earlier invocation read in part. */
export interface PausedReading {
  list: PausedList;
  /** Those of its days that are needed from it. */
  days: readonly string[];
  tally: ListTally;
}

/** One direction of a company. */
export interface ListToRead {
  direction: Direction;
  days: readonly string[];
  /** How many rows each day is known to have had. */
  knownRows?: ReadonlyMap<string, number>;
  paused?: readonly PausedReading[];
  /** Whether a list over these days came empty, and is to be asked for in parts. */
  isWidthUnproved?: boolean;
}

/** A range that is to be read. */
export interface Job {
  direction: Direction;
  plan: RangePlan;
  range: PlannedRange;
  paused?: PausedReading;
}

/** What of one list is still to be read. */
export class WaitingList {
  private readonly direction: Direction;
  private readonly plan: RangePlan;
  private readonly paused: PausedReading[];
  private next: PlannedRange | undefined;
  /** Set while a range is read whose length is not known: what comes after it depends on that. */
  private exploring: Job | undefined;

  constructor(
    { direction, days, knownRows = new Map(), paused = [], isWidthUnproved = false }: ListToRead,
    habits: ListHabits,
  ) {
    const resumed = new Set(paused.flatMap((list) => list.days));
    this.direction = direction;
    this.paused = [...paused];
    this.plan = new RangePlan(
      days.filter((day) => !resumed.has(day)),
      knownRows,
      habits,
    );
    if (isWidthUnproved) this.plan.noteUnproved();
  }

  /** A range that has probably no more rows; undefined when there is none now. */
  take(mostRows: number): Job | undefined {
    const { direction, plan } = this;
    const paused = this.paused.shift();
    if (paused !== undefined) {
      return { direction, plan, range: alone(paused.list.asked, paused.days), paused };
    }
    if (this.exploring !== undefined) return undefined;
    this.next ??= plan.next();
    if (this.next === undefined || rowsOf(this.next) > mostRows) return undefined;
    const job = { direction, plan, range: this.next };
    this.next = undefined;
    if (job.range.expectedRows === undefined) this.exploring = job;
    return job;
  }

  end(job: Job): void {
    if (this.exploring === job) this.exploring = undefined;
  }
}

/** How many rows it counts for among the ranges under way. */
export function rowsOf({ expectedRows = MOST_ROWS_OF_RANGE }: PlannedRange): number {
  return Math.min(expectedRows, MOST_ROWS_AT_ONCE);
}
