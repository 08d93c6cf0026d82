import * as v from 'valibot';
import { forEachConcurrent } from '../concurrency.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { type Day, daySchema, daysBetween, HOUR_MS, isDay, monthOf } from '../time/days.ts';
import { LAGGING_FOLDER, laggingKey } from './layout.ts';
import { type LakeStore, readText, replaceText, retriedOnRace } from './store/store.ts';
import { RECEIPT_TABLES, type Table } from './tables.ts';

/**
 * Days that may lag behind their units. A run records them before it first writes a unit of a month, and renews the
 * record every hour while it writes. A publication removes the record if the run had ended before it began, or has not
 * renewed it for long. In AWS only the latter is sure: a worker whose answer was lost may outlive its run.
 */

const FORMAT_VERSION = 1;
const RECORDS_AT_ONCE = 16;
/** A run that keeps writing renews its records. */
const RENEWED_AFTER_MS = HOUR_MS;
/** After this long without a renewal nothing is written any more: an invocation takes a quarter of an hour at most. */
const ENDED_AFTER_MS = 2 * HOUR_MS;

const RecordText = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    version: v.literal(FORMAT_VERSION),
    days: v.array(daySchema()),
  }),
);

/** The days of one table and month that one run may have written. */
export interface LagRecord {
  key: string;
  table: Table;
  runId: string;
  days: readonly Day[];
  version: string;
  renewedAtMs: number;
}

/** Records the days that one run is about to write. */
export class LagRecorder {
  private readonly store: LakeStore;
  private readonly runId: string;
  private readonly days: readonly Day[];
  private readonly clock: Clock;
  private readonly recorded = new Map<string, { atMs: number; done: Promise<void> }>();

  /** `days`: all issue dates of the run. */
  constructor(store: LakeStore, runId: string, days: readonly Day[], clock: Clock = systemClock) {
    this.store = store;
    this.runId = runId;
    this.days = [...new Set(days)].sort();
    this.clock = clock;
  }

  /** Await it before writing a unit of that day. */
  async record(table: Table, day: Day): Promise<void> {
    const month = day.slice(0, 7);
    const key = laggingKey(table.name, month, this.runId);
    const now = this.clock.now();
    let last = this.recorded.get(key);
    if (last === undefined || now - last.atMs >= RENEWED_AFTER_MS) {
      last = { atMs: now, done: this.write(key, month, now) };
      this.recorded.set(key, last);
      // The next unit tries again.
      last.done.catch(() => this.recorded.delete(key));
    }
    await last.done;
  }

  private async write(key: string, month: string, now: number): Promise<void> {
    // Another worker of the run may have just replaced it, or a publisher removed it.
    await retriedOnRace(async () => {
      const found = await this.store.find(key);
      if (found !== undefined && now - found.storedAtMs < RENEWED_AFTER_MS) return;
      // An earlier attempt may have recorded days that this one does not know.
      const before = found === undefined ? [] : ((await readRecord(this.store, key))?.days ?? []);
      const own = this.days.filter((day) => day.startsWith(month));
      const days = [...new Set([...before, ...own])].sort();
      await replaceText(this.store, key, JSON.stringify({ version: FORMAT_VERSION, days }), found);
    });
  }
}

/** All records of the lake, in no particular order. */
export async function readLagRecords(store: LakeStore): Promise<LagRecord[]> {
  const records: LagRecord[] = [];
  await forEachConcurrent(store.list(LAGGING_FOLDER), RECORDS_AT_ONCE, async (key) => {
    const record = await readRecord(store, key);
    if (record !== undefined) records.push(record);
  });
  return records;
}

/** Whether the record's run will write no more units. */
export function isEnded({ runId, renewedAtMs }: LagRecord, endedRunId: string | undefined, nowMs: number) {
  return runId === endedRunId || nowMs - renewedAtMs > ENDED_AFTER_MS;
}

/** Removes the record unless its run has renewed it since it was read. */
export async function removeRecord(
  store: LakeStore,
  { key, version, renewedAtMs }: LagRecord,
): Promise<void> {
  const found = await store.find(key);
  // In a bucket a renewal keeps the version: it comes from the bytes, and these do not change.
  if (found?.version === version && found.storedAtMs === renewedAtMs) await store.remove(key);
}

async function readRecord(store: LakeStore, key: string): Promise<LagRecord | undefined> {
  const [, name, month = '', runId = ''] = /^\.lagging\/(\w+)\/(\d{4}-\d\d)\/([\w-]+)\.json$/.exec(key) ?? [];
  const first = `${month}-01`;
  const table = RECEIPT_TABLES.find((known) => known.name === name);
  const found = await store.find(key);
  if (table === undefined || found === undefined || !isDay(first)) return undefined;
  const text = await readText(store, key);
  const parsed = v.safeParse(RecordText, text);
  // One that cannot be parsed counts for every day of its month.
  const { from, to } = monthOf(first);
  const days = parsed.success ? parsed.output.days : daysBetween(from, to);
  return { key, table, runId, days, version: found.version, renewedAtMs: found.storedAtMs };
}
