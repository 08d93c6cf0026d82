import { randomUUID } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import { type Day, MINUTE_MS } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { LAGGING_FOLDER, markKey, markOf, STORE_CLOCK_KEY } from './layout.ts';
import { isRace, type LakeStore, replaceText, type StoredObject } from './store/store.ts';
import { publishedUnits, shortFingerprint } from './stored-rows.ts';
import type { Table } from './tables.ts';

/**
 * Marks: which days of the tables may lag behind their units (docs/decisions/0015). Whoever writes a unit puts one
 * before, under a name of its own, and writes under it for a limited time. Publication builds the days that have marks,
 * and removes a mark only if that time had passed, by the store's clock, before it listed the day's units.
 */

/** An invocation of a Lambda takes no longer. A process that lives longer puts another one. */
const MARK_MS = 15 * MINUTE_MS;
/** A mark that runs out earlier than this serves no further write. */
const LEAST_LEFT_MS = 5 * MINUTE_MS;
/** The most that two moments of a store differ from its true time. S3 tells whole seconds. */
const STORE_SKEW_MS = MINUTE_MS;

export interface Mark {
  key: string;
  table: Table;
  day: Day;
  /** When it was put, by the store's clock. */
  storedAtMs: number;
}

interface PutMark {
  /** The moment before it was put, by either clock of this machine. */
  wallMs: number;
  monotonicMs: number;
  isPut: Promise<void>;
}

/** Marks the days that one process, or one invocation, writes to or finds unpublished. */
export class Marks {
  private readonly store: LakeStore;
  private readonly runId: string;
  private readonly clock: Clock;
  /** The last of each day. */
  private readonly putMarks = new Map<string, PutMark>();
  /** The units of each day's object, as it was when first asked for. */
  private readonly published = new Map<string, Promise<string>>();

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

  /** Marks the day unless its object has the unit as it is stored. */
  async unlessPublished(table: Table, day: Day, rut: Rut, unit: StoredObject): Promise<void> {
    const name = rut + shortFingerprint(await this.store.fingerprintOf(unit));
    if (!(await this.publishedNames(table, day)).includes(name)) await this.mark(table, day, LEAST_LEFT_MS);
  }

  /** RUT and fingerprint of each unit, in one text: a run may keep a year of days. */
  private publishedNames(table: Table, day: Day): Promise<string> {
    const asked = `${table.name} ${day}`;
    const names =
      this.published.get(asked) ??
      publishedUnits(this.store, table, day).then(
        (units) => [...units].map(([rut, { fingerprint }]) => rut + fingerprint).join(' '),
        // Publication says what is wrong with it.
        () => '',
      );
    this.published.set(asked, names);
    return names;
  }

  /** `leastLeftMs`: how long a mark that is there must still hold. */
  private async mark(table: Table, day: Day, leastLeftMs: number): Promise<void> {
    const marked = `${table.name} ${day}`;
    let last = this.putMarks.get(marked);
    if (last === undefined || MARK_MS - this.ageMs(last) < leastLeftMs) {
      const [wallMs, monotonicMs] = [this.clock.now(), this.clock.monotonicMs()];
      const key = markKey(table.name, day, `${this.runId}-${randomUUID().slice(0, 8)}`);
      const put = { wallMs, monotonicMs, isPut: replaceText(this.store, key, `${this.runId}\n`, undefined) };
      last = put;
      this.putMarks.set(marked, put);
      // The next write tries again.
      put.isPut.catch(() => this.putMarks.delete(marked));
    }
    await last.isPut;
  }

  /** Its age by the clock that says more: one may have been set back, the other stands still while the machine sleeps. */
  private ageMs({ wallMs, monotonicMs }: PutMark): number {
    return Math.max(this.clock.now() - wallMs, this.clock.monotonicMs() - monotonicMs);
  }
}

export async function listMarks(store: LakeStore): Promise<Mark[]> {
  const marks: Mark[] = [];
  for await (const { key, storedAtMs } of store.listTimes(LAGGING_FOLDER)) {
    const marked = markOf(key);
    if (marked !== undefined) marks.push({ key, storedAtMs, ...marked });
  }
  return marks;
}

/** A moment that is not later than now, by the store's own clock: that of an object which is put for it. */
export async function storeTime(store: LakeStore): Promise<number> {
  const before = await store.find(STORE_CLOCK_KEY);
  await replaceText(store, STORE_CLOCK_KEY, 'now\n', before).catch((error: unknown) => {
    // Another publication has put it meanwhile, which serves as well.
    if (!isRace(error)) throw error;
  });
  return (await store.find(STORE_CLOCK_KEY))?.storedAtMs ?? 0;
}

/** Whether whoever lists a day's units at this moment of the store, or later, sees all that was written under the mark. */
export function isMarkOver({ storedAtMs }: Pick<Mark, 'storedAtMs'>, listedAtMs: number): boolean {
  return storedAtMs + MARK_MS + STORE_SKEW_MS < listedAtMs;
}
