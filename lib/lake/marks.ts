import { randomUUID } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import { type Day, MINUTE_MS } from '../time/days.ts';
import { LAGGING_FOLDER, markKey, markOf } from './layout.ts';
import { type LakeStore, replaceText } from './store/store.ts';
import type { Table } from './tables.ts';

/**
 * Marks: which days of the tables may lag behind their units (docs/decisions/0015). Whoever writes a unit puts one
 * before, under a name of its own that says until when it may write. Publication builds the days that have marks, and
 * removes a mark only if its moment had passed before it listed the day's units.
 */

/** An invocation of a Lambda takes no longer. A process that lives longer puts another one. */
const MARK_MS = 15 * MINUTE_MS;
/** A mark that runs out earlier than this serves no further write. */
const LEAST_LEFT_MS = 5 * MINUTE_MS;
/** The most that the clocks of a writer and a publisher may differ. */
const SKEW_MS = 5 * MINUTE_MS;

export interface Mark {
  key: string;
  table: Table;
  day: Day;
  /** By its writer's clock. */
  untilMs: number;
}

/** Marks the days that one process, or one invocation, writes to. */
export class Marks {
  private readonly store: LakeStore;
  private readonly runId: string;
  private readonly clock: Clock;
  /** The last of each day. */
  private readonly own = new Map<string, { untilMs: number; isPut: Promise<void> }>();

  constructor(store: LakeStore, { id }: { id: string }, clock: Clock) {
    this.store = store;
    this.runId = id;
    this.clock = clock;
  }

  /**
   * Does a write that will change a unit of that day. One that took longer than its mark allows, on a machine that
   * slept, is marked again: a publication may have removed the mark before the write took place.
   */
  async around<Written>(table: Table, day: Day, write: () => Promise<Written>): Promise<Written> {
    await this.mark(table, day, LEAST_LEFT_MS);
    try {
      return await write();
    } finally {
      await this.mark(table, day, 0);
    }
  }

  /** `leastLeftMs`: how long a mark that is there must still hold. */
  private async mark(table: Table, day: Day, leastLeftMs: number): Promise<void> {
    const marked = `${table.name} ${day}`;
    const now = this.clock.now();
    let last = this.own.get(marked);
    if (last === undefined || last.untilMs - now < leastLeftMs) {
      const untilMs = now + MARK_MS;
      const key = markKey(table.name, day, `${this.runId}-${untilMs}-${randomUUID().slice(0, 8)}`);
      const text = `${new Date(untilMs).toISOString()}\n`;
      const put = { untilMs, isPut: replaceText(this.store, key, text, undefined) };
      last = put;
      this.own.set(marked, put);
      // The next write tries again.
      put.isPut.catch(() => {
        if (this.own.get(marked) === put) this.own.delete(marked);
      });
    }
    await last.isPut;
  }
}

/** All marks of the lake, of each day together. */
export async function listMarks(store: LakeStore): Promise<Mark[]> {
  const marks: Mark[] = [];
  for await (const key of store.list(LAGGING_FOLDER)) {
    const mark = markOf(key);
    if (mark === undefined) continue;
    const { table, day, name } = mark;
    // What has no moment stays: its day is built each time.
    marks.push({ key, table, day, untilMs: Number(/-(\d{13})-[0-9a-f]{8}$/.exec(name)?.[1]) });
  }
  return marks;
}

/** Whether a publication that lists a day's units at this moment, or later, sees all that was written under the mark. */
export function isMarkOver({ untilMs }: Pick<Mark, 'untilMs'>, listedAtMs: number): boolean {
  return untilMs + SKEW_MS < listedAtMs;
}
