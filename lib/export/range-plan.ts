import type { ListHabits } from '../api/list/habits.ts';
import type { ListLength } from '../api/list/read-ahead.ts';
import { widthDays } from '../api/range/days-sink.ts';
import type { LongLength } from '../api/range/list-length.ts';
import { MOST_ROWS_OF_RANGE } from '../api/range/read-range.ts';
import type { DayRange } from '../time/day-ranges.ts';
import { dayNumber, daysBetween } from '../time/days.ts';

/** Rows of days that nobody asked for are read along up to here: they cost less than a list more. */
const MOST_ROWS_OF_GAP = 200;
/** The same in days, as long as nothing is known of the company. */
const MOST_DAYS_OF_GAP = 31;
/** A list that is to stay below the result window of a service has room for what came since. */
const PART_OF_WINDOW = 0.8;

export interface PlannedRange {
  days: DayRange;
  /** Those of them that are needed. */
  needed: readonly string[];
  /** Undefined when nothing is known of the company yet: then nothing else is planned before this is read. */
  expectedRows: number | undefined;
  /** What that says of the list's length. */
  length: ListLength | undefined;
  isProbablyEmpty: boolean;
}

/**
 * Makes ranges of the days that are needed of one list, the newest first, so that each has as many rows as one list
 * should have: by what is stored of the days, else by what was read so far, else all at once.
 */
export class RangePlan {
  /** The newest last. */
  private pending: string[];
  private readonly habits: ListHabits;
  private readonly knownRows: Map<string, number>;
  private readDays = 0;
  private readRows = 0;
  /** Of a list that was too long to be read: rows a day, as long as nothing better is known. */
  private density: { least: number; most: number } | undefined;
  /** Set once a list came empty that may have been cut; then whether one has had rows since. */
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

  /** Days that no range was made of yet. */
  get rest(): readonly string[] {
    return this.pending;
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
    if (this.unproved !== undefined && rowCount > 0) this.unproved.hasRows = true;
  }

  /** The list over these days was given up because it is so long; nothing that was known of them holds. */
  noteTooLong(days: DayRange, { leastRows, mostRows }: LongLength): void {
    const dayCount = widthDays(days);
    this.density = { least: leastRows / dayCount, most: mostRows / dayCount };
    this.readDays = 0;
    this.readRows = 0;
    for (const day of daysBetween(days.from, days.to)) this.knownRows.delete(day);
  }

  /** A list came empty that is wider than any that was proved to be answered: narrower ones have to be asked. */
  noteUnproved(): void {
    this.unproved = { hasRows: false };
  }

  putBack(days: Iterable<string>): void {
    this.pending = [...new Set([...this.pending, ...days])].sort();
  }

  private get rate(): number | undefined {
    return this.readDays === 0 ? this.density?.most : this.readRows / this.readDays;
  }

  private lengthOf(expectedRows: number | undefined): ListLength | undefined {
    const { density, readDays } = this;
    if (expectedRows === undefined) return undefined;
    if (density === undefined || readDays > 0) return { expectedRows };
    return { leastRows: (expectedRows * density.least) / density.most };
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
