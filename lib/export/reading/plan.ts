import { type Day, type DayRange, dayNumber, isWithin, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { MOST_ROWS_OF_RANGE, type PausedList } from './company-lists.ts';
import type { ServiceFacts } from './facts.ts';
import type { ListOptions, TooLongList } from './rule.ts';

/** Up to this many rows of days that are not needed are read too: they cost less than another list. */
const MOST_ROWS_OF_GAP = 200;
/** The same in days, while nothing is known about the company. */
const MOST_DAYS_OF_GAP = 31;

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
}

/** Days to read as one list, if the service answers it. `expectedRows` is undefined if nothing is known yet. */
export interface PlannedRange extends ListOptions<PausedList> {
  days: DayRange;
  /** The days of these that are needed. */
  needed: readonly Day[];
}

/**
 * Divides the days that are needed of one list into ranges, newest first, each with as many rows as one list should
 * have. Row counts come from what is stored of the days, or else from what was read so far; without either, one range
 * has all days, and is read before others are planned.
 */
export class RangePlan {
  readonly direction: Direction;
  private readonly staged: StagedRange[];
  /** The newest last. */
  private pending: Day[];
  /** A range that there was no room for yet. */
  private planned: PlannedRange | undefined;
  private exploring: PlannedRange | undefined;
  private readonly facts: ServiceFacts;
  private readonly knownRows: Map<Day, number>;
  private readDays = 0;
  private readRows = 0;
  /** Ranges have at most as many days, until row counts say more. */
  private mostDays = Number.POSITIVE_INFINITY;

  constructor({ direction, days, knownRows = new Map(), staged = [] }: ListToRead, facts: ServiceFacts) {
    const resumed = new Set(staged.flatMap(({ needed }) => needed));
    this.direction = direction;
    this.staged = [...staged];
    this.pending = [...new Set(days).difference(resumed)].sort();
    this.knownRows = new Map(knownRows);
    this.facts = facts;
    for (const day of this.pending) {
      const rows = knownRows.get(day);
      if (rows === undefined) continue;
      this.readDays += 1;
      this.readRows += rows;
    }
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

  /** The range is known not to be too long, or was read, or given up. */
  end(range: PlannedRange): void {
    if (this.exploring === range) this.exploring = undefined;
  }

  /** While the range is read, others as wide may be. */
  noteFits(range: PlannedRange): void {
    this.mostDays = Math.min(this.mostDays, widthDays(range.days));
    this.end(range);
  }

  /** Notes how many rows a day that was read has. */
  noteRead(rowCount: number): void {
    this.readDays += 1;
    this.readRows += rowCount;
  }

  /** The list over these days is too long; nothing that was known of them holds. */
  noteTooLong({ asked, ends }: TooLongList): void {
    // A list that is narrower than need be costs less than one more that is too long.
    this.mostDays = Math.max(1, widthDays(asked) >> 2);
    // Where rows come in the order of their days, so many days have about as many rows as one list should have.
    const filledDays = ends === undefined ? Number.POSITIVE_INFINITY : Math.max(1, widthDays(ends) - 1);
    const isInOrder = 2 * filledDays <= widthDays(asked);
    this.readDays = isInOrder ? filledDays : 0;
    this.readRows = isInOrder ? MOST_ROWS_OF_RANGE : 0;
    for (const day of this.knownRows.keys()) if (isWithin(asked, day)) this.knownRows.delete(day);
  }

  putBack(days: Iterable<Day>): void {
    this.pending = [...new Set([...this.pending, ...days])].sort();
  }

  private next(): PlannedRange | undefined {
    const newest = this.pending.pop();
    if (newest === undefined) return undefined;
    const { rate } = this;
    let from = newest;
    const needed = [newest];
    let expectedRows = this.rowsOf(newest);
    for (let day = this.pending.at(-1); day !== undefined; day = this.pending.at(-1)) {
      const gapDays = dayNumber(from) - dayNumber(day) - 1;
      const gapRows = gapDays * (rate ?? 0);
      const rows = this.rowsOf(day);
      const sum =
        expectedRows === undefined || rows === undefined ? undefined : expectedRows + gapRows + rows;
      const isGapTooLarge = rate === undefined ? gapDays > MOST_DAYS_OF_GAP : gapRows > MOST_ROWS_OF_GAP;
      const isTooWide = widthDays({ from: day, to: newest }) > this.widestDays;
      if (isTooWide || isGapTooLarge || (sum !== undefined && sum > MOST_ROWS_OF_RANGE)) break;
      this.pending.pop();
      needed.push(day);
      from = day;
      expectedRows = sum;
    }
    return { days: { from, to: newest }, needed, expectedRows };
  }

  private get widestDays(): number {
    const byRows = this.readDays > 0 ? Number.POSITIVE_INFINITY : this.mostDays;
    return Math.max(1, Math.min(byRows, this.facts.widestDays));
  }

  /** Rows a day, as far as is known. */
  get rate(): number | undefined {
    return this.readDays === 0 ? undefined : this.readRows / this.readDays;
  }

  private rowsOf(day: Day): number | undefined {
    return this.knownRows.get(day) ?? this.rate;
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
