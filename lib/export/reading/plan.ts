import { addDays, type Day, type DayRange, daysBetween, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { type KnownFacts, mustIncludeNextDay } from './service-facts.ts';

/** The most rows for a list over several days. Services that cut long lists show 10,000 rows or fewer. */
export const MOST_ROWS_OF_RANGE = 8_000;
/** Up to this many rows of days that are not needed are read too: they cost less than another list. */
const MOST_ROWS_OF_GAP = 200;
/** The most days of a gap, while nothing is known about the company. */
const MOST_DAYS_OF_GAP = 31;

/** The days of a company's direction that are to be read. */
export interface DaysToRead {
  direction: Direction;
  days: readonly Day[];
  /** How many rows each day is known to have had. */
  knownRows?: ReadonlyMap<Day, number>;
  /** About how many rows any other day has, if that is known. */
  rowsADay?: number | undefined;
}

/** Days to read as one list, if the service answers it. */
export interface PlannedRange {
  days: DayRange;
  /** The days of these that are needed, the newest first. */
  needed: readonly Day[];
  /** The rows that it is expected to have; undefined if nothing is known. */
  expectedRows: number | undefined;
}

/** Divides the days that are needed into ranges, the newest first (the plan of docs/decisions/0014-ranges-of-days.md). */
export class RangePlan {
  readonly direction: Direction;
  /** The newest last. */
  private pending: Day[];
  private readonly facts: KnownFacts;
  private readonly knownRows: Map<Day, number>;
  private readDays = 0;
  private readRows = 0;
  private expectedRowsADay: number | undefined;
  /** The most days of a range while nothing is known of their rows. */
  private mostDays = Number.POSITIVE_INFINITY;

  constructor({ direction, days, knownRows = new Map(), rowsADay }: DaysToRead, facts: KnownFacts) {
    this.direction = direction;
    this.pending = [...new Set(days)].sort();
    this.knownRows = new Map(knownRows);
    this.facts = facts;
    this.expectedRowsADay = rowsADay;
    for (const day of this.pending) {
      const rows = knownRows.get(day);
      if (rows !== undefined) this.noteRead(rows);
    }
  }

  /** Whether nothing is known of how many rows the days have: then one list is read alone. */
  get isExploring(): boolean {
    return this.rowsADay === undefined;
  }

  /** Notes how many rows a day that was read has. */
  noteRead(rowCount: number): void {
    this.readDays += 1;
    this.readRows += rowCount;
  }

  /** The list over these days is too long; nothing that was known of them holds. They are planned again. */
  noteTooLong(days: readonly Day[], needed: readonly Day[]): void {
    this.mostDays = Math.max(1, Math.min(days.length, this.mostDays) >> 1);
    this.readDays = 0;
    this.readRows = 0;
    this.expectedRowsADay = undefined;
    for (const day of days) this.knownRows.delete(day);
    this.pending = [...new Set([...this.pending, ...days.filter((day) => needed.includes(day))])].sort();
  }

  /** The newest of the days that are left; undefined when there are none. */
  next(): PlannedRange | undefined {
    const newest = this.pending.pop();
    if (newest === undefined) return undefined;
    let from = newest;
    const needed = [newest];
    let expectedRows = this.rowsOn(newest);
    for (let day = this.pending.at(-1); day !== undefined; day = this.pending.at(-1)) {
      const gap = daysBetween(addDays(day, 1), addDays(from, -1));
      const gapRows = gap.reduce((sum, gapDay) => sum + (this.rowsOn(gapDay) ?? 0), 0);
      const rows = this.rowsOn(day);
      const sum =
        expectedRows === undefined || rows === undefined ? undefined : expectedRows + gapRows + rows;
      const isGapTooLarge = rows === undefined ? gap.length > MOST_DAYS_OF_GAP : gapRows > MOST_ROWS_OF_GAP;
      const isTooWide = widthDays({ from: day, to: newest }) > this.widest;
      if (isTooWide || isGapTooLarge || (sum ?? 0) > MOST_ROWS_OF_RANGE) break;
      this.pending.pop();
      needed.push(day);
      from = day;
      expectedRows = sum;
    }
    return { days: { from, to: newest }, needed, expectedRows };
  }

  private get widest(): number {
    const byRows = this.rowsADay !== undefined ? Number.POSITIVE_INFINITY : this.mostDays;
    const proved = this.facts.provedWidthDays - Number(mustIncludeNextDay(this.facts));
    return Math.max(1, Math.min(byRows, proved));
  }

  private rowsOn(day: Day): number | undefined {
    return this.knownRows.get(day) ?? this.rowsADay;
  }

  private get rowsADay(): number | undefined {
    return this.readDays > 0 ? this.readRows / this.readDays : this.expectedRowsADay;
  }
}
