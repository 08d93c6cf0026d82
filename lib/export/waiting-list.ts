import type { Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/habits.ts';
import type { ListTally } from '../api/list/tally.ts';
import { MOST_ROWS_OF_RANGE } from '../api/range/read-range.ts';
import { type PlannedRange, RangePlan } from './range-plan.ts';
import { alone, type PausedList } from './read-days.ts';

/** Rows of a company's lists under way: enough to keep all its requests in flight while one list ends and another begins. */
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

/** How much room it takes among the ranges under way. */
export function rowsOf({ expectedRows = MOST_ROWS_OF_RANGE }: PlannedRange): number {
  return Math.min(expectedRows, MOST_ROWS_AT_ONCE);
}
